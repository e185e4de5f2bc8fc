/* Requests, from the message to the response: see dap_internal.h.
 *
 * Messages are handled one at a time, in the order of arrival.  A request has a row in the
 * table: when it is allowed, what it does, and what its progress is called.  Its function writes
 * the body of the response; the response is sent when the function has returned, or earlier if
 * the function asks for that (dap_answer), because events have to follow the response.
 *
 * A request that takes longer than half a second reports progress. Every failure becomes an error
 * response, and the server goes on.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "front/dap/dap_internal.h"

static const double progress_after = 0.5, progress_every = 0.25; /* seconds */

enum { FORWARD_STEP, BACKWARD_STEP = DAP_BACKWARD };

static struct error *nothing(struct dap *s, const struct json_value *args)
{
    (void)s, (void)args;
    return NULL;
}

static const struct dap_request requests[] = {
    {"initialize", dap_initialize, 0, DAP_ANY_TIME, NULL},
    {"launch", dap_launch, 0, DAP_INITIALIZED, "Opening the recording"},
    {"attach", dap_attach, 0, DAP_INITIALIZED, NULL},
    {"configurationDone", dap_configuration_done, 0, DAP_OPEN, NULL},
    {"disconnect", dap_disconnect, 0, DAP_ANY_TIME, NULL},
    {"terminate", dap_disconnect, 1, DAP_ANY_TIME, NULL},
    {"cancel", nothing, 0, DAP_ANY_TIME, NULL},

    {"threads", dap_threads, 0, DAP_OPEN, NULL},
    {"stackTrace", dap_stack_trace, 0, DAP_OPEN, NULL},
    {"scopes", dap_scopes, 0, DAP_OPEN, NULL},
    {"variables", dap_variables, 0, DAP_OPEN, NULL},
    {"evaluate", dap_evaluate, 0, DAP_OPEN, "Evaluating"},
    {"setVariable", dap_set_variable, 0, DAP_OPEN, NULL},
    {"setExpression", dap_set_variable, 0, DAP_OPEN, NULL},
    {"completions", dap_completions, 0, DAP_OPEN, NULL},
    {"modules", dap_modules, 0, DAP_OPEN, NULL},
    {"source", dap_source, 0, DAP_OPEN, NULL},
    {"loadedSources", dap_loaded_sources, 0, DAP_OPEN, NULL},
    {"breakpointLocations", dap_breakpoint_locations, 0, DAP_OPEN, NULL},

    {"setBreakpoints", dap_set_breakpoints, 0, DAP_OPEN, "Looking for log points"},
    {"setFunctionBreakpoints", dap_set_function_breakpoints, 0, DAP_OPEN, NULL},
    {"setInstructionBreakpoints", dap_set_instruction_breakpoints, 0, DAP_OPEN, NULL},
    {"dataBreakpointInfo", dap_data_breakpoint_info, 0, DAP_OPEN, NULL},
    {"setDataBreakpoints", dap_set_data_breakpoints, 0, DAP_OPEN, NULL},
    {"setExceptionBreakpoints", dap_set_exception_breakpoints, 0, DAP_OPEN, NULL},
    {"exceptionInfo", dap_exception_info, 0, DAP_OPEN, NULL},

    {"continue", dap_move, MOVE_CONTINUE, DAP_OPEN, "Running forward"},
    {"reverseContinue", dap_move, MOVE_CONTINUE | DAP_BACKWARD, DAP_OPEN, "Running back"},
    {"next", dap_move, MOVE_NEXT, DAP_OPEN, "Stepping over"},
    {"stepIn", dap_move, MOVE_STEP, DAP_OPEN, "Stepping in"},
    {"stepOut", dap_move, MOVE_FINISH, DAP_OPEN, "Stepping out"},
    {"stepBack", dap_move, MOVE_NEXT | DAP_BACKWARD, DAP_OPEN, "Stepping back"},
    {"ebb/reverseStepIn", dap_move, MOVE_STEP | DAP_BACKWARD, DAP_OPEN, "Stepping back in"},
    {"ebb/reverseStepOut", dap_move, MOVE_FINISH | DAP_BACKWARD, DAP_OPEN, "Stepping back out"},
    {"pause", dap_pause, 0, DAP_OPEN, NULL},
    {"gotoTargets", dap_goto_targets, 0, DAP_OPEN, NULL},
    {"goto", dap_goto, 0, DAP_OPEN, "Running to the line"},
    {"restartFrame", dap_restart_frame, 0, DAP_OPEN, "Going back to the call"},

    {"readMemory", dap_read_memory, 0, DAP_OPEN, NULL},
    {"disassemble", dap_disassemble, 0, DAP_OPEN, NULL},

    {"ebb/history", dap_history, 0, DAP_OPEN, "Looking for changes"},
    {"ebb/whoWrote", dap_who_wrote, 0, DAP_OPEN, "Looking for the last store"},
    {"ebb/becameTrue", dap_became_true, 0, DAP_OPEN, "Looking for the moment"},
    {"ebb/runToLine", dap_run_to_line, 0, DAP_OPEN, "Running to the line"},
    {"ebb/timeline", dap_timeline, 0, DAP_OPEN, NULL},
    {"ebb/goto", dap_go_to_moment, 0, DAP_OPEN, "Going to the moment"},
    {"ebb/undo", dap_undo, 0, DAP_OPEN, "Going back to where it was"},
    {"ebb/redo", dap_undo, 1, DAP_OPEN, "Going there again"},
    {"ebb/bookmarks", dap_bookmarks, 0, DAP_OPEN, NULL},
};

