/* A small file of the kernel's that is read again and again: opened once, since opening costs more than reading. */
#ifndef GANNET_WORKER_PROFILE_HELD_FILE_H
#define GANNET_WORKER_PROFILE_HELD_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* {0} was not opened yet. */
struct held_file {
    int fd;
    bool is_open;
    int error; /* why it can't be opened: it is not tried again; 0: it can, or was not tried */
};

/* Its text up to size - 1 bytes, from its beginning; "" when it can't be read. `directory` is where `name` is. */
const char *held_file_read(struct held_file *file, const char *directory, const char *name, char *text, size_t size);
void held_file_close(struct held_file *file);

/* The same of a file that is read once. */
const char *held_file_read_once(const char *directory, const char *name, char *text, size_t size);

#endif
