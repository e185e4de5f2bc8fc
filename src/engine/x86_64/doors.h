/* The doors: the few pieces of code at the head of the cache through which the engine and
 * translated code come to each other.  Generated, because they name struct cpu by its address. */
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
    u32 call_check; /* in it: a signal from here */
    u32 call_made;  /* to here */
    u32 call_slow;  /* must go there */
    u32 emulate;
    u32 bare; /* all that has changed is in cpu: leaves without saving anything */
    u32 site;
    u32 data; /* rip and `after` are set */
    u32 data_fine; /* the same, with rcx in its slot, an address in ecx, and data_bits: if the
                    * fine map knows of none, on to `after` */
    u32 data_read; /* in it: reads the fine map, which faults if the guest has alignment checks
                    * on */
    u32 data_unread; /* must go there then: the engine is asked */
};

extern struct doors doors;

/* Writes them at `at`; returns their end. */
u8 *doors_make(u8 *at);

#endif
