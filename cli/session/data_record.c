/* See data_record.h. The contents are compared, not times: data is often copied anew, and then still the same. */
#include "cli/session/data_record.h"

#include "cli/json.h"
#include "common/buf.h"
#include "common/hash.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a file up to PIECES * PIECE = 64 MiB every byte is compared, of a larger one so many pieces of it, evenly spread:
 * some 0.1 s of processor time at 1 ns a byte, and at most 1,024 places of a disk. */
enum { PIECE = 65536, PIECES = 1024 };

static const char *const file_name = "data.json";

/* --- a file's contents --- */

/* Where piece i of a file begins. */
static uint64_t place_of(uint64_t bytes, uint64_t i)
{
    uint64_t whole = (bytes + PIECE - 1) / PIECE;
    return (whole <= PIECES ? i : whole / PIECES * i) * PIECE;
}

static int hash_file(int fd, uint64_t bytes, uint64_t *hash)
{
    char *piece = MEM_ARRAY(char, PIECE);
    ssize_t count = 0;
    *hash = hash_bytes(HASH_START, &bytes, sizeof bytes);
    for (uint64_t i = 0; i < PIECES && place_of(bytes, i) < bytes && count >= 0; i++)
        if ((count = pread(fd, piece, PIECE, (off_t)place_of(bytes, i))) > 0)
            *hash = hash_bytes(*hash, piece, (size_t)count);
    free(piece);
    return count < 0 ? -1 : 0;
}

static int look_at_file(const char *path, uint64_t *bytes, uint64_t *hash)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result = -1;
    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
        *bytes = (uint64_t)about.st_size;
        result = hash_file(fd, *bytes, hash);
    }
    if (fd >= 0)
        close(fd);
    return result;
}

/* --- keeping --- */

static bool is_known(const char *path, const json_t *files)
{
    const json_t *file;
    size_t index;
    json_array_foreach(files, index, file)
    {
        if (strcmp(json_text(file, "path"), path) == 0)
            return true;
    }
    return false;
}

static void add_file(const char *option, const char *path, json_t *files)
{
    uint64_t bytes, hash;
    char digits[17];
    if (is_known(path, files) || look_at_file(path, &bytes, &hash))
        return;
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)hash);
    json_array_append_new(files, json_pack("{s:s, s:o, s:o, s:s}", "option", option, "path", json_of_text(path),
                                           "bytes", json_of_u64(bytes), "hash", digits));
}

/* Of a directory kernels read CIFAR's files alone; what else is there may be large. */
static int is_batch(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".bin") == 0;
}

void data_record_add(const char *option, const char *path, json_t *files)
{
    struct dirent **names;
    int count = scandir(path, &names, is_batch, alphasort);
    if (count < 0) {
        add_file(option, path, files);
        return;
    }
    for (int i = 0; i < count; i++) {
        char *inside = path_join(path, names[i]->d_name);
        add_file(option, inside, files);
        free(inside);
        free(names[i]);
    }
    free(names);
}

int data_record_write(const struct rundir *dir, const json_t *files, struct err *err)
{
    if (!json_array_size(files))
        return 0;
    char *path = path_join(dir->path, file_name), *text = json_dumps(files, JSON_INDENT(1));
    int result = path_write(path, text, strlen(text), 0600, err);
    free(text);
    free(path);
    return result;
}

/* --- comparing --- */

static void report_change(const json_t *file, const char *what, struct problems *problems)
{
    char *key = mem_format("trial.options.%s", json_text(file, "option"));
    char *message = mem_format("%s %s: trials from here on would be of other data than those before",
                               json_text(file, "path"), what);
    problems_report(problems, true, key, true, "data_changed", message,
                    "put back what was there, or begin a new search with --dir");
    free(message);
    free(key);
}

static void compare_file(const json_t *file, struct problems *problems)
{
    uint64_t bytes, hash;
    char digits[17];
    const char *path = json_text(file, "path");
    if (!*path || !*json_text(file, "option"))
        return;
    if (look_at_file(path, &bytes, &hash)) {
        report_change(file, "can't be read any more", problems);
        return;
    }
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)hash);
    if (strcmp(digits, json_text(file, "hash")) != 0)
        report_change(file, "has changed since the search began", problems);
}

void data_record_compare(const struct rundir *dir, struct problems *problems)
{
    enum { MOST_BYTES = 16 << 20 };
    struct err err;
    struct buf text = {0};
    char *path = path_join(dir->path, file_name);
    json_t *files = path_exists(path) && path_read(path, &text, MOST_BYTES, &err) == 0
                        ? json_loadb(buf_str(&text), text.length, 0, NULL)
                        : NULL;
    const json_t *file;
    size_t index;
    json_array_foreach(files, index, file) compare_file(file, problems);
    json_decref(files);
    buf_fini(&text);
    free(path);
}
