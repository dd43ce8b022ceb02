/* Files of a trial; see program_files.h. */
#include "worker/program/program_files.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *program_file_name(const struct program_setup *setup, const char *name)
{
    if (setup->run->attempt <= 1)
        return mem_format("%s/%s", setup->directory, name);
    return mem_format("%s/%s.%u", setup->directory, name, setup->run->attempt);
}

/* Makes a file of the trial, empty. Other programs may have put something there before: a pipe that nobody reads would
 * hold up the worker with all its runs, and a link lead to a file that is not to be emptied. */
static int open_file(const char *path, int flags, struct err *err)
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

int program_open_output(const struct program_setup *setup, const char *name, int *fd, struct err *err)
{
    char *path = program_file_name(setup, name);
    *fd = open_file(path, O_RDWR | O_APPEND, err);
    free(path);
    return *fd < 0 ? -1 : 0;
}

int program_write_params(const char *path, const char *params, struct err *err)
{
    int fd = open_file(path, O_WRONLY, err);
    if (fd < 0)
        return -1;
    int result = path_write_all(fd, params, strlen(params)) ? err_errno(err, "can't write '%s'", path) : 0;
    close(fd);
    return result;
}

void program_remove_files(const struct program_setup *setup, const char *params_file)
{
    char *out = program_file_name(setup, "stdout"), *err = program_file_name(setup, "stderr");
    unlink(params_file);
    unlink(out);
    unlink(err);
    free(out);
    free(err);
}
