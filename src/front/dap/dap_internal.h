/* The server's state, and what the files dap_*.c share.
 *
 * A request is a row of a table (dap_server.c). Its function gets the arguments, and writes the
 * body of the response with dap_body(); an error becomes an error response. A function that takes
 * long, once it is clear that it will succeed, responds at once with dap_answer() and reports by
 * events from then on.
 *
 * Numbers that clients see: a thread is its ordinal + 1, a frame combines level and thread in one
 * number, a reference to a variable is an index in a list that every movement empties.
 *
 * A view belongs to the current moment: every movement closes all views.
 *
 * Invariants
 *   (1) Requests that need a recording are refused before one is open.
 */
#ifndef FRONT_DAP_INTERNAL_H
#define FRONT_DAP_INTERNAL_H

#include <stdio.h>

#include "base/error.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "base/list.h"
#include "debug/debug.h"
#include "debug/interpreter.h"
#include "front/dap/dap_wire.h"

/* A frame in which expressions are evaluated; its values live as long as it does. */
struct dap_view {
    u32 thread;
    size_t level;
    struct frame *frames; /* a copy, because those of the debugger may move */
    struct evaluation *evaluation;
};

/* A value that a client can unfold. */
struct dap_reference {
    enum {
        UNFOLDS_ARGUMENTS,
        UNFOLDS_LOCALS,
        UNFOLDS_REGISTERS,
        UNFOLDS_VECTORS,
        UNFOLDS_GLOBALS,
        UNFOLDS_RETURNED,
        UNFOLDS_VALUE,
    } kind;
    struct dap_view *view;
    struct value *value;
    char *expression; /* the value's expression; NULL: there is none */
};

enum dap_breakpoint_kind { DAP_LINE, DAP_FUNCTION, DAP_INSTRUCTION, DAP_DATA, DAP_EXCEPTION };

/* A breakpoint as the client knows it. */
struct dap_breakpoint {
    u32 id;
    enum dap_breakpoint_kind kind;
    char *group;         /* for line breakpoints: the source file; otherwise "" */
    char *key;           /* identifies the request: the same key is the same breakpoint */
    u32 number;          /* the debugger's breakpoint; 0: none */
    bool is_kept;        /* it was requested again */
    bool is_logger;      /* a log point: it does not stop */
    char *hit_condition; /* NULL: none */
    struct list hits;    /* struct moment: all hits in the run, if hits_known */
    bool hits_known;
    char *trouble; /* why it differs from the request; NULL: it does not */
};

struct dap_goto_target {
    char *location; /* FILE:LINE */
    enum session_direction direction;
};

/* What exceptionInfo says about the last stop. */
struct dap_exception {
    char *id, *description; /* id NULL: the stop was not an exception */
    bool is_end;            /* the program ended with it */
};

struct dap {
    struct dap_wire *wire;
    u64 seq; /* number of the last message sent */
    bool is_initialized, is_over;
    i64 first_line, first_column; /* 1 or 0: where the client begins to count */
    bool knows_progress, knows_invalidated, knows_memory;

    /* the current request */
    const struct dap_message *message;
    const struct dap_request *request;
    bool is_answered;
    char *body_bytes;
    size_t body_size;
    struct json body;

    /* its progress: */
    double began; /* seconds */
    double told;  /* when progress was last reported */
    unsigned progress_number;
    bool progress_shown;
    const char *title; /* the current operation, for the user */

    struct recording *rec;
    struct debug *debug; /* NULL: no recording is open */
    struct interpreter *interpreter;
    bool is_configured; /* configurationDone was received */
    char *spoken;       /* what the debugger said meanwhile; NULL: nothing */

    struct list views;       /* struct dap_view * */
    struct list references;  /* struct dap_reference */
    struct list breakpoints; /* struct dap_breakpoint * */
    u32 last_breakpoint;
    struct list sources; /* char *: files that the client reads through ebb */
    struct list targets; /* struct dap_goto_target */
    struct dap_exception exception;
    u64 returned;                     /* the function that the last movement left; 0: none */
    bool signal_stops[DEBUG_SIGNALS]; /* by default */
};

/* dap_server.c */
enum { DAP_ANY_TIME, DAP_INITIALIZED, DAP_OPEN }; /* when a request may come */
struct dap_request {
    const char *name;
    struct error *(*run)(struct dap *s, const struct json_value *args);
    int which; /* for the function */
    u8 when;
    const char *title; /* the current operation, if it may take long; NULL: the request's name */
};
void dap_serve_client(struct dap_wire *w);
struct json *dap_body(struct dap *s);
void dap_answer(struct dap *s); /* success, now */
/* Writes an event: its body is written between these two calls. */
struct json *dap_event(struct dap *s, const char *name);
void dap_event_end(struct dap *s);
__attribute__((format(printf, 3, 4))) void dap_output(struct dap *s, const char *category,
                                                      const char *format, ...);
/* Called by the debugger with the progress of a movement. */
void dap_progress(void *context, const struct session_progress *p);
void dap_say(void *context, const char *bytes, size_t size);
/* Returns a required argument, or an error that says what is missing. */
struct error *dap_text(const struct json_value *args, const char *key, const char **ret);
struct error *dap_integer(const struct json_value *args, const char *key, i64 *ret);
void dap_moment(struct json *j, const char *key, struct moment at); /* "TICK:0xPC" */
/* A temporary stream, for what is sent later. */
void dap_invalidated(struct dap *s, const char *area);

