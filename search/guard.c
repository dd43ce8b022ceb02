/* Naming the plug-in that crashed; see guard.h. */
#include "search/guard.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* What this thread runs. A signal handler is given nothing, so it has to be found here. */
static _Thread_local const char *running;

static const struct {
    int number;
    const char *words;
} crashes[] = {{SIGSEGV, " crashed (SIGSEGV: it touched memory that is not its own)\n"},
               {SIGBUS, " crashed (SIGBUS: it touched memory that can't be used)\n"},
               {SIGFPE, " crashed (SIGFPE: it divided by zero)\n"},
               {SIGILL, " crashed (SIGILL: it ran into what is no instruction)\n"},
               {SIGABRT, " crashed (SIGABRT: it gave up by itself)\n"}};

enum { CRASHES = sizeof crashes / sizeof *crashes };

static struct iovec text_vector(const char *text)
{
    return (struct iovec){.iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text)};
}

/* What a signal handler may do: system calls only. */
static void name_plugin(const char *words)
{
    struct iovec line[] = {text_vector("gannet: the strategy plug-in "), text_vector(running), text_vector(words)};
    if (writev(STDERR_FILENO, line, 3) < 0)
        return; /* nobody will know */
}

/* The signal is sent anew and comes when the handler has returned; nobody handles it any more then (SA_RESETHAND). */
static void on_crash(int number)
{
    for (size_t i = 0; running && i < CRASHES; i++)
        if (crashes[i].number == number)
            name_plugin(crashes[i].words);
    raise(number);
}

void guard_install(void)
{
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND}, old;
    for (size_t i = 0; i < CRASHES; i++)
        if (sigaction(crashes[i].number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(crashes[i].number, &action, NULL);
}

void guard_enter(const char *path)
{
    running = path;
}

void guard_leave(void)
{
    running = NULL;
}
