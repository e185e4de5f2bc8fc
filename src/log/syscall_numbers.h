/* The numbers of the system calls by their names, CALL_read and so on, from the table.
 *
 * For code that makes a specific call for the guest, or prints it in a special way. The effects of
 * calls are columns of their rows (syscall_table.h), not lists of these numbers.
 */
#ifndef LOG_SYSCALL_NUMBERS_H
#define LOG_SYSCALL_NUMBERS_H

#define SYS(number, name, ...) CALL_##name = number,
#define SUB(number, name, ...) CALL_##name = number,
#define UNK(number, name, ...) CALL_##name = number,
enum syscall_number {
#include "log/syscalls.def"
};
#undef SYS
#undef SUB
#undef UNK

#endif
