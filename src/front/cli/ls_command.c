/* ebb ls: lists recordings, oldest first. */
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
#include "log/copy_store.h"
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
           figures_date(date, rec->meta.started), figures_bytes(size, recording_size_own(rec)),
           ending, command);
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

static void ls_print_name(const struct recording *rec)
{
    printf("%s\n", recording_text_name(rec));
}

static int ls(void (*print)(const struct recording *rec))
{
    struct recording **list;
    size_t count;
    struct error *err = recording_list(report_broken, &list, &count);
    if (err)
        return error_complain(err, 1);
    for (size_t i = 0; i < count; i++) {
        print(list[i]);
        recording_destroy(list[i]);
    }
    free(list);
    u64 shared = print == ls_print_line ? copy_store_shared() : 0;
    char size[FIGURES_ROOM];
    if (shared)
        printf("%-20s  %19s  %10s  %-22s\n", "(shared copies)", "", figures_bytes(size, shared),
               "of several recordings");
    int status = complain_if_unwritten();
    return status ? status : some_broken;
}

enum { LS_JSON = 1, LS_NAMES };

static const struct command_option ls_options[] = {
    {.id = LS_JSON, .name = "json",
     .help = "print one object per line, with times in nanoseconds since 1970"},
    {.id = LS_NAMES, .name = "names", .help = "print only the names"},
    {0},
};

static int ls_take(void *context, int id, const char *value)
{
    (void)value;
    *(int *)context = id;
    return 0;
}

static int ls_run(const struct command *c, int argc, char **argv)
{
    int at, form = 0;
    int status = command_read(c, argc, argv, ls_take, &form, &at);
    if (status)
        return status;
    if (at < argc)
        return command_one_too_many(c, argv[at]);
    return ls(form == LS_JSON ? ls_print_json : form == LS_NAMES ? ls_print_name : ls_print_line);
}

const struct command cli_ls = {
    .examples = {"ebb ls", "ebb ls --json"},
    .name = "ls",
    .run = ls_run,
    .operands = {""},
    .operand_kind = NAMES_NOTHING,
    .options = ls_options,
    .summary = "list the recordings",
    .about =
        "Lists the recordings in $EBB_RECORDINGS or ~/.local/share/ebb, oldest first: name, "
        "when it began, size, how the program ended, its command line. The size is what 'ebb rm' "
        "frees; copies of files that several recordings share have a line of their own.\n",
};
