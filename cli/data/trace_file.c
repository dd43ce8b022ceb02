/* The file of a trace; see trace_file.h. */
#include "cli/data/trace_file.h"

#include "cli/json.h"
#include "common/mem.h"
#include "common/path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe or a device is written as it is; a file is replaced when the new one is whole. */
static int open_descriptor(struct trace_file *file)
{
    if (strcmp(file->path, "-") == 0)
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (path_exists(file->path) && !path_is_file(file->path))
        return open(file->path, O_WRONLY | O_CLOEXEC);
    file->temporary = mem_format("%s.XXXXXX", file->path);
    int fd = mkostemp(file->temporary, O_CLOEXEC);
    if (fd < 0) {
        free(file->temporary);
        file->temporary = NULL;
    }
    return fd;
}

static void write_text(struct trace_file *file)
{
    fwrite(buf_str(&file->text), 1, file->text.length, file->stream);
    file->length += file->text.length;
    file->text.length = 0;
}

int trace_file_open(struct trace_file *file, const char *path, struct err *err)
{
    *file = (struct trace_file){.path = path};
    int fd = open_descriptor(file);
    if (fd < 0 || !(file->stream = fdopen(fd, "w"))) {
        err_write_errno(err, "can't write '%s'", path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    buf_text(&file->text, "{\"displayTimeUnit\": \"ms\",\n\"traceEvents\": [");
    write_text(file);
    return 0;
}

void trace_file_add(struct trace_file *file, json_t *event)
{
    buf_text(&file->text, file->count++ ? ",\n" : "\n");
    json_add(event, &file->text);
    json_decref(event);
    write_text(file);
}

/* The mode that files of this process have, which mkostemp does not give. */
static int open_to_others(const struct trace_file *file)
{
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(fileno(file->stream), 0666 & ~mask);
}

int trace_file_finish(struct trace_file *file, json_t *other, struct err *err)
{
    buf_text(&file->text, "\n],\n\"otherData\": ");
    json_add(other, &file->text);
    buf_text(&file->text, "}\n");
    json_decref(other);
    write_text(file);
    bool failed = (file->temporary && open_to_others(file)) || fflush(file->stream) || ferror(file->stream);
    failed = fclose(file->stream) || failed;
    file->stream = NULL;
    if (failed || (file->temporary && rename(file->temporary, file->path)))
        return err_errno(err, "can't write '%s'", file->path);
    free(file->temporary);
    file->temporary = NULL;
    return 0;
}

void trace_file_close(struct trace_file *file)
{
    if (file->stream)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    buf_fini(&file->text);
    *file = (struct trace_file){0};
}
