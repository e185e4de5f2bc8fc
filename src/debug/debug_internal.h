/* What the files of src/debug share and no client needs. */
#ifndef DEBUG_DEBUG_INTERNAL_H
#define DEBUG_DEBUG_INTERNAL_H

#include "debug/debug.h"

/* When a frame began; the frame exists at least until alive_to. */
struct debug_life {
    u32 thread;
    u64 cfa;
    struct moment begin, call, alive_to;
};

/* debug.c: sends a sentence to the client. */
__attribute__((format(printf, 2, 3))) void debug_say(struct debug *d, const char *format, ...);
void debug_say_bytes(struct debug *d, const char *bytes, size_t size);
void debug_note(struct debug *d, const char *note); /* NULL: nothing is said */

/* debug_motion.c: for session_options. */
void debug_progress(void *context, const struct session_progress *p);

/* debug_breakpoints.c */
struct error *debug_breakpoints_settle(struct debug *d); /* called before something moves */
void debug_breakpoints_forget(struct debug *d);          /* another session */
void debug_breakpoints_deinit(struct debug *d);
struct debug_breakpoint *debug_breakpoints_add(struct debug *d, u32 type, const char *what);
void debug_break_take_back(struct debug *d, struct debug_breakpoint *p); /* the last one */
struct error *debug_breakpoint_resolve(struct debug *d, struct debug_breakpoint *p);
void debug_breakpoint_unsettle(struct debug *d, struct debug_breakpoint *p);
/* Like debug_arrive(), after a stop. At a breakpoint on an inlined function, the selected frame is
 * that function's. */
void debug_breakpoints_arrive(struct debug *d, const struct session_stop *stop);
struct error *debug_breakpoint_holds(struct debug *d, struct debug_breakpoint *p, bool *ret);

u32 debug_site_kind(u32 type, bool is_return); /* enum plan_site_kind of a debug_breakpoint_type */

/* debug_watch.c */
struct error *debug_watch_condition(struct debug *d, struct debug_breakpoint *p); /* has another */
struct error *debug_watch_settle(struct debug *d, struct debug_breakpoint *p);
void debug_watches_moved(struct debug *d);
void debug_watches_rebind(struct debug *d);

/* debug_follow.c */
bool debug_follows(const struct debug *d);
struct error *debug_follow_continue(struct debug *d, enum session_direction direction,
                                    struct session_stop *stop);
struct error *debug_follow_between(struct debug *d, struct moment from, struct session_stop *stop);
void debug_followed_forget(struct debug *d);

/* debug_goal.c */
struct error *debug_goal_go(struct debug *d, struct debug_goal *g, enum session_direction direction,
                            struct session_stop *stop);
struct error *debug_goal_first(struct debug *d, struct debug_goal *g, struct session_stop *stop);

/* debug_signals.c */
void debug_default_signals(struct debug *d); /* for a track that has just been opened */

/* debug_panic.c */
/* the location of rust_panic; the caller frees it */
struct error *debug_panic_location(struct debug *d, char **ret);
/* Finds the program's frame in which the current panic began; false: there is no panic. */
bool debug_panic_frame(const struct debug *d, size_t *ret);

/* debug_call.c */
extern const struct values_actions debug_actions;

/* debug_marks.c */
void debug_marks_load(struct debug *d);
void debug_marks_save(struct debug *d);
void debug_marks_deinit(struct debug *d);

/* debug_goal.c: the addresses of a location, seen from the selected frame; *ret to be freed. */
struct error *debug_locate(struct debug *d, const char *text, u64 **ret, size_t *ret_count);
/* debug_output.c: `output N`, `output -N`, `output /REGEX/`. */
bool debug_output_named(const char *words);
struct error *debug_find_output(struct debug *d, const char *words, struct moment *ret);
/* debug_ask.c: answers over the whole run, without a table to go to. */
struct error *debug_ask_rows_apart(struct debug *d, struct ask_question *q,
                                   bool (*row)(void *context, const struct ask_row *row),
                                   void *context, struct ask_answer *ret);
/* debug_ask.c: a new table begins; a row of it. */
void debug_rows_begin(struct debug *d);
void debug_rows_add(struct debug *d, struct moment at);
/* debug_ask.c: reads `row N` of the last table. */
bool debug_row_named(const struct debug *d, const char *words);
struct error *debug_find_row(struct debug *d, const char *words, struct moment *ret);

#endif
