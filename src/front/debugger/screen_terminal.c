/* The terminal below a screen: see screen.h.
 *
 *   left --enter--> entered --leave, exit--> left
 *                   entered --SIGTSTP--> given back, suspended --continued--> entered
 *                   entered --a signal that ends the program--> given back, ended by it
 *
 * The code that restores the terminal runs in signal handlers: it only makes system calls.
 */
#include "front/debugger/screen_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "base/xalloc.h"

/* Switches to the alternate screen, and back. */
static const char enters[] = "\033[?1049h\033[2J";
static const char leaves[] = "\033[0m\033[?25h\033[?1049l";

static const int endings[] = {SIGHUP, SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGTERM,
                              SIGSYS, SIGTRAP};

static volatile sig_atomic_t entered, came_back;
static struct termios before, raw;
static struct sigaction actions[countof(endings)], action_tstp;
static int terminal = -1, old_stdout = -1, old_stderr = -1, printed = -1;
static volatile off_t printed_seen;

/* --- what handlers may call ------------------------------------------------------------------- */

static void terminal_write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EAGAIN)
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        else if (n < 0 && errno != EINTR)
            return;
        size -= n > 0 ? (size_t)n : 0;
        bytes += n > 0 ? n : 0;
    }
}

static void take_over(void)
{
    tcsetattr(terminal, TCSADRAIN, &raw);
    terminal_write_all(terminal, enters, sizeof enters - 1);
}

static void give_back(void)
{
    terminal_write_all(terminal, leaves, sizeof leaves - 1);
    tcsetattr(terminal, TCSADRAIN, &before);
}

/* Output that was never shown is written to its original descriptor. */
static void hand_out_printed(void)
{
    char bytes[512];
    ssize_t n;
    dup2(old_stdout, STDOUT_FILENO);
    dup2(old_stderr, STDERR_FILENO);
    while ((n = pread(printed, bytes, sizeof bytes, printed_seen)) > 0) {
        terminal_write_all(STDERR_FILENO, bytes, (size_t)n);
        printed_seen += n;
    }
}

static void on_end(int number)
{
    if (entered) {
        entered = 0;
        give_back();
        hand_out_printed();
    }
    raise(number); /* its action is the default again */
}

static void on_suspend(int number)
{
    int error = errno;
    sigset_t only, mask;
    struct sigaction mine, plain = {.sa_handler = SIG_DFL};
    if (entered)
        give_back();
    sigaction(SIGTSTP, &plain, &mine);
    sigemptyset(&only);
    sigaddset(&only, SIGTSTP);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &only, &mask); /* stops here until it is continued */
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGTSTP, &mine, NULL);
    if (entered)
        take_over();
    came_back = 1;
    errno = error;
}

/* --- entering and leaving --------------------------------------------------------------------- */

static void catch_signals(void)
{
    struct sigaction ending = {.sa_handler = on_end, .sa_flags = SA_RESETHAND};
    struct sigaction suspending = {.sa_handler = on_suspend, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < countof(endings); i++)
        sigaction(endings[i], &ending, &actions[i]);
    sigaction(SIGTSTP, &suspending, &action_tstp);
}

static void release_signals(void)
{
    for (size_t i = 0; i < countof(endings); i++)
        sigaction(endings[i], &actions[i], NULL);
    sigaction(SIGTSTP, &action_tstp, NULL);
}

static void close_all(void)
{
    int *all[] = {&terminal, &old_stdout, &old_stderr, &printed};
    for (size_t i = 0; i < countof(all); i++) {
        if (*all[i] >= 0)
            close(*all[i]);
        *all[i] = -1;
    }
}

static int terminal_copy_of(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static struct error *open_all(void)
{
    terminal = terminal_copy_of(STDOUT_FILENO);
    old_stdout = terminal_copy_of(STDOUT_FILENO);
    old_stderr = terminal_copy_of(STDERR_FILENO);
    printed = memfd_create("ebb-printed", MFD_CLOEXEC);
    if (terminal < 0 || old_stdout < 0 || old_stderr < 0 || printed < 0 ||
        fcntl(printed, F_SETFL, O_APPEND) < 0 || tcgetattr(terminal, &before) < 0) {
        struct error *err = error_errno(errno, "cannot take over the terminal");
        close_all();
        return err;
    }
    return NULL;
}

/* Keys are delivered one by one, without echo; Ctrl-C and Ctrl-Z are still signals. */
static void make_raw(void)
{
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VQUIT] = _POSIX_VDISABLE;
}

struct error *screen_terminal_enter(void)
{
    static bool leaves_at_exit;
    if (entered)
        return error_coded(ERROR_UNAVAILABLE, "the screen is open already");
    struct error *err = open_all();
    if (err)
        return err;
    if (!leaves_at_exit)
        atexit(screen_terminal_leave);
    leaves_at_exit = true;
    make_raw();
    fflush(stdout);
    fflush(stderr);
    printed_seen = 0;
    catch_signals();
    entered = 1;
    take_over();
    dup2(printed, STDOUT_FILENO);
    dup2(printed, STDERR_FILENO);
    return NULL;
}

void screen_terminal_leave(void)
{
    if (!entered)
        return;
    fflush(stdout);
    fflush(stderr);
    entered = 0;
    give_back();
    release_signals();
    hand_out_printed();
    close_all();
}

void screen_terminal_write(const char *bytes, size_t size)
{
    terminal_write_all(terminal, bytes, size);
}

/* The file is emptied when all of it was returned. */
char *screen_terminal_printed(void)
{
    fflush(stdout);
    fflush(stderr);
    off_t end = lseek(printed, 0, SEEK_END);
    if (end <= printed_seen)
        return NULL;
    size_t size = (size_t)(end - printed_seen);
    char *text = xalloc(size + 1);
    ssize_t n = pread(printed, text, size, printed_seen);
    text[n > 0 ? n : 0] = '\0';
    printed_seen = ftruncate(printed, 0) == 0 ? 0 : end;
    return text;
}

bool screen_terminal_came_back(void)
{
    bool did = came_back;
    came_back = 0;
    return did;
}