/* --- what is sent ----------------------------------------------------------------------------- */

static void begin_body(struct dap *s)
{
    s->body = (struct json){.out = open_memstream(&s->body_bytes, &s->body_size)};
    if (!s->body.out)
        abort(); /* out of memory */
}

static void end_body(struct dap *s)
{
    fclose(s->body.out);
    s->body.out = NULL;
}

struct json *dap_body(struct dap *s)
{
    return &s->body;
}

struct dap_sending {
    FILE *out;
    char *bytes;
    size_t size;
    struct json json;
};

static void sending_begin(struct dap *s, struct dap_sending *m, const char *type)
{
    *m = (struct dap_sending){0};
    m->out = open_memstream(&m->bytes, &m->size);
    if (!m->out)
        abort();
    m->json = (struct json){.out = m->out};
    json_open(&m->json, NULL, '{');
    json_unsigned(&m->json, "seq", ++s->seq);
    json_string(&m->json, "type", type);
}

static void sending_end(struct dap *s, struct dap_sending *m)
{
    json_close(&m->json, '}');
    fclose(m->out);
    dap_wire_send(s->wire, m->bytes, m->size);
    free(m->bytes);
}

static void respond(struct dap *s, const struct error *err)
{
    struct dap_sending m;
    const char *command = s->message->command;
    bool cancelled = err && (s->message->is_cancelled || dap_wire_was_cancelled(s->wire));
    sending_begin(s, &m, "response");
    json_signed(&m.json, "request_seq", s->message->seq);
    json_bool(&m.json, "success", !err);
    json_string(&m.json, "command", command ? command : "");
    if (err) {
        json_string(&m.json, "message", cancelled ? "cancelled" : error_text(err));
        json_open(&m.json, "body", '{');
        json_open(&m.json, "error", '{');
        json_unsigned(&m.json, "id", 1 + (unsigned)error_code(err));
        json_string(&m.json, "format", error_text(err));
        json_bool(&m.json, "showUser", !cancelled);
        json_close(&m.json, '}');
        json_close(&m.json, '}');
    } else if (s->body_size) {
        fprintf(m.out, ",\"body\":{%s}", s->body_bytes);
    }
    sending_end(s, &m);
    s->is_answered = true;
}

void dap_answer(struct dap *s)
{
    if (s->is_answered)
        return;
    fflush(s->body.out);
    respond(s, NULL);
}

