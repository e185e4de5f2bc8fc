/* --cpu=LEVEL: which processor features the program sees. */
#ifndef COMMAND_CPU_OPTION_H
#define COMMAND_CPU_OPTION_H

#include "command/setting_list.h"

/* Adds the setting; returns 0, or an exit status after a complaint. */
int cpu_option_add(struct setting_list *settings, const char *level);

/* The row of a command's options. */
#define CPU_OPTION(id_)                                                                            \
    {                                                                                              \
        .id = id_, .name = "cpu", .value = "LEVEL", .kind = NAMES_WORD,                            \
        .words = "baseline v3 v2 host",                                                            \
        .help =                                                                                    \
            "show the program fewer processor features than there are, so that the recording "     \
            "replays on "                                                                          \
            "other machines: baseline (x86-64-v3: AVX2, FMA, BMI2, AES, but not AVX-512 or what "  \
            "only one "                                                                            \
            "vendor has), v3 (the same), v2 (SSE4.2, no AVX), host (all features, the default)"    \
    }

#endif