/* dap_launch.c */
struct error *dap_initialize(struct dap *s, const struct json_value *args);
struct error *dap_launch(struct dap *s, const struct json_value *args);
struct error *dap_attach(struct dap *s, const struct json_value *args);
struct error *dap_configuration_done(struct dap *s, const struct json_value *args);
struct error *dap_disconnect(struct dap *s, const struct json_value *args);
void dap_close(struct dap *s); /* the recording */

/* dap_record.c: *ret is the path of the recording; the caller frees it. */
struct error *dap_record(struct dap *s, const struct json_value *args, char **ret);

/* dap_place.c */
struct error *dap_threads(struct dap *s, const struct json_value *args);
struct error *dap_stack_trace(struct dap *s, const struct json_value *args);
struct error *dap_modules(struct dap *s, const struct json_value *args);
u64 dap_frame_id(u32 thread, size_t level);
/* Selects the frame in the debugger. */
struct error *dap_choose_frame(struct dap *s, i64 id);
struct error *dap_check_thread(struct dap *s, i64 id, u32 *ret);

/* dap_sources.c */
void dap_source_json(struct dap *s, const char *key, struct json *j, const char *file);
struct error *dap_source(struct dap *s, const struct json_value *args);
struct error *dap_loaded_sources(struct dap *s, const struct json_value *args);
struct error *dap_breakpoint_locations(struct dap *s, const struct json_value *args);
const char *dap_source_path(struct dap *s, const struct json_value *source); /* NULL: none */
/* Finds the code of a source line; the caller frees *ret. */
struct error *dap_locate_line(struct dap *s, const char *path, i64 line, struct code_place **ret,
                              size_t *ret_count);
/* FILE:LINE; the caller frees it */
char *dap_line_location(struct dap *s, const char *path, i64 line);

/* dap_variables.c */
struct error *dap_scopes(struct dap *s, const struct json_value *args);
struct error *dap_variables(struct dap *s, const struct json_value *args);
struct error *dap_evaluate(struct dap *s, const struct json_value *args);
struct error *dap_set_variable(struct dap *s, const struct json_value *args);
struct error *dap_completions(struct dap *s, const struct json_value *args);
void dap_forget_views(struct dap *s);
struct error *dap_view_of(struct dap *s, i64 frame, struct dap_view **ret);
const struct dap_reference *dap_reference_find(const struct dap *s, i64 number); /* NULL: none */
/* Returns the child's value and expression, which may be NULL; the caller frees the latter. */
struct error *dap_find_child(struct dap *s, const struct dap_reference *r, const char *name,
                             struct value **ret, char **ret_expression);

/* dap_breakpoints.c */
struct error *dap_set_breakpoints(struct dap *s, const struct json_value *args);
struct error *dap_set_function_breakpoints(struct dap *s, const struct json_value *args);
struct error *dap_set_instruction_breakpoints(struct dap *s, const struct json_value *args);
struct error *dap_set_data_breakpoints(struct dap *s, const struct json_value *args);
struct error *dap_set_exception_breakpoints(struct dap *s, const struct json_value *args);
struct error *dap_data_breakpoint_info(struct dap *s, const struct json_value *args);
struct dap_breakpoint *dap_breakpoint_of(struct dap *s, u32 number); /* NULL: none */
void dap_breakpoints_deinit(struct dap *s);
void dap_exception_filters(struct json *j);

/* dap_logpoints.c */
struct error *dap_check_hit_condition(const char *text);
/* Sets *ret if the hit at the current moment counts. */
struct error *dap_hit_counts(struct dap *s, struct dap_breakpoint *b, bool *ret);
/* Prints the message for every hit of the log point. */
struct error *dap_log_hits(struct dap *s, struct debug_breakpoint *p, const char *message,
                           const char *hit_condition);

/* dap_moves.c */
enum { DAP_BACKWARD = 64 }; /* `which`: enum debug_move, and this */
struct error *dap_move(struct dap *s, const struct json_value *args);
struct error *dap_pause(struct dap *s, const struct json_value *args);
struct error *dap_goto_targets(struct dap *s, const struct json_value *args);
struct error *dap_goto(struct dap *s, const struct json_value *args);
struct error *dap_run_to_line(struct dap *s, const struct json_value *args);
struct error *dap_restart_frame(struct dap *s, const struct json_value *args);
struct error *dap_exception_info(struct dap *s, const struct json_value *args);
/* makes the movement and reports where it stopped */
struct error *dap_carry_out(struct dap *s, struct debug_order *o);
void dap_begin_move(struct dap *s); /* selects the thread that runs */
void dap_say_opened(struct dap *s);
/* `reason` may be NULL: taken from the stop. */
void dap_stopped(struct dap *s, const struct session_stop *stop, const char *reason,
                 const char *description);
void dap_targets_forget(struct dap *s);

/* dap_memory.c */
struct error *dap_read_memory(struct dap *s, const struct json_value *args);
struct error *dap_disassemble(struct dap *s, const struct json_value *args);
/* Parses 0x1234, decimal, or an expression in the innermost frame. */
struct error *dap_address(struct dap *s, const char *text, u64 *ret);

/* dap_time.c */
struct error *dap_history(struct dap *s, const struct json_value *args);
struct error *dap_who_wrote(struct dap *s, const struct json_value *args);
struct error *dap_became_true(struct dap *s, const struct json_value *args);
struct error *dap_timeline(struct dap *s, const struct json_value *args);
struct error *dap_go_to_moment(struct dap *s, const struct json_value *args);
struct error *dap_undo(struct dap *s, const struct json_value *args);
struct error *dap_bookmarks(struct dap *s, const struct json_value *args);

#endif