/* Only one event is written at a time. */
static struct dap_sending event;

struct json *dap_event(struct dap *s, const char *name)
{
    assert(!event.out);
    sending_begin(s, &event, "event");
    json_string(&event.json, "event", name);
    json_open(&event.json, "body", '{');
    return &event.json;
}

void dap_event_end(struct dap *s)
{
    json_close(&event.json, '}');
    sending_end(s, &event);
    event = (struct dap_sending){0};
}

void dap_output(struct dap *s, const char *category, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    struct json *j = dap_event(s, "output");
    json_string(j, "category", category);
    json_string(j, "output", text);
    dap_event_end(s);
    free(text);
}

void dap_invalidated(struct dap *s, const char *area)
{
    if (!s->knows_invalidated)
        return;
    struct json *j = dap_event(s, "invalidated");
    json_open(j, "areas", '[');
    json_string(j, NULL, area);
    json_close(j, ']');
    dap_event_end(s);
}

void dap_moment(struct json *j, const char *key, struct moment at)
{
    char *text = debug_moment_text(at);
    json_string(j, key, text);
    free(text);
}

/* --- progress --------------------------------------------------------------------------------- */

static void dap_tell_progress(struct dap *s, double now)
{
    char id[32];
    snprintf(id, sizeof id, "ebb-%u", s->progress_number);
    bool starts = !s->progress_shown;
    struct json *j = dap_event(s, starts ? "progressStart" : "progressUpdate");
    json_string(j, "progressId", id);
    if (starts) {
        json_string(j, "title", s->title);
        json_signed(j, "requestId", s->message->seq);
        json_bool(j, "cancellable", true);
    }
    if (s->debug && s->debug->motion.all) {
        char *words = debug_motion_words(&s->debug->motion);
        json_string(j, "message", words);
        free(words);
        json_unsigned(j, "percentage", debug_motion_percent(&s->debug->motion));
    }
    dap_event_end(s);
    if (starts)
        dap_wire_progress(s->wire, id);
    s->progress_shown = true;
    s->told = now;
}

/* An interruption that came before the movement had begun is repeated. */
void dap_progress(void *context, const struct session_progress *p)
{
    struct dap *s = context;
    double now = debug_seconds_now();
    (void)p;
    if (dap_wire_wants_end(s->wire))
        debug_interrupt();
    if (s->knows_progress && now - s->began > progress_after && now - s->told > progress_every)
        dap_tell_progress(s, now);
}

static void end_progress(struct dap *s)
{
    char id[32];
    if (!s->progress_shown)
        return;
    snprintf(id, sizeof id, "ebb-%u", s->progress_number);
    struct json *j = dap_event(s, "progressEnd");
    json_string(j, "progressId", id);
    dap_event_end(s);
    s->progress_shown = false;
}

/* A sentence of the debugger. It is kept until the current event is complete. */
void dap_say(void *context, const char *bytes, size_t size)
{
    struct dap *s = context;
    char *longer = xformat("%s%.*s", s->spoken ? s->spoken : "", (int)size, bytes);
    free(s->spoken);
    s->spoken = longer;
}

static void say_spoken(struct dap *s)
{
    if (s->spoken)
        dap_output(s, "console", "%s", s->spoken);
    free(s->spoken);
    s->spoken = NULL;
}

/* --- arguments -------------------------------------------------------------------------------- */

struct error *dap_text(const struct json_value *args, const char *key, const char **ret)
{
    const struct json_value *v = json_member(args, key);
    if (!v || v->kind != JSON_STRING)
        return error_coded(ERROR_MISUSED, "'%s' %s", key, v ? "is not a string" : "is missing");
    *ret = v->text;
    return NULL;
}

struct error *dap_integer(const struct json_value *args, const char *key, i64 *ret)
{
    const struct json_value *v = json_member(args, key);
    if (!v || v->kind != JSON_NUMBER || !v->is_integer)
        return error_coded(ERROR_MISUSED, "'%s' %s", key, v ? "is not an integer" : "is missing");
    *ret = v->integer;
    return NULL;
}

