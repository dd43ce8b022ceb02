/* A program's files; see program_files.h. */
#include "worker/program/program_files.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"
#include "worker/program/errout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *program_files_name(const struct program_files *files, const char *name, uint32_t rank)
{
    char of_rank[32] = "", of_attempt[32] = "";
    if (rank)
        snprintf(of_rank, sizeof of_rank, ".rank%u", rank);
    if (files->attempt > 1)
        snprintf(of_attempt, sizeof of_attempt, ".%u", files->attempt);
    return mem_format("%s/%s%s%s", files->directory, name, of_rank, of_attempt);
}

/* Empties a file of the trial that is there. Other programs may have put something there before: a pipe that nobody
 * reads would hold up the worker with all its runs, and a link lead to a file that is not to be emptied. */
static int open_present(const char *path, int flags, struct err *err)
{
    struct stat at;
    int fd = open(path, flags | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0 && errno == ELOOP)
        return err_set(err, "can't write '%s': it is a link; remove it", path);
    if (fd < 0)
        return err_errno(err, "can't write '%s'", path);
    if (fstat(fd, &at) == 0 && S_ISREG(at.st_mode) && fcntl(fd, F_SETFL, flags) == 0) {
        share_file(fd, path);
        return fd;
    }
    close(fd);
    return err_set(err, "can't write '%s': it is no regular file; remove it", path);
}

/* Makes a file of the trial, empty. */
static int open_file(const char *path, int flags, struct err *err)
{
    int fd = open(path, flags | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0)
        return open_present(path, flags, err);
    share_file(fd, path);
    return fd;
}

int program_files_output(const struct program_files *files, const char *name, uint32_t rank, struct err *err)
{
    char *path = program_files_name(files, name, rank);
    int fd = open_file(path, O_RDWR | O_APPEND, err);
    free(path);
    return fd;
}

int program_files_write(const char *path, const char *text, struct err *err)
{
    int fd = open_file(path, O_WRONLY, err);
    if (fd < 0)
        return -1;
    int result = path_write_all(fd, text, strlen(text)) ? err_errno(err, "can't write '%s'", path) : 0;
    close(fd);
    return result;
}

void program_files_tail(const struct program_files *files, uint32_t rank, int fd, struct buf *out)
{
    char bytes[2 * ERROUT_TAIL], *path = program_files_name(files, "stderr", rank);
    struct stat file;
    int own = fd < 0 ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1, from = fd < 0 ? own : fd;
    ssize_t length = pread(from, bytes, sizeof bytes, 0);
    if (length == (ssize_t)sizeof bytes && fstat(from, &file) == 0)
        length = pread(from, bytes, sizeof bytes, file.st_size - (off_t)sizeof bytes);
    if (length > 0)
        errout_tail(bytes, (size_t)length, out);
    if (own >= 0)
        close(own);
    free(path);
}

double program_files_written(const struct program_files *files, const char *name, uint32_t rank)
{
    char *path = program_files_name(files, name, rank);
    struct stat at;
    double time = stat(path, &at) ? 0 : (double)at.st_mtim.tv_sec + (double)at.st_mtim.tv_nsec * 1e-9;
    free(path);
    return time;
}

void program_files_remove(const struct program_files *files, const char *name, uint32_t rank)
{
    char *path = program_files_name(files, name, rank);
    unlink(path);
    free(path);
}

static void remove_empty(const struct program_files *files, const char *name, uint32_t rank)
{
    char *path = program_files_name(files, name, rank);
    struct stat at;
    if (lstat(path, &at) == 0 && S_ISREG(at.st_mode) && at.st_size == 0)
        unlink(path);
    free(path);
}

void program_files_tidy(const struct program_files *files, uint32_t first, uint32_t count)
{
    if (files->attempt < 2)
        return;
    char *own = program_files_name(files, "params.json", 0), *usual = path_join(files->directory, "params.json");
    rename(own, usual);
    free(own);
    free(usual);
    for (uint32_t rank = first; rank < first + count; rank++) {
        remove_empty(files, "stdout", rank);
        remove_empty(files, "stderr", rank);
    }
}
