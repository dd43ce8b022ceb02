/* Asking a person; see questions.h. */
#include "cli/start/questions.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/start/ranges.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/spec/emit.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* One line without its end; false at the end of all lines. */
static bool read_answer(FILE *in, struct buf *line)
{
    int c;
    buf_clear(line);
    while ((c = getc(in)) != EOF && c != '\n')
        buf_format(line, "%c", c);
    return c != EOF || line->length;
}

int questions_ask(const struct questions *questions, const char *question, const char *proposal,
                  int (*take)(void *context, const char *answer, struct err *err), void *context, struct err *err)
{
    struct buf line = {0};
    int result = 1;
    while (result > 0) {
        struct err why;
        fprintf(questions->out, "%s%s%s%s ", question, *proposal ? " [" : "", proposal, *proposal ? "]" : "");
        fflush(questions->out);
        if (!read_answer(questions->in, &line)) {
            fprintf(questions->out, "\n");
            result = err_set(err, "there was no answer; nothing was written");
        } else if (take(context, line.length ? buf_str(&line) : proposal, &why) == 0) {
            result = 0;
        } else {
            struct buf safe = {0};
            format_safe(why.text, &safe);
            fprintf(questions->out, "  %s\n", buf_str(&safe));
            buf_fini(&safe);
        }
    }
    buf_fini(&line);
    return result;
}

/* The usual names before any other; of others only the one that is alone. */
char *questions_find_program(void)
{
    static const char *const usual[] = {"train.py", "main.py", "run.py", "finetune.py", "trainer.py"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (path_is_file(usual[i]))
            return mem_text(usual[i]);
    char *found = NULL;
    unsigned count = 0;
    DIR *list = opendir(".");
    for (struct dirent *entry; list && (entry = readdir(list));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || *entry->d_name == '.' || strcmp(entry->d_name + length - 3, ".py") != 0)
            continue;
        free(found);
        found = mem_text(entry->d_name);
        count++;
    }
    if (list)
        closedir(list);
    if (count == 1)
        return found;
    free(found);
    return NULL;
}

void questions_show(const json_t *options, struct buf *out)
{
    size_t index;
    const json_t *option;
    json_array_foreach(options, index, option)
    {
        const char *reason;
        json_t *keys = ranges_guess(option, &reason);
        if (keys) {
            buf_text(out, "  ");
            format_safe(json_text(option, "name"), out);
            buf_text(out, ": ");
            emit_json(out, keys);
            buf_text(out, "\n");
        }
        json_decref(keys);
    }
}
