/* The debugger's state, and what the files dbg*.c share.
 *
 * A command gets its row and the rest of the line. It answers with dbg_say() and, for readers of
 * JSON, dbg_field_*(). The answer is printed when the command has ended.
 *
 * What a command does is done by src/debug; these files read its words and say what came of it.
 */
#ifndef FRONT_DBG_INTERNAL_H
#define FRONT_DBG_INTERNAL_H

#include <stdio.h>

#include "base/error.h"
#include "base/json_text.h"
#include "base/list.h"
#include "base/types.h"
#include "debug/debug.h"

struct dbg;

/* What follows a command, for completion. */
enum dbg_argument {
    TAKES_NOTHING, TAKES_COUNT, TAKES_LOCATION, TAKES_EXPRESSION, TAKES_COMMAND, TAKES_FILE,
    TAKES_WORD, /* one of `words` */
};

enum { MOVES = 1, REPEATS = 2 };

struct dbg_command {
    const char *name;
    const char *others;        /* other names, with a blank between them; "" */
    struct error *(*run)(struct dbg *d, const struct dbg_command *c, const char *args);
    int which;                 /* the command's own: what rows of one function differ by */
    u32 flags;
    enum dbg_argument argument;
    const char *words;
    const char *usage;
    const char *summary;       /* one sentence, without its capital letter and full stop */
    const char *more;          /* what else there is to know */
    const char *examples;      /* two command lines, with a line end between them */
};

struct dbg_settings {
    u32 context;   /* lines shown around the place, each side */
    u32 listsize;
    bool colour, echo;
    enum dbg_frame_arguments {
        ARGUMENTS_SCALARS,
        ARGUMENTS_ALL,
        ARGUMENTS_NONE,
        ARGUMENTS_PRESENCE
    } frame_arguments;
    bool no_entry_values;
    bool att;       /* how instructions are written */
};

/* Where lines come from. */
struct dbg_input {
    struct dbg_input *before;
    char *(*next)(struct dbg_input *in, const char *prompt); /* to be freed; NULL: no more */
    FILE *file;
    void *context;
};

enum dbg_leaves { LEAVES_NOTHING, LEAVES_ROUND, LEAVES_LOOP };

struct dbg_answer {
    FILE *text, *fields;
    char *text_bytes, *field_bytes;
    size_t text_size, field_size;
    struct json json; /* writes to fields */
};

struct edit;
struct tui;

struct dbg {
    struct debug *debug;      /* what is debugged; always there while commands are obeyed */
    bool json, quit, at_prompt;
    bool is_lent;             /* to another front end, which shows itself where one stands */
    bool failed;              /* some command did not work */
    struct dbg_settings settings;
    struct dbg_input *input;
    struct dbg_answer answer;
    bool obeys_due;
    struct list user_commands; /* dbg_script.c */
    bool in_hook;
    unsigned loops;           /* of `while`, one in the other */
    int leaves;               /* enum dbg_leaves: which lines are not run */
    unsigned searched, search_listed; /* the line that `search` found, and where `list` was then */
    u64 examine_next;         /* x: where it goes on */
    i64 examine_count;        /* of the last one; 0: there was none */
    char last_format, last_size; /* letters; of print and x; 0: none yet */
    bool shows_motion;        /* how far a movement has got is on the terminal */
    double motion_drawn;      /* seconds */
    struct edit *edit;        /* lines are typed; NULL: they are not */
    struct tui *tui;          /* the screen; NULL: there is only the prompt */
};

/* dbg.c */
struct debug_client dbg_client(struct dbg *d); /* what it hears from src/debug goes into answers */
const struct dbg_command *dbg_command_of(const char *line); /* NULL: there is none */
bool dbg_obey(struct dbg *d, const char *line); /* false: it did not work */
bool dbg_obey_due(struct dbg *d);
struct error *dbg_run_line(struct dbg *d, const char *line); /* within another command */
/* All lines, or those up to the first that fails. */
struct error *dbg_read_input(struct dbg *d, struct dbg_input *in, bool stops);
struct error *dbg_source_file(struct dbg *d, const char *path, bool stops);
char *dbg_input_file_next(struct dbg_input *in, const char *prompt);

