/* Configurations of trials; see config_file.h. */
#include "worker/program/config_file.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/trial_config.h"

#include <stdlib.h>
#include <string.h>

/* Whether the command or its environment names the file. */
static bool is_named(const struct task *task, const char *file)
{
    const char *name;
    json_t *json;
    char *placeholder = mem_format("${%s}", file);
    bool found = false;
    for (size_t i = 0; task->command[i]; i++)
        found |= strstr(task->command[i], placeholder) != NULL;
    json_object_foreach((json_t *)task->env, name, json) found |= strstr(json_string_value(json), placeholder) != NULL;
    free(placeholder);
    return found;
}

int config_files_write(const struct task *task, const char *directory, const json_t *params,
                       int (*write)(const char *path, const char *text, struct err *err), struct err *err)
{
    static const char *const files[] = {"config.yaml", "config.json"};
    int result = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files && result == 0; i++) {
        struct buf text = {0};
        json_t *config = is_named(task, files[i]) ? trial_config_make(task->config, params, err) : NULL;
        char *path = path_join(directory, files[i]);
        if (config) {
            trial_config_write(config, &text);
            buf_text(&text, "\n");
            result = write(path, buf_str(&text), err);
        } else if (is_named(task, files[i])) {
            result = -1;
        }
        json_decref(config);
        buf_fini(&text);
        free(path);
    }
    return result;
}
