/* What the files of recording share: building an event in the ring. */
#ifndef ENGINE_RECORD_INTERNAL_H
#define ENGINE_RECORD_INTERNAL_H

#include "engine/base/text.h"
#include "engine/log/log.h"

enum { NANOSECONDS = 1000000000 };

struct call;

struct record_moment {
    u64 tick, pc, hash, time;
};
u64 record_tsc(void);
u64 record_clock_ns(u32 clock);
struct record_moment record_now(void);

struct record_event {
    struct event *event; /* NULL: ebb is gone, and additions are dropped */
    u8 *at, *end;
    u16 *flags;          /* where EVENT_MORE is set (the low half, if they have 32 bits) */
};

/* The state of recording. */
extern struct record_state {
    bool gone;         /* ebb is gone: the program continues, and nothing more is written */
    bool shares_files; /* some files were mapped shared, */
    bool private_files; /* or privately, and may change */
    bool memory_files; /* /proc/self/mem may have been opened */
    bool shared_open;  /* `shared` was begun: */
    struct record_event shared; /* an event of shared memory; in a call the moment is the call's */
    struct aside *unused;       /* of record_calls.c */
    u64 next_check;             /* a tick */
    u64 recent_files;           /* number of copied files that had been written just before */
    u64 frequency;              /* of the time stamp counter */
    u64 here_time, here_turn; /* when, and at which turn, the recorder was last told the position */
    u64 grant;                  /* ticks until the next time */
    u64 snapshot_time;          /* when observer.snapshot is to be called next, */
    bool snapshot_due;          /* and that this time has passed; */
    bool snapshot_eager;        /* or it is to be tested at every boundary */
    char limit[256];            /* the last reported fact that a replay cannot reproduce */
    bool damage_noted;          /* the program has written into the engine's memory */
} record;

/* Begins an event; false if ebb is gone. */
bool record_build(struct record_event *b, u16 kind, const struct record_moment *at);
void record_publish(struct record_event *b);

/* Most are structures of a few words, which the compiler copies with moves. */
static inline __attribute__((always_inline)) void *record_add(struct record_event *b,
                                                              const void *bytes, u64 size)
{
    void *place = b->at;
    u64 padded = format_padded(size);
    if (padded != size)
        memset(b->at + size, 0, padded - size);
    __builtin_memcpy(place, bytes, size);
    b->at += padded;
    return place;
}

/* Adds bytes of the engine or the guest, in as many pieces as needed. */
void record_piece(struct record_event *b, u32 kind, u64 address, const void *bytes, u64 size);
/* The kernel or the engine has written to guest memory: a call_visit, with the event as context. */
void record_written(void *event, struct gaddr at, u64 size);

/* record_start.c */
void record_start(struct loader_request *request, struct signals_inherited *inherited);
/* The START of a track. */
bool record_build_start(struct record_event *b, const struct record_moment *at);

/* record.c: the ring of this process image. */
void record_open_ring(void);

/* record_calls.c */
enum log_answer record_call_begins(const struct call *call, i64 *result);
void record_call_ends(const struct call *call, i64 result);
i64 record_pass(const struct call *call);
void record_reached(u64 end);

/* record_maps.c */
void record_map(const struct mapping *m, u64 at);

#endif
