/* An error is a sentence for a person. Functions that can fail for a reason a person may read take a
 * `struct err *`, fill it once and return -1, in one line:
 *
 *     return err_set(err, "%s:%d: 'lr' has min %g above max %g", file, line, min, max);
 *
 * Codes of foreign libraries (SQLite, ZeroMQ, errno) are put into words where the library is called. */
#ifndef GANNET_COMMON_ERR_H
#define GANNET_COMMON_ERR_H

#include <stdarg.h>
#include <stdbool.h>

#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

struct err {
    char text[1024]; /* the sentence; empty: no error */
};

/* Sets the sentence and is -1. `err` may be NULL: nobody reads it. A longer sentence is cut with "...". (Macros, so
 * that the compiler sees the -1 too.) */
#define err_set(err, ...) (err_write((err), __VA_ARGS__), -1)

/* The same with the words of errno after a colon: "can't open runs/a: Permission denied". */
#define err_errno(err, ...) (err_write_errno((err), __VA_ARGS__), -1)

/* Puts "prefix: " in front of the sentence that is there already; is -1. */
#define err_prefix(err, ...) (err_write_prefix((err), __VA_ARGS__), -1)

/* Whether it ends with the words of an errno that means a shortage: of room on a disk or in a quota, of descriptors,
 * processes or memory. Such a thing may pass by itself. */
bool err_is_shortage(const struct err *err);

/* Whether it ends with the words of an errno that means that a file could not grow: a full disk, a quota, a limit of
 * the size of files. */
bool err_is_full_disk(const struct err *err);

void err_write(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);
void err_write_errno(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);
void err_write_prefix(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
