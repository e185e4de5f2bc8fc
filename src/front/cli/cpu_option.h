/* --cpu=LEVEL: which processor the program is shown. */
#ifndef FRONT_CPU_OPTION_H
#define FRONT_CPU_OPTION_H

#include "front/cli/setting_list.h"

/* Adds the setting for it; 0, or a status of ebb's after a complaint. */
int cpu_option_add(struct setting_list *settings, const char *level);

/* The lines of the help. */
#define CPU_OPTION_HELP                                                                        \
    "  --cpu=LEVEL        show the program less of the processor than there is, so that it\n"   \
    "                     keeps to what other machines have, too: baseline (x86-64-v3: AVX2,\n" \
    "                     FMA, BMI2, AES, but no AVX-512 or what only one vendor has), v3 (the\n" \
    "                     same), v2 (SSE4.2, no AVX), host (all there is, as without it)\n"

#endif
