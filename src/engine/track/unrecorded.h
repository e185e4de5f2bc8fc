/* The owner without a log: see unrecorded.c. */
#ifndef ENGINE_UNRECORDED_H
#define ENGINE_UNRECORDED_H

#include "engine/log/log.h"
#include "engine/x86_64/call.h"

extern const struct log_owner log_unrecorded;

/* Passes a call to the kernel with the guest's own arguments; also used by other owners. */
i64 unrecorded_pass(const struct call *call);
i64 unrecorded_pass_now(const struct call *call);

#endif