/* --- one request ------------------------------------------------------------------------------ */

static const struct dap_request *find_request(const char *name)
{
    for (size_t i = 0; i < countof(requests); i++)
        if (strcmp(requests[i].name, name) == 0)
            return &requests[i];
    return NULL;
}

static struct error *check_request(struct dap *s, const struct json_value *args)
{
    const struct dap_message *m = s->message;
    if (!m->content)
        return error_coded(ERROR_MISUSED, "%s", m->why);
    const char *type = json_member_text(m->content, "type", NULL);
    if (!type)
        return error_coded(ERROR_MISUSED, "a message has a type");
    if (!m->command)
        return error_coded(ERROR_MISUSED, "a request has a command");
    if (m->is_cancelled)
        return error_coded(ERROR_INTERRUPTED, "cancelled");
    s->request = find_request(m->command);
    if (!s->request)
        return error_coded(ERROR_NOT_FOUND, "there is no request '%.80s'", m->command);
    if (args && args->kind != JSON_OBJECT && args->kind != JSON_NULL)
        return error_coded(ERROR_MISUSED, "'arguments' is not an object");
    if (s->request->when >= DAP_INITIALIZED && !s->is_initialized)
        return error_coded(ERROR_MISUSED, "'%s' may come only after 'initialize'", m->command);
    if (s->request->when == DAP_OPEN && !s->debug)
        return error_coded(ERROR_MISUSED, "no recording is open yet: '%s' comes after 'launch'",
                           m->command);
    return NULL;
}

/* The request was already answered: tells the client where the session stands. */
static void tell_late(struct dap *s, const struct error *err)
{
    dap_output(s, "important", "%s\n", error_text(err));
    if (s->debug)
        dap_stopped(s, NULL, "pause", error_text(err));
}

/* True for a message that is not a request. */
static bool is_no_request(const struct dap_message *m)
{
    const char *type = json_member_text(m->content, "type", "");
    return strcmp(type, "response") == 0 || strcmp(type, "event") == 0;
}

static void dap_handle(struct dap *s, const struct dap_message *m)
{
    const struct json_value *args = json_member(m->content, "arguments");
    if (is_no_request(m))
        return;
    s->message = m;
    s->is_answered = false;
    s->began = debug_seconds_now();
    s->told = 0;
    s->progress_number++;
    dap_wire_begin(s->wire, m->seq);
    begin_body(s);
    struct error *err = check_request(s, args);
    if (!err) {
        invariant(1, s->request->when < DAP_OPEN || s->debug);
        s->title = s->request->title ? s->request->title : s->request->name;
        err = s->request->run(s, args);
    }
    end_body(s);
    end_progress(s);
    if (!s->is_answered)
        respond(s, err);
    else if (err)
        tell_late(s, err);
    say_spoken(s);
    dap_wire_end(s->wire);
    error_destroy(err);
    free(s->body_bytes);
    s->body_bytes = NULL;
    s->body_size = 0;
    if (s->request && (s->request->run == dap_launch || s->request->run == dap_attach) && !err)
        dap_event(s, "initialized"), dap_event_end(s);
    s->request = NULL;
}

/* Adds checkpoints while there is no request. */
static bool dap_idle(void *context)
{
    struct dap *s = context;
    return s->debug && session_idle(s->debug->session);
}

void dap_serve_client(struct dap_wire *w)
{
    struct dap s = {
        .wire = w,
        .first_line = 1,
        .first_column = 1,
        .views = LIST(struct dap_view *),
        .references = LIST(struct dap_reference),
        .breakpoints = LIST(struct dap_breakpoint *),
        .sources = LIST(char *),
        .targets = LIST(struct dap_goto_target),
    };
    struct dap_message *m;
    while (!s.is_over && (m = dap_wire_next(w, dap_idle, &s))) {
        dap_handle(&s, m);
        dap_message_destroy(m);
    }
    dap_close(&s);
    debug_strings_deinit(&s.sources);
    free(s.spoken);
}
