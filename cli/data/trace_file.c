/* The file of a trace; see trace_file.h. */
#include "cli/data/trace_file.h"

#include "cli/json.h"

int trace_file_open(struct trace_file *file, const char *path, struct err *err)
{
    *file = (struct trace_file){0};
    if (whole_file_open(&file->file, path, err))
        return -1;
    buf_text(&file->text, TRACE_FILE_BEGIN);
    whole_file_add(&file->file, &file->text);
    return 0;
}

void trace_file_add(struct trace_file *file, json_t *event)
{
    buf_text(&file->text, file->count++ ? ",\n" : "\n");
    json_add(event, &file->text);
    json_decref(event);
    whole_file_add(&file->file, &file->text);
}

int trace_file_finish(struct trace_file *file, json_t *other, struct err *err)
{
    buf_text(&file->text, "\n],\n\"otherData\": ");
    json_add(other, &file->text);
    buf_text(&file->text, "}\n");
    json_decref(other);
    whole_file_add(&file->file, &file->text);
    return whole_file_finish(&file->file, err);
}

void trace_file_close(struct trace_file *file)
{
    whole_file_close(&file->file);
    buf_fini(&file->text);
    *file = (struct trace_file){0};
}
