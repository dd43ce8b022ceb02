/* Files that grow; see logs.h. */
#include "cli/data/logs.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STAMP = 24 }; /* characters of "2026-11-20T14:02:11.123Z" */

enum log_kind { UNKNOWN, TEXT, OTHER }; /* a file that is empty so far, or not there any more, is not known yet */

struct log_file {
    char *name;
    off_t read; /* bytes taken so far */
    enum log_kind kind;
    struct buf rest;       /* behind the last whole line */
    char stamp[STAMP + 1]; /* of the line before: lines without one belong to it */
};

struct log_line {
    size_t file, order; /* which of the files; its place among all lines read */
    char stamp[STAMP + 1];
    char *text;
};

struct logs {
    char *directory;
    bool by_time;
    struct log_file *files;
    size_t file_count, file_capacity;
    struct log_line *lines; /* of the present logs_read */
    size_t line_count, line_capacity;
    size_t shown_file; /* whose heading was written last, from 1 */
};

struct logs *logs_open(const char *directory, bool by_time)
{
    struct logs *logs = MEM_NEW(struct logs);
    *logs = (struct logs){.directory = mem_text(directory), .by_time = by_time};
    return logs;
}

void logs_close(struct logs *logs)
{
    if (!logs)
        return;
    for (size_t i = 0; i < logs->file_count; i++) {
        free(logs->files[i].name);
        buf_fini(&logs->files[i].rest);
    }
    free(logs->files);
    free(logs->lines);
    free(logs->directory);
    free(logs);
}

/* --- finding files --- */

static bool is_known(const struct logs *logs, const char *name)
{
    for (size_t i = 0; i < logs->file_count; i++)
        if (strcmp(logs->files[i].name, name) == 0)
            return true;
    return false;
}

static void find_files(struct logs *logs)
{
    struct dirent **entries;
    int count = scandir(logs->directory, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.' && !is_known(logs, entries[i]->d_name)) {
            MEM_GROW(logs->files, logs->file_capacity, logs->file_count + 1);
            logs->files[logs->file_count++] = (struct log_file){.name = mem_text(entries[i]->d_name)};
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* --- reading lines --- */

/* What stdout and stderr are called, of every attempt and rank: shown whatever is in them. */
static bool is_output(const char *name)
{
    return strncmp(name, "stdout", 6) == 0 || strncmp(name, "stderr", 6) == 0;
}

/* Whether this beginning of a file has none of the characters that texts don't have. */
static bool looks_like_text(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((unsigned char)bytes[i] < ' ' && !strchr("\t\n\v\f\r\b\033", bytes[i]))
            return false;
    return !memchr(bytes, 0, count);
}

/* Opened without waiting: a program may have left a pipe or a device where a file is expected. -1: none to read. */
static int open_file(const struct logs *logs, struct log_file *file)
{
    char *path = path_join(logs->directory, file->name);
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    free(path);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && lseek(fd, file->read, SEEK_SET) >= 0)
        return fd;
    if (fd >= 0) {
        close(fd);
        file->kind = OTHER;
    }
    return -1;
}

static void read_more(const struct logs *logs, struct log_file *file)
{
    char bytes[65536];
    int fd = file->kind == OTHER ? -1 : open_file(logs, file);
    ssize_t count = 0;
    while (fd >= 0 && file->kind != OTHER && (count = read(fd, bytes, sizeof bytes)) > 0) {
        if (file->kind == UNKNOWN)
            file->kind = logs->by_time || is_output(file->name) || looks_like_text(bytes, (size_t)count) ? TEXT : OTHER;
        if (file->kind == TEXT)
            buf_add(&file->rest, bytes, (size_t)count);
        file->read += count;
    }
    if (fd >= 0)
        close(fd);
}

json_t *logs_others(const struct logs *logs)
{
    json_t *names = json_array();
    for (size_t i = 0; i < logs->file_count; i++)
        if (logs->files[i].kind == OTHER)
            json_array_append_new(names, json_of_text(logs->files[i].name));
    return names;
}

static bool has_stamp(const char *text, size_t length)
{
    static const char pattern[] = "0000-00-00T00:00:00.000Z";
    for (size_t i = 0; i < STAMP; i++)
        if (i >= length || (pattern[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != pattern[i]))
            return false;
    return true;
}

static void add_line(struct logs *logs, size_t index, const char *text, size_t length)
{
    struct log_file *file = &logs->files[index];
    if (has_stamp(text, length))
        memcpy(file->stamp, text, STAMP);
    MEM_GROW(logs->lines, logs->line_capacity, logs->line_count + 1);
    struct log_line *line = &logs->lines[logs->line_count];
    *line = (struct log_line){.file = index, .order = logs->line_count, .text = mem_text_n(text, length)};
    memcpy(line->stamp, file->stamp, sizeof line->stamp);
    logs->line_count++;
}

static void take_lines(struct logs *logs, size_t index, bool rest)
{
    struct log_file *file = &logs->files[index];
    const char *text = buf_str(&file->rest), *end;
    size_t used = 0;
    while ((end = memchr(text + used, '\n', file->rest.length - used))) {
        add_line(logs, index, text + used, (size_t)(end - text) - used);
        used = (size_t)(end - text) + 1;
    }
    if (rest && used < file->rest.length) {
        add_line(logs, index, text + used, file->rest.length - used);
        used = file->rest.length;
    }
    buf_drop(&file->rest, used);
}

/* --- writing them --- */

static int compare_lines(const void *left, const void *right)
{
    const struct log_line *a = left, *b = right;
    int order = strcmp(a->stamp, b->stamp);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

static void add_heading(struct logs *logs, size_t index, struct buf *out)
{
    if (logs->by_time || logs->shown_file == index + 1)
        return;
    buf_format(out, "%s==> %s <==\n", logs->shown_file ? "\n" : "", logs->files[index].name);
    logs->shown_file = index + 1;
}

void logs_read(struct logs *logs, size_t most, bool rest, struct buf *out)
{
    find_files(logs);
    for (size_t i = 0; i < logs->file_count; i++) {
        read_more(logs, &logs->files[i]);
        take_lines(logs, i, rest);
    }
    if (logs->by_time && logs->line_count)
        qsort(logs->lines, logs->line_count, sizeof *logs->lines, compare_lines);
    size_t first = most && most < logs->line_count ? logs->line_count - most : 0;
    for (size_t i = 0; i < logs->line_count; i++) {
        if (i >= first) {
            add_heading(logs, logs->lines[i].file, out);
            buf_format(out, "%s\n", logs->lines[i].text);
        }
        free(logs->lines[i].text);
    }
    logs->line_count = 0;
}
