/* The server's state, and what the files dap_*.c share.
 *
 * A request is a row of a table (dap_server.c).  Its function gets the arguments, and writes the
 * body of the response with dap_body(); an error becomes an error response.  A function that takes
 * a while after it is clear that it will be done answers at once with dap_answer(), and speaks by
 * events from then on.
 *
 * Numbers that clients see: a thread is its ordinal + 1, a frame is level and thread in one number,
 * references to variables are places in a list that every movement empties.
 *
 * A view is of the moment at which the session stands: every movement closes all of them.
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
    struct frame *frames; /* a copy: those of the debugger may move */
    struct evaluation *evaluation;
};

/* What a client can unfold. */
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
    char *expression; /* of the value; NULL: there is none */
};

enum dap_breakpoint_kind { DAP_LINE, DAP_FUNCTION, DAP_INSTRUCTION, DAP_DATA, DAP_EXCEPTION };

/* A breakpoint as the client knows it. */
struct dap_breakpoint {
    u32 id;
    enum dap_breakpoint_kind kind;
    char *group;         /* of lines: the source; otherwise "" */
    char *key;           /* what was asked for: the same again is the same breakpoint */
    u32 number;          /* of the debugger's; 0: none */
    bool is_kept;        /* asked for again */
    bool is_logger;      /* a log point: it stops nothing */
    char *hit_condition; /* NULL: none */
    struct list hits;    /* struct moment: all of the run, once hits_known */
    bool hits_known;
    char *trouble; /* why it is not what was asked for; NULL: nothing */
};

struct dap_goto_target {
    char *location; /* FILE:LINE */
    enum session_direction direction;
};

/* What exceptionInfo says about the last stop. */
struct dap_exception {
    char *id, *description; /* id NULL: it was none */
    bool is_end;            /* the program died of it */
};

struct dap {
    struct dap_wire *wire;
    u64 seq; /* of the last message sent */
    bool is_initialized, is_over;
    i64 first_line, first_column; /* 1 or 0: how the client counts */
    bool knows_progress, knows_invalidated, knows_memory;

    /* the request under way */
    const struct dap_message *message;
    const struct dap_request *request;
    bool is_answered;
    char *body_bytes;
    size_t body_size;
    struct json body;

    /* progress of it */
    double began; /* seconds */
    double told;  /* progress, the last time */
    unsigned progress_number;
    bool progress_shown;
    const char *title; /* what is under way, for people */

    struct recording *rec;
    struct debug *debug; /* NULL: no recording is open */
    struct interpreter *interpreter;
    bool is_configured; /* configurationDone has come */
    char *spoken;       /* what the debugger said meanwhile; NULL: nothing */

    struct list views;       /* struct dap_view * */
    struct list references;  /* struct dap_reference */
    struct list breakpoints; /* struct dap_breakpoint * */
    u32 last_breakpoint;
    struct list sources; /* char *: files that the client gets from us */
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
    int which; /* the function's own */
    u8 when;
    const char *title; /* what is under way, if it may take long; NULL: its name */
};
void dap_serve_client(struct dap_wire *w);
struct json *dap_body(struct dap *s);
void dap_answer(struct dap *s); /* success, now */
/* An event is what is written between these two. */
struct json *dap_event(struct dap *s, const char *name);
void dap_event_end(struct dap *s);
__attribute__((format(printf, 3, 4))) void dap_output(struct dap *s, const char *category,
                                                      const char *format, ...);
/* Of the debugger: how far a movement has got. */
void dap_progress(void *context, const struct session_progress *p);
void dap_say(void *context, const char *bytes, size_t size);
/* A required argument; an error says what is missing. */
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

/* dap_record.c: *ret, to be freed, is where the recording is. */
struct error *dap_record(struct dap *s, const struct json_value *args, char **ret);

/* dap_place.c */
struct error *dap_threads(struct dap *s, const struct json_value *args);
struct error *dap_stack_trace(struct dap *s, const struct json_value *args);
struct error *dap_modules(struct dap *s, const struct json_value *args);
u64 dap_frame_id(u32 thread, size_t level);
/* The debugger then looks at that frame. */
struct error *dap_choose_frame(struct dap *s, i64 id);
struct error *dap_check_thread(struct dap *s, i64 id, u32 *ret);

/* dap_sources.c */
void dap_source_json(struct dap *s, const char *key, struct json *j, const char *file);
struct error *dap_source(struct dap *s, const struct json_value *args);
struct error *dap_loaded_sources(struct dap *s, const struct json_value *args);
struct error *dap_breakpoint_locations(struct dap *s, const struct json_value *args);
const char *dap_source_path(struct dap *s, const struct json_value *source); /* NULL: none */
/* Where a line of a source is in the program; *ret to be freed. */
struct error *dap_locate_line(struct dap *s, const char *path, i64 line, struct code_place **ret,
                              size_t *ret_count);
char *dap_line_location(struct dap *s, const char *path, i64 line); /* FILE:LINE; to be freed */

/* dap_variables.c */
struct error *dap_scopes(struct dap *s, const struct json_value *args);
struct error *dap_variables(struct dap *s, const struct json_value *args);
struct error *dap_evaluate(struct dap *s, const struct json_value *args);
struct error *dap_set_variable(struct dap *s, const struct json_value *args);
struct error *dap_completions(struct dap *s, const struct json_value *args);
void dap_forget_views(struct dap *s);
struct error *dap_view_of(struct dap *s, i64 frame, struct dap_view **ret);
const struct dap_reference *dap_reference_find(const struct dap *s, i64 number); /* NULL: none */
/* The child's value and expression, which may be NULL; the latter is to be freed. */
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
/* Does the hit at the moment at which one stands count? */
struct error *dap_hit_counts(struct dap *s, struct dap_breakpoint *b, bool *ret);
/* Says what it has to say about all its hits. */
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
struct error *dap_carry_out(struct dap *s, struct debug_order *o); /* and says where it led */
void dap_begin_move(struct dap *s); /* looks at the thread that runs */
void dap_say_opened(struct dap *s);
/* `reason` may be NULL: by the stop. */
void dap_stopped(struct dap *s, const struct session_stop *stop, const char *reason,
                 const char *description);
void dap_targets_forget(struct dap *s);

/* dap_memory.c */
struct error *dap_read_memory(struct dap *s, const struct json_value *args);
struct error *dap_disassemble(struct dap *s, const struct json_value *args);
/* 0x1234, decimal, or an expression in the innermost frame. */
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
