/* Exits in words; see ending.h. */
#include "worker/program/ending.h"

#include <signal.h>
#include <stdio.h>

/* glibc has a function for this only since 2.32. */
static const struct {
    int number;
    const char *name;
} signals[] = {
    {SIGABRT, "SIGABRT"}, {SIGALRM, "SIGALRM"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGHUP, "SIGHUP"},
    {SIGILL, "SIGILL"},   {SIGINT, "SIGINT"},   {SIGKILL, "SIGKILL"}, {SIGPIPE, "SIGPIPE"}, {SIGQUIT, "SIGQUIT"},
    {SIGSEGV, "SIGSEGV"}, {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}, {SIGUSR1, "SIGUSR1"},
    {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
};

const char *signal_name(int number, char *out, size_t size)
{
    snprintf(out, size, "signal %d", number);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].number == number)
            snprintf(out, size, "%s", signals[i].name);
    return out;
}

/* A shell reports the end of a command that was killed by signal N as its own status 128 + N. */
static enum ending ending_of_status(int status, bool starved, struct buf *detail)
{
    enum { SHELL_SIGNALS = 128, NOT_EXECUTABLE = 126, NOT_FOUND = 127, SIGNALS = 64 };
    char name[32];
    if (status == 0)
        return ENDING_COMPLETED;
    if (status == SHELL_SIGNALS + SIGKILL && starved) {
        buf_text(detail, "the kernel killed a command of its shell for want of memory");
        return ENDING_OUT_OF_MEMORY;
    }
    buf_format(detail, "exit status %d", status);
    if (status > SHELL_SIGNALS && status <= SHELL_SIGNALS + SIGNALS)
        buf_format(detail, " (a command of its shell ended by %s)",
                   signal_name(status - SHELL_SIGNALS, name, sizeof name));
    else if (status == NOT_FOUND)
        buf_text(detail, " (a shell says so of a command that it does not find)");
    else if (status == NOT_EXECUTABLE)
        buf_text(detail, " (a shell says so of a command that it can't start)");
    return ENDING_EXITED;
}

enum ending ending_of_exit(const struct proc_exit *how, bool starved, struct buf *detail)
{
    char name[32];
    if (!how->by_signal)
        return ending_of_status(how->number, starved, detail);
    if (how->number == SIGKILL && starved) {
        buf_text(detail, "the kernel killed it for want of memory");
        return ENDING_OUT_OF_MEMORY;
    }
    buf_format(detail, "killed by %s", signal_name(how->number, name, sizeof name));
    return ENDING_CRASHED;
}
