/* What the files of recording share: putting an event together in the ring. */
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
    struct event *event; /* NULL: ebb is gone, and what is added goes nowhere */
    u8 *at, *end;
    u16 *flags;          /* where EVENT_MORE goes (the low half, where they are 32 bits) */
};

/* The state of recording. */
extern struct record_state {
    bool gone;         /* ebb is: the program goes on, and nothing is written any more */
    bool shares_files; /* some have been mapped shared, */
    bool private_files; /* or privately, and may change */
    bool memory_files; /* some may have been opened: /proc/self/mem */
    bool shared_open;  /* `shared` has been begun: */
    struct record_event shared; /* an event of shared memory; in a call the moment is the call's */
    struct aside *unused;       /* of record_calls.c */
    u64 next_check;             /* a tick */
    u64 recent_files;           /* how many were copied that had been written just before */
    u64 frequency;              /* of the time stamp counter */
    u64 here_time, here_turn;   /* when and how often the recorder was told where the process is */
    u64 grant;                  /* ticks until the next time */
    u64 snapshot_time;          /* when observer.snapshot is to be asked next, */
    bool snapshot_due;          /* and that this is over; */
    bool snapshot_eager;        /* or it is to be looked at all the time */
    char limit[256];            /* what was last said to be beyond a replay */
    bool damage_noted;          /* the program was found to have written into the engine's memory */
} record;

/* Begins an event; false if ebb is gone. */
bool record_build(struct record_event *b, u16 kind, const struct record_moment *at);
void record_publish(struct record_event *b);

/* Most are structures of a few words, whose copying the compiler makes of moves. */
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

/* Bytes of the engine's or the guest's, in as many pieces as it takes. */
void record_piece(struct record_event *b, u32 kind, u64 address, const void *bytes, u64 size);
/* The kernel or the engine has written to the guest's memory: a call_visit, with the event. */
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
