/* The beginning and the end: initialize, launch, configurationDone, disconnect.
 *
 * `initialized` is sent when the recording is open, so that breakpoints can be resolved at once.
 * After configurationDone the client is told the current place: the end or the crash.
 */
#include <stdlib.h>
#include <string.h>

#include "front/dap/dap_internal.h"
#include "log/track_choice.h"

/* --- initialize ------------------------------------------------------------------------------- */

/* tests/dap/capabilities.py exercises each of them. */
static const char *const capabilities[] = {
    "supportsConfigurationDoneRequest",
    "supportsFunctionBreakpoints",
    "supportsConditionalBreakpoints",
    "supportsHitConditionalBreakpoints",
    "supportsEvaluateForHovers",
    "supportsStepBack",
    "supportsRestartFrame",
    "supportsGotoTargetsRequest",
    "supportsCompletionsRequest",
    "supportsModulesRequest",
    "supportsValueFormattingOptions",
    "supportsExceptionInfoRequest",
    "supportsDelayedStackTraceLoading",
    "supportsLoadedSourcesRequest",
    "supportsLogPoints",
    "supportsTerminateRequest",
    "supportsDataBreakpoints",
    "supportsReadMemoryRequest",
    "supportsDisassembleRequest",
    "supportsCancelRequest",
    "supportsBreakpointLocationsRequest",
    "supportsClipboardContext",
    "supportsSteppingGranularity",
    "supportsInstructionBreakpoints",
    "supportsExceptionFilterOptions",
    "supportsDataBreakpointBytes",
};

static void write_capabilities(struct json *j)
{
    for (size_t i = 0; i < countof(capabilities); i++)
        json_bool(j, capabilities[i], true);
    dap_exception_filters(j);
    json_open(j, "completionTriggerCharacters", '[');
    json_string(j, NULL, ".");
    json_string(j, NULL, ">");
    json_string(j, NULL, ":");
    json_close(j, ']');
}

struct error *dap_initialize(struct dap *s, const struct json_value *args)
{
    if (s->is_initialized)
        return error_coded(ERROR_MISUSED, "'initialize' has come before");
    s->first_line = json_member_truth(args, "linesStartAt1", true);
    s->first_column = json_member_truth(args, "columnsStartAt1", true);
    s->knows_progress = json_member_truth(args, "supportsProgressReporting", false);
    s->knows_invalidated = json_member_truth(args, "supportsInvalidatedEvent", false);
    s->knows_memory = json_member_truth(args, "supportsMemoryReferences", false);
    const char *format = json_member_text(args, "pathFormat", "path");
    if (strcmp(format, "path") != 0)
        return error_coded(ERROR_MISUSED, "paths are the only names of files here, not '%s'",
                           format);
    s->is_initialized = true;
    write_capabilities(dap_body(s));
    return NULL;
}

/* --- launch ----------------------------------------------------------------------------------- */

static struct error *open_track(struct dap *s, const struct json_value *args)
{
    u32 *tracks;
    size_t count;
    i64 track = json_member_integer(args, "track", -1);
    struct track_choice choice = {.one = track >= 0, .track = (u32)track};
    struct debug_client client = {.say = dap_say, .progress = dap_progress, .context = s};
    struct error *err = track_choose(&choice, s->rec, &tracks, &count);
    if (err)
        return err;
    bool at_start = json_member_truth(args, "stopOnEntry", false);
    struct debug *d = NULL;
    err = debug_open(s->rec, tracks[0], at_start, &client, &d);
    free(tracks);
    if (err)
        return err;
    s->debug = d;
    s->interpreter = interpreter_over(d);
    memcpy(s->signal_stops, d->signal_stops, sizeof s->signal_stops);
    return NULL;
}

static void tell_process(struct dap *s)
{
    struct json *j = dap_event(s, "process");
    json_string(j, "name", session_program(s->debug->session));
    json_unsigned(j, "systemProcessId", session_pid(s->debug->session));
    json_bool(j, "isLocalProcess", true);
    json_string(j, "startMethod", "launch");
    json_unsigned(j, "pointerSize", 64);
    json_string(j, "recording", s->rec->path);
    dap_event_end(s);
}

struct error *dap_launch(struct dap *s, const struct json_value *args)
{
    const char *recording = json_member_text(args, "recording", NULL);
    const struct json_value *program = json_member(args, "program");
    char *recorded = NULL;
    struct error *err = NULL;
    if (s->debug)
        return error_coded(ERROR_MISUSED, "a recording is open already");
    if (json_member_truth(args, "live", false))
        return error_coded(ERROR_MISUSED,
                           "live debugging is not offered: \"program\" is recorded, then opened");
    if (program && program->kind == JSON_STRING && !recording) {
        err = dap_record(s, args, &recorded);
        recording = recorded;
    } else if (!recording && json_member(args, "recording")) {
        err = error_coded(ERROR_MISUSED, "'recording' is not a string");
    } else if (program && !recording) {
        err = error_coded(ERROR_MISUSED, "'program' is not a string");
    }
    s->title = "Opening the recording";
    if (!err) /* no name: the newest recording */
        err = recording_open(recording && *recording ? recording : NULL, &s->rec);
    free(recorded);
    if (!err)
        err = open_track(s, args);
    if (err) {
        dap_close(s);
        return err;
    }
    dap_answer(s);
    tell_process(s);
    return NULL;
}

struct error *dap_attach(struct dap *s, const struct json_value *args)
{
    if (json_member(args, "recording"))
        return dap_launch(s, args);
    return error_coded(ERROR_MISUSED,
                       "ebb cannot attach to a running process: launch with \"program\", which is "
                       "recorded, or with \"recording\"");
}

struct error *dap_configuration_done(struct dap *s, const struct json_value *args)
{
    (void)args;
    if (s->is_configured)
        return error_coded(ERROR_MISUSED, "'configurationDone' has come before");
    s->is_configured = true;
    dap_answer(s);
    dap_say_opened(s);
    return NULL;
}

/* --- the end ---------------------------------------------------------------------------------- */

void dap_close(struct dap *s)
{
    dap_forget_views(s);
    dap_breakpoints_deinit(s);
    dap_targets_forget(s);
    free(s->exception.id);
    free(s->exception.description);
    s->exception = (struct dap_exception){0};
    interpreter_destroy(s->interpreter);
    s->interpreter = NULL;
    debug_close(s->debug);
    s->debug = NULL;
    recording_destroy(s->rec);
    s->rec = NULL;
}

/* terminate is followed by disconnect, and only disconnect ends the server. */
struct error *dap_disconnect(struct dap *s, const struct json_value *args)
{
    (void)args;
    dap_answer(s);
    if (s->request->which) {
        dap_event(s, "terminated");
        dap_event_end(s);
        return NULL;
    }
    s->is_over = true;
    return NULL;
}
