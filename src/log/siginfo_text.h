/* Prints a siginfo_t: the signal, the name of its code, and the fields that have a meaning for that
 * code.
 *
 *     {si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=0x1234}
 *     {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=7, si_uid=0, si_status=3}
 */
#ifndef LOG_SIGINFO_TEXT_H
#define LOG_SIGINFO_TEXT_H

#include <stdio.h>

#include "base/types.h"

/* Which fields of a siginfo_t have a meaning, depending on the signal and the code. */
enum siginfo_shape { SIGINFO_BARE, SIGINFO_SENDER, SIGINFO_VALUE, SIGINFO_TIMER, SIGINFO_CHILD,
                     SIGINFO_FAULT, SIGINFO_POLL, SIGINFO_CALL };
enum siginfo_shape siginfo_shape(const void *info);

/* SEGV_MAPERR, SI_USER, ...; NULL: the code has no name. */
const char *siginfo_code_name(u32 signal, i32 code);

/* Prints all of it in braces; `info` has the kernel's 128 bytes. */
void siginfo_print(FILE *to, const void *info);
/* "SIGSEGV (SEGV_MAPERR, si_addr=0x1234)". */
void siginfo_print_short(FILE *to, u32 signal, const void *info);

#endif
