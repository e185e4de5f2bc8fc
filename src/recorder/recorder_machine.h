/* What machine a recording was made on. */
#ifndef RECORDER_MACHINE_H
#define RECORDER_MACHINE_H

#include "log/recording.h"

/* Fills kernel, cpu, features and recorder. */
void machine_about(struct recording_meta *meta);

#endif
