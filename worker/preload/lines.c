/* Preloaded into people's programs (LD_PRELOAD): what they print by C's stdio goes out line by line, as it would on a
 * terminal, so that metrics are read when they are printed and not when 4 KiB of them have come together.
 *
 * It is a guest in programs that it knows nothing about. So it needs no library, not even the C library: one for
 * another C library (musl) loads it just as well, and where a function is missing nothing happens. It replaces no
 * function. Files that a program of the trial writes by redirection (`sort data > sorted`) keep their buffers: only
 * pipes and files that are appended to, as the trial's own output is, are meant. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#pragma weak stdout
#pragma weak setvbuf
#pragma weak fcntl
#pragma weak lseek

__attribute__((constructor)) static void send_lines(void)
{
    if (!&stdout || !setvbuf || !fcntl || !lseek || !stdout)
        return;
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    bool appends = flags >= 0 && (flags & O_APPEND);
    if (flags >= 0 && (appends || lseek(STDOUT_FILENO, 0, SEEK_CUR) < 0))
        setvbuf(stdout, NULL, _IOLBF, 0);
}
