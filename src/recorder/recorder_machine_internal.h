/* Describes the machine on which a recording is made. */
#ifndef RECORDER_MACHINE_INTERNAL_H
#define RECORDER_MACHINE_INTERNAL_H

#include "log/recording.h"

/* Fills kernel, cpu, features and recorder. */
void recorder_describe_machine(struct recording_meta *meta);

#endif
