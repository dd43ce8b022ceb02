/* The files of a trial's directory that a program is given or writes, for each attempt of its own. */
#ifndef GANNET_WORKER_PROGRAM_PROGRAM_FILES_H
#define GANNET_WORKER_PROGRAM_PROGRAM_FILES_H

#include "common/buf.h"
#include "common/err.h"

#include <stdint.h>

/* Whose files. */
struct program_files {
    const char *directory; /* the trial's */
    uint32_t attempt;
};

/* "DIRECTORY/NAME", and for later attempts "DIRECTORY/NAME.2"; of a process that is not the first of several
 * "DIRECTORY/NAME.rank3". free() it. */
char *program_files_name(const struct program_files *files, const char *name, uint32_t rank);

/* Makes a file, empty, for writing. -1 with a sentence. */
int program_files_write(const char *path, const char *text, struct err *err);

/* Makes the output file of a process. Its descriptor and ours are one open file: what it writes goes to the end,
 * wherever we read. -1 with a sentence. */
int program_files_output(const struct program_files *files, const char *name, uint32_t rank, struct err *err);

/* Adds the last lines of a process's error output. `fd`: the file, when it is open; -1: it is not. */
void program_files_tail(const struct program_files *files, uint32_t rank, int fd, struct buf *out);

/* When a process last wrote to an output file, seconds since 1970; 0: it is not there. */
double program_files_written(const struct program_files *files, const char *name, uint32_t rank);

/* When all processes of a later attempt have ended: its file of parameters takes the place of the first attempt's,
 * which has the same, and output files without any output go. So a trial that goes on many times has no more files than
 * it has said something. `count` processes from `first` on are here. */
void program_files_tidy(const struct program_files *files, uint32_t first, uint32_t count);

/* Removes it, if it is there. */
void program_files_remove(const struct program_files *files, const char *name, uint32_t rank);

#endif
