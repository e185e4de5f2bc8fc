/* What machine a recording was made on. */
#ifndef FRONT_MACHINE_ABOUT_H
#define FRONT_MACHINE_ABOUT_H

#include "log/recording.h"

/* Fills kernel, cpu, features and recorder. */
void machine_about(struct recording_meta *meta);

#endif
