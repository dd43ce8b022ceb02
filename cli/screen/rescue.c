/* Putting a terminal back in a signal's handler; see rescue.h. */
#include "cli/screen/rescue.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGTRAP, SIGSYS};
enum { FAULTS = sizeof faults / sizeof *faults };

/* A handler has no context: this is its. It is changed only while no handler is in place. */
static struct rescue {
    int fd;
    char sequences[256];
    size_t length;
    struct termios before;
    struct sigaction old[FAULTS];
    char stack[16384]; /* of the handler: the fault may be that the other one is full */
} rescue;

/* System calls alone; all of these may be called in a handler. */
static void put_back(int signal)
{
    size_t done = 0;
    ssize_t part = 0;
    do {
        part = write(rescue.fd, rescue.sequences + done, rescue.length - done);
        done += part > 0 ? (size_t)part : 0;
    } while (done < rescue.length && (part > 0 || errno == EINTR));
    tcsetattr(rescue.fd, TCSANOW, &rescue.before);
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], &rescue.old[i], NULL);
    raise(signal); /* it is blocked until this returns */
}

void rescue_arm(int fd, const char *sequences, const struct termios *before)
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
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], &action, &rescue.old[i]);
}

void rescue_disarm(void)
{
    stack_t none = {.ss_flags = SS_DISABLE};
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], &rescue.old[i], NULL);
    sigaltstack(&none, NULL);
}
