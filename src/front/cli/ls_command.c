/* ebb ls: the recordings there are, oldest first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "front/cli/cli.h"
#include "front/cli/figures.h"
#include "base/json_text.h"
#include "front/cli/recording_text.h"
#include "log/channel.h"
#include "log/recording.h"

static bool some_broken;

static void report_broken(struct error *err)
{
    some_broken = true;
    error_complain(err, 1);
}

static void ls_print_line(const struct recording *rec)
{
    char date[FIGURES_ROOM], size[FIGURES_ROOM];
    char *ending = recording_text_ending(&rec->meta);
    char *command = recording_text_command(&rec->meta);
    printf("%-20s  %s  %10s  %-22s  %s\n", recording_text_name(rec),
           figures_date(date, rec->meta.started), figures_bytes(size, recording_size(rec)), ending,
           command);
    free(command);
    free(ending);
}

static void ls_print_json(const struct recording *rec)
{
    struct json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_string(&j, "name", recording_text_name(rec));
    recording_text_json(&j, rec);
    json_close(&j, '}');
    json_line(&j);
}

int cli_ls(int argc, char **argv)
{
    bool json = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") != 0)
            return complain(CHANNEL_EXIT_USAGE, "ls takes no '%s'; see 'ebb help ls'", argv[i]);
        json = true;
    }
    struct recording **list;
    size_t count;
    struct error *err = recording_list(report_broken, &list, &count);
    if (err)
        return error_complain(err, 1);
    for (size_t i = 0; i < count; i++) {
        (json ? ls_print_json : ls_print_line)(list[i]);
        recording_destroy(list[i]);
    }
    free(list);
    int status = complain_if_unwritten();
    return status ? status : some_broken;
}

void cli_ls_explain(void)
{
    printf("\n"
           "Those in $EBB_RECORDINGS or ~/.local/share/ebb, oldest first: name, when it began, size,\n"
           "how the program ended, its command line.\n"
           "\n"
           "  --json   an object a line, with times in nanoseconds since 1970\n");
}
