/* Putting a terminal back in a signal's handler; see terminal_rescue.h. */
#include "cli/screen/terminal_rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The last two are the loop's, and blocked but for terminal_rescue_let_end. */
static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGTRAP, SIGSYS, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* A handler has no context: this is its. It is changed only while no handler is in place. */
static struct terminal_rescue {
    int fd;
    char sequences[256];
    size_t length;
    struct termios before;
    struct sigaction old[SIGNALS];
    char stack[16384]; /* of the handler: the fault may be that the other one is full */
} rescue;

/* What a terminal does not take, because it was stopped or its connection is, is not waited for. */
static void write_sequences(void)
{
    int flags = fcntl(rescue.fd, F_GETFL);
    size_t done = 0;
    ssize_t part = 0;
    fcntl(rescue.fd, F_SETFL, flags | O_NONBLOCK);
    do {
        part = write(rescue.fd, rescue.sequences + done, rescue.length - done);
        done += part > 0 ? (size_t)part : 0;
    } while (done < rescue.length && (part > 0 || errno == EINTR));
    fcntl(rescue.fd, F_SETFL, flags);
}

/* System calls alone; all of these may be called in a handler. */
static void put_back(int signal)
{
    write_sequences();
    tcsetattr(rescue.fd, TCSANOW, &rescue.before);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &rescue.old[i], NULL);
    if (signal == SIGTERM || signal == SIGHUP) /* ncurses has put a handler there that writes, and waits */
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    raise(signal); /* it is blocked until this returns */
}

void terminal_rescue_arm(int fd, const char *sequences, const struct termios *before)
{
    struct sigaction action = {.sa_handler = put_back, .sa_flags = SA_ONSTACK};
    stack_t stack = {.ss_sp = rescue.stack, .ss_size = sizeof rescue.stack};
    rescue.fd = fd;
    rescue.length = (size_t)snprintf(rescue.sequences, sizeof rescue.sequences, "%s", sequences);
    if (rescue.length >= sizeof rescue.sequences)
        rescue.length = sizeof rescue.sequences - 1;
    rescue.before = *before;
    sigfillset(&action.sa_mask);
    sigaltstack(&stack, NULL);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &rescue.old[i]);
}

void terminal_rescue_let_end(bool may)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    pthread_sigmask(may ? SIG_UNBLOCK : SIG_BLOCK, &ends, NULL);
}

void terminal_rescue_disarm(void)
{
    stack_t none = {.ss_flags = SS_DISABLE};
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &rescue.old[i], NULL);
    sigaltstack(&none, NULL);
}
