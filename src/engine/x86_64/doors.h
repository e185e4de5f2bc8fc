/* The doors: short pieces of code at the head of the cache through which control passes between the
 * engine and translated code. Generated, because they name struct cpu by its address. */
#ifndef ENGINE_DOORS_H
#define ENGINE_DOORS_H

#include "base/types.h"

struct doors {
    u32 in;      /* rdi = cpu: loads the guest's registers, goes to cpu->entry */
    u32 out;     /* exit_reason is set, all guest registers are in place: saves them and leaves */
    u32 missed;  /* from the look-up: rcx = target; rcx and r11 are borrowed */
    u32 missed_plain; /* the same without r11 borrowed */
    u32 link;         /* these set the reason and leave; rip or exit_data are set */
    u32 ticks;
    u32 syscall; /* rip is after it, `after` says where to continue */
    u32 call_check; /* inside it: signals are checked from here */
    u32 call_made;  /* to here */
    u32 call_slow;  /* to there */
    u32 emulate;
    u32 bare; /* all changes are in cpu: leaves without saving anything */
    u32 site;
    u32 data; /* rip and `after` are set */
    /* the same, with rcx in its slot, an address in ecx, and data_bits: continues at `after` if the
     * fine map has no mark */
    u32 data_fine;
    /* inside it: reads the fine map, which faults if the guest has alignment checks enabled */
    u32 data_read;
    u32 data_unread; /* where execution continues then: the engine decides */
};

extern struct doors doors;

/* Writes them at `at`; returns their end. */
u8 *doors_make(u8 *at);

#endif