/* dbg_answer.c */
void dbg_answer_begin(struct dbg *d);
void dbg_answer_end(struct dbg *d, const char *command, struct error *err); /* takes err */
void dbg_answer_flush(struct dbg *d); /* prints the text so far, unless it is for JSON */
__attribute__((format(printf, 2, 3))) void dbg_say(struct dbg *d, const char *format, ...);
void dbg_colour(struct dbg *d, const char *code); /* an SGR code such as "1"; "": back to normal */
char *dbg_short_path(const struct dbg *d, const char *path); /* to be freed */
struct json *dbg_fields(struct dbg *d);
/* A field is there once: what a command adds for each of several frames or threads is taken
 * back. */
struct dbg_field_mark { long at; bool some; };
struct dbg_field_mark dbg_fields_mark(struct dbg *d);
void dbg_fields_take_back(struct dbg *d, struct dbg_field_mark mark);
char *dbg_capture(struct dbg *d, const char *line); /* what a command says: to be freed */
char *dbg_capture_line(struct dbg *d, const char *line, bool *ret_failed); /* the same */

/* dbg_script.c */
struct error *dbg_define(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_document(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_alias(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_if(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_while(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_leave(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_show_user(struct dbg *d, const char *args);
/* The lines up to the `end` of a block, into `ret` (char *); *ret_else (may be NULL): how many are
 * before `else`. */
struct error *dbg_read_block(struct dbg *d, struct list *ret, size_t *ret_else);
/* False: the line's first `length` characters name no user command or alias. */
bool dbg_user_run(struct dbg *d, const char *line, size_t length, struct error **ret);
bool dbg_user_help(struct dbg *d, const char *name); /* false: it is none */
struct error *dbg_hook(struct dbg *d, const char *kind, const char *name);
void dbg_user_commands_deinit(struct dbg *d);

/* dbg_apply.c */
struct error *dbg_frame_apply(struct dbg *d, const char *args);
struct error *dbg_thread_apply(struct dbg *d, const char *args);
enum { APPLY_FRAMES, APPLY_THREADS, APPLY_BOTH };
struct error *dbg_apply_all(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_with(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_shell(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_pipe(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_directory(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_elsewhere.c */
/* What to type instead of a command of gdb; NULL: it is not known. */
const char *dbg_elsewhere(const char *name, size_t length);

/* dbg_break_more.c */
struct error *dbg_rbreak(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_clear(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_save(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_table.c */
const struct dbg_command *dbg_commands(size_t *ret_count);
struct error *dbg_find_command(const char *word, size_t length, const struct dbg_command **ret);

/* dbg_help.c */
struct error *dbg_help(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_apropos(struct dbg *d, const struct dbg_command *c, const char *args);
extern const char dbg_help_words[]; /* what it is given besides commands */

/* dbg_panic.c */
void dbg_say_panic(struct dbg *d, const struct debug_breakpoint *p);
/* At the end of a run of Rust that has the status of a panic. */
void dbg_say_panic_hint(struct dbg *d, u32 status);

/* dbg_place.c */
void dbg_say_frame(struct dbg *d, size_t index, bool numbered);
void dbg_say_here(struct dbg *d);
void dbg_say_thread(struct dbg *d, u32 thread);
void dbg_json_place(struct dbg *d, struct json *j);
struct error *dbg_backtrace(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_choose_frame(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_select_frame(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_choose_thread(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_goroutine.c */
struct error *dbg_info_goroutines(struct dbg *d, const char *args);
struct error *dbg_goroutine(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_moves.c */
enum { MOVE_BACKWARD = 16 }; /* `which`: enum debug_move, and this */
struct error *dbg_move(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_goto(struct dbg *d, const struct dbg_command *c, const char *args);
enum { UNDO, REDO };
struct error *dbg_undo(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_bookmark(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_track(struct dbg *d, const struct dbg_command *c, const char *args);
/* A movement that only finds out where it would stop: nothing is said, and nothing kept for
 * undo. */
struct error *dbg_move_unseen(struct dbg *d, const struct dbg_command *c, const char *args);
/* `reason`: it has been said why already; may be NULL. */
void dbg_say_stop(struct dbg *d, u32 thread_before, const char *reason,
                  const struct session_stop *stop);
void dbg_say_end(struct dbg *d);
void dbg_say_opened(struct dbg *d);

/* dbg_play.c */
struct error *dbg_play(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_progress.c: what struct debug_client has for movements that take a while. */
void dbg_progress(void *context, const struct session_progress *p);
void dbg_progress_over(void *context);
unsigned dbg_terminal_width(void);
bool dbg_speaks_utf8(void);

/* dbg_cover.c */
void dbg_cover_say(struct dbg *d, const struct subject *s, const struct debug_cover *c);
void dbg_cover_json(struct json *j, const struct subject *s, const struct debug_cover *c);

/* dbg_until.c */
const char *dbg_goal_say(struct dbg *d, const struct debug_goal *g,
                         enum session_direction direction, const struct session_stop *stop);

/* dbg_ask.c */
struct error *dbg_ask(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_calls(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_answer_question(struct dbg *d, struct ask_question *q, int form, u64 most,
                                  bool whole_calls);
struct error *dbg_take_form(const char *args, int *form, char **ret_text);

/* dbg_history.c */
struct error *dbg_history(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_changes.c */
struct error *dbg_changes(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_plot.c */
void dbg_plot(struct dbg *d, struct subject *s, const struct history_answer *a);

/* dbg_watch.c */
struct error *dbg_watch(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_watch_say.c */
void dbg_watch_say(struct dbg *d, const struct debug_stop *s);
void dbg_say_values(struct dbg *d, const struct debug_breakpoint *p, const struct plan_hit *hit,
                    const char *what, const char *old, const char *new);
void dbg_say_doer(struct dbg *d, struct moment at, u32 thread);

/* dbg_break.c */
struct error *dbg_break(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_break_at(struct dbg *d, const struct debug_break_order *order);
enum { DO_DELETE, DO_DISABLE, DO_ENABLE };
struct error *dbg_breakpoints_change(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_condition(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_ignore(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_breakpoint_commands(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_info_breakpoints(struct dbg *d, const char *args);
struct error *dbg_info_watches(struct dbg *d, const char *args);

/* dbg_catch.c */
struct error *dbg_catch(struct dbg *d, const struct dbg_command *c, const char *args);
void dbg_say_catch(struct dbg *d, const struct debug_breakpoint *p, u32 location,
                   const struct plan_hit *hit);

/* dbg_signals.c */
struct error *dbg_handle(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_info_signals(struct dbg *d, const char *args);
void dbg_say_signal(struct dbg *d, u32 number); /* the one at this moment */
void dbg_say_faults(struct dbg *d); /* at the end: those that the program handled, if any */

/* dbg_call.c */
/* at the end of a command: that there is a copy, or no more */
void dbg_say_copy(struct dbg *d, bool was_there);

/* dbg_print.c */
struct error *dbg_print(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_display(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_undisplay(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_ptype(struct dbg *d, const struct dbg_command *c, const char *args);
/* Each on a line, indented by `indent`. */
struct error *dbg_variables(struct dbg *d, bool parameters, const char *indent);
char *dbg_display_label(const struct debug_display *display); /* to be freed */
void dbg_say_displays(struct dbg *d);
/* Which of several symbols a name was taken for; NULL: nothing is said. */
void dbg_say_note(struct dbg *d, const char *note);
struct error *dbg_evaluate_silently(struct dbg *d, const char *expression); /* for its effect */
void dbg_say_arguments(struct dbg *d, size_t frame);
void dbg_say_returned(struct dbg *d, u64 function);
struct error *dbg_split_format(const char **args, char *room, size_t size);
struct error *dbg_output(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_print_settings.c */
struct error *dbg_set_print(struct dbg *d, const char *args);
struct error *dbg_show_print(struct dbg *d, const char *args);
/* `-elements 3 -pretty --` at the beginning of what print is given, into `show`. */
struct error *dbg_print_options(const char **args, struct show_settings *show);
extern const char dbg_print_words[];

/* dbg_printf.c */
struct error *dbg_printf(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_echo(struct dbg *d, const struct dbg_command *c, const char *args);
size_t dbg_argument_length(const char *text); /* up to a comma between expressions, or the end */

/* dbg_names.c */
struct error *dbg_info_functions(struct dbg *d, const char *args);
struct error *dbg_info_variables(struct dbg *d, const char *args);
struct error *dbg_info_types(struct dbg *d, const char *args);
struct error *dbg_info_proc(struct dbg *d, const char *args);
struct error *dbg_info_auxv(struct dbg *d, const char *args);

/* dbg_find.c */
struct error *dbg_find(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_memory.c */
struct error *dbg_examine(struct dbg *d, const struct dbg_command *c, const char *args);
bool dbg_memory_read(struct dbg *d, u64 address, void *to, size_t size); /* all of it, or false */
/* `$_` is its address. */
void dbg_note_examined(struct value *value);

/* dbg_disassemble.c */
void dbg_say_symbol(struct dbg *d, u64 address);
/* Of the frame that is looked at. */
u64 dbg_pc(struct dbg *d);
/* Its length; 0: there is none. */
size_t dbg_say_instruction(struct dbg *d, u64 at, bool with_bytes);
struct error *dbg_disassemble(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_about.c */
struct error *dbg_info_line(struct dbg *d, const char *args);
struct error *dbg_info_source(struct dbg *d, const char *args);
struct error *dbg_info_symbol(struct dbg *d, const char *args);
struct error *dbg_info_address(struct dbg *d, const char *args);
struct error *dbg_info_scope(struct dbg *d, const char *args);

/* dbg_info.c */
struct error *dbg_info(struct dbg *d, const struct dbg_command *c, const char *args);
extern const char dbg_info_words[];

/* dbg_list.c */
struct error *dbg_list(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_search(struct dbg *d, const struct dbg_command *c, const char *args);

/* dbg_source.c */
void dbg_say_source(struct dbg *d, const char *file, unsigned line, unsigned before,
                    unsigned after);
struct error *dbg_skip(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_set(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_show(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_source(struct dbg *d, const struct dbg_command *c, const char *args);
struct error *dbg_quit(struct dbg *d, const struct dbg_command *c, const char *args);
extern const char dbg_setting_words[];

/* dbg_complete.c: what Tab appends to the line, to be freed. *ret_choices, to be freed, is NULL or
 * the words it could become, in columns. */
char *dbg_complete_tab(struct dbg *d, const char *line, unsigned width, char **ret_choices);

/* dbg_wait.c: until a key was struck; Ctrl-C is told once, and forgotten by dbg_wait_calm(). */
enum dbg_wake {
    WAKE_KEY,
    WAKE_INTERRUPT,
    WAKE_CHANGED, /* the terminal: look at its size */
    WAKE_GONE,
};
void dbg_wait_begin(void);
void dbg_wait_end(void);
void dbg_wait_calm(void);
enum dbg_wake dbg_wait(struct dbg *d);
/* Until the time of debug_seconds_now(), or until Ctrl-C, or, on the full screen, a key, which is
 * gone then. */
enum dbg_pause { PAUSE_OVER, PAUSE_INTERRUPTED, PAUSE_KEY };
enum dbg_pause dbg_pause(struct dbg *d, double until);

/* dbg_edit.c */
struct dbg_input *dbg_edit_open(struct dbg *d);
void dbg_edit_close(struct dbg_input *in);
/* For a line that was typed elsewhere: what it stands for, to be freed. It goes into the history;
 * an empty one is the last command again. */
char *dbg_edit_take(struct dbg *d, const char *text, const char *prompt);
void dbg_edit_note(struct dbg *d, const char *line); /* it becomes the last command */
const char *dbg_edit_recall(struct dbg *d, size_t back); /* of the history, 0 the newest; NULL:
                                                          * none */

/* dbg_tui.c: the full screen. While d->tui is there, lines come from it, and what is printed is
 * shown by it. */
struct error *dbg_layout(struct dbg *d, const struct dbg_command *c, const char *args);
char *dbg_tui_next(struct dbg *d, const char *prompt);
void dbg_tui_close(struct dbg *d);
void dbg_tui_progress(struct dbg *d, const struct session_progress *p);
void dbg_tui_show(struct dbg *d); /* what has changed, in the midst of a command */
void dbg_tui_help(struct dbg *d);

#endif
