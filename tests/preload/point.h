/* Which process is meant by a file of the directory GANNET_TEST_POINTS, for what is preloaded into programs. A file is
 * ROLE.NUMBER, and each process of that role takes the one with the lowest number, so that a restarted one takes the
 * next. ROLE is a program's name, of gannet's with the command behind it: gannet-worker, gannet-coordinator. What was
 * carried out is a line of the file `fired` there. Everything is static: each preloaded library has one source.
 */
#ifndef GANNET_TESTS_PRELOAD_POINT_H
#define GANNET_TESTS_PRELOAD_POINT_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *point_directory; /* NULL: nothing is to happen */
static char point_role[64];         /* of this process */

static void point_read_command_line(char *out, size_t size)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, out, size - 2);
    if (fd >= 0)
        close(fd);
    memset(out + (got > 0 ? got : 0), 0, size - (size_t)(got > 0 ? got : 0));
}

static void point_find_role(void)
{
    char words[4096];
    point_read_command_line(words, sizeof words);
    const char *slash = strrchr(words, '/'), *name = slash ? slash + 1 : words;
    const char *command = strcmp(name, "gannet") == 0 ? words + strlen(words) + 1 : "";
    snprintf(point_role, sizeof point_role, "%.30s%s%.30s", name, *command ? "-" : "", command);
}

/* Reads the first line of this process's file into `line`; false: it has none. Of two processes that see the same file
 * the one that removes it has it. */
static bool point_take(char *line, size_t size)
{
    enum { MOST = 100 };
    char path[4096];
    bool taken = false;
    point_directory = getenv("GANNET_TEST_POINTS");
    if (!point_directory)
        return false;
    point_find_role();
    for (int i = 1; i <= MOST && !taken; i++) {
        snprintf(path, sizeof path, "%s/%s.%d", point_directory, point_role, i);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t got = fd < 0 ? -1 : read(fd, line, size - 1);
        if (fd >= 0)
            close(fd);
        line[got > 0 ? got : 0] = '\0';
        taken = got > 0 && unlink(path) == 0;
    }
    return taken;
}

/* Without stdio, which may be what is in progress. */
static void point_note(const char *what)
{
    char path[4096], line[512];
    snprintf(path, sizeof path, "%s/fired", point_directory);
    int length = snprintf(line, sizeof line, "%s %s\n", point_role, what);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)!syscall(SYS_write, fd, line, (size_t)length);
    if (fd >= 0)
        close(fd);
}

#endif
