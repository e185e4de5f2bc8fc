/* Is this run being recorded, or replayed from a recording? */
#ifndef ENGINE_LOG_MODE_H
#define ENGINE_LOG_MODE_H

enum log_mode {
    LOG_OFF,
    LOG_RECORD,
    LOG_REPLAY,
    LOG_SCRATCH, /* a copy of a replaying process that was changed, and has left the log */
};

extern enum log_mode log_mode;

/* Takes it from the settings. */
void log_mode_start(void);

#endif
