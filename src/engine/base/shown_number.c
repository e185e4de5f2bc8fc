/* Process numbers that the guest sees: see shown_number.h. */
#include "engine/base/shown_number.h"

#include "engine/base/kernel.h"
#include "engine/base/settings.h"

enum { FIRST_PROCESS = 5000000 }; /* above the kernel's, which end at 1 << 22 */

static u32 first_process; /* its real number, or 0 */

void shown_number_start(void)
{
    if (settings.random)
        first_process = (u32)kernel_call(__NR_getpid);
}

u32 shown_number(u32 number)
{
    return first_process && number == first_process ? FIRST_PROCESS : number;
}

u64 real_number(u64 shown)
{
    return first_process && (i32)shown == FIRST_PROCESS ? first_process : shown;
}
