/* What commands say about a whole recording: see the header. */
#include "front/cli/recording_text.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static const char *const states[] = {
    [RECORDING_RUNNING] = "running", [RECORDING_ENDED] = "ended", [RECORDING_CUT] = "cut",
};

static char *signal_name(int number)
{
    const char *name = sigabbrev_np(number);
    return name ? xformat("SIG%s", name) : xformat("signal %d", number);
}

char *recording_text_ending(const struct recording_meta *meta)
{
    const char *cut = meta->state == RECORDING_CUT ? ", recorded in part" : "";
    if (meta->state == RECORDING_RUNNING)
        return xformat("running, or its recorder was killed");
    if (!meta->signal)
        return xformat("status %d%s%s", meta->status, meta->core ? ", core dumped" : "", cut);
    char *name = signal_name(meta->signal);
    char *ret = xformat("%s%s%s", name, meta->core ? ", core dumped" : "", cut);
    free(name);
    return ret;
}

static bool is_plain(const char *word)
{
    return *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "@%+=:,./_-") == strlen(word);
}

/* Writes a word quoted for a shell; control characters are shown as escapes. */
static void put_word(FILE *out, const char *word)
{
    if (is_plain(word)) {
        fputs(word, out);
        return;
    }
    bool escapes = false;
    for (const u8 *at = (const u8 *)word; *at; at++)
        escapes |= *at < 32 || *at == 127;
    fputs(escapes ? "$'" : "'", out);
    for (const u8 *at = (const u8 *)word; *at; at++) {
        if (*at < 32 || *at == 127)
            fprintf(out, "\\x%02x", *at);
        else if (escapes && (*at == '\'' || *at == '\\'))
            fprintf(out, "\\%c", *at);
        else if (*at == '\'')
            fputs("'\\''", out);
        else
            fputc(*at, out);
    }
    fputc('\'', out);
}

char *recording_text_command(const struct recording_meta *meta)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return xformat("?");
    for (size_t i = 0; meta->arguments && meta->arguments[i]; i++) {
        if (i)
            fputc(' ', out);
        put_word(out, meta->arguments[i]);
    }
    fclose(out);
    return text;
}

const char *recording_text_name(const struct recording *rec)
{
    const char *slash = strrchr(rec->path, '/');
    return slash && slash[1] ? slash + 1 : rec->path;
}

void recording_text_json(struct json *j, const struct recording *rec)
{
    const struct recording_meta *meta = &rec->meta;
    json_string(j, "path", rec->path);
    json_bytes(j, "id", meta->id, sizeof meta->id);
    json_string(j, "state", states[meta->state]);
    json_string(j, "why", meta->why);
    json_string(j, "program", meta->program);
    json_open(j, "arguments", '[');
    for (size_t i = 0; meta->arguments && meta->arguments[i]; i++)
        json_string(j, NULL, meta->arguments[i]);
    json_close(j, ']');
    json_string(j, "directory", meta->directory);
    json_unsigned(j, "started", meta->started);
    json_unsigned(j, "ended", meta->ended);
    json_signed(j, "status", meta->status);
    json_signed(j, "signal", meta->signal);
    json_bool(j, "core", meta->core);
    json_unsigned(j, "size", recording_size(rec));
    json_unsigned(j, "own", recording_size_own(rec));
    json_string(j, "kernel", meta->kernel);
    json_string(j, "cpu", meta->cpu);
    json_string(j, "recorder", meta->recorder);
}
