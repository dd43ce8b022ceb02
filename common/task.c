/* Reads the task; see task.h and docs/task.md. */
#include "common/task.h"
#include "common/gang.h"
#include "common/line_pattern.h"
#include "common/mem.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum task_member_type {
    MEMBER_TEXT,
    MEMBER_LIST,
    MEMBER_OBJECT,
    MEMBER_SECONDS,
    MEMBER_COUNT,
    MEMBER_LARGE,
    MEMBER_BYTES,
    MEMBER_BIND,
    MEMBER_MPS,
    MEMBER_SIGNAL,
    MEMBER_SWITCH
};

/* One member of the object, or of its `resources`. */
struct task_member {
    const char *name;
    enum task_member_type type;
    size_t offset; /* in struct task */
    bool required;
};

static const struct task_member members[] = {
    {"experiment", MEMBER_TEXT, offsetof(struct task, experiment), true},
    {"directory", MEMBER_TEXT, offsetof(struct task, directory), true},
    {"kernel", MEMBER_TEXT, offsetof(struct task, kernel), false},
    {"options", MEMBER_OBJECT, offsetof(struct task, options), false},
    {"command", MEMBER_LIST, offsetof(struct task, command), false},
    {"base", MEMBER_TEXT, offsetof(struct task, base), true},
    {"workdir", MEMBER_TEXT, offsetof(struct task, workdir), true},
    {"env", MEMBER_OBJECT, offsetof(struct task, env), false},
    {"container", MEMBER_TEXT, offsetof(struct task, container), false},
    {"container_runtime", MEMBER_TEXT, offsetof(struct task, container_runtime), false},
    {"container_options", MEMBER_LIST, offsetof(struct task, container_options), false},
    {"args", MEMBER_OBJECT, offsetof(struct task, args), false},
    {"config", MEMBER_OBJECT, offsetof(struct task, config), false},
    {"profile", MEMBER_OBJECT, offsetof(struct task, profile), false},
    {"metric", MEMBER_TEXT, offsetof(struct task, metric), true},
    {"metrics", MEMBER_LIST, offsetof(struct task, metrics), true},
    {"percent", MEMBER_LIST, offsetof(struct task, percent), false},
    {"trial_time", MEMBER_SECONDS, offsetof(struct task, trial_time), true},
    {"grace", MEMBER_SECONDS, offsetof(struct task, grace), true},
    {"signal", MEMBER_SIGNAL, offsetof(struct task, signal), false},
    {"checkpoint", MEMBER_SWITCH, offsetof(struct task, checkpoint), false},
    {"keep", MEMBER_SWITCH, offsetof(struct task, keep), false},
    {"metrics_file", MEMBER_TEXT, offsetof(struct task, metrics_file), false},
    {"pattern", MEMBER_TEXT, offsetof(struct task, pattern), false},
    {"buffered", MEMBER_SWITCH, offsetof(struct task, buffered), false},
    {"launch_first", MEMBER_SWITCH, offsetof(struct task, launch_first), false},
    {"persistent", MEMBER_SWITCH, offsetof(struct task, persistent), false},
    {"persistent_trials", MEMBER_LARGE, offsetof(struct task, persistent_trials), false},
    {"persistent_growth", MEMBER_BYTES, offsetof(struct task, persistent_growth), false},
    {"max_steps", MEMBER_LARGE, offsetof(struct task, max_steps), false},
    {"first_port", MEMBER_COUNT, offsetof(struct task, ports.first), false},
    {"last_port", MEMBER_COUNT, offsetof(struct task, ports.last), false},
};

static const struct task_member resource_members[] = {
    {"cpus", MEMBER_COUNT, offsetof(struct task, cpus), false},
    {"sockets", MEMBER_COUNT, offsetof(struct task, sockets), false},
    {"gpus", MEMBER_COUNT, offsetof(struct task, gpus), false},
    {"trials_per_socket", MEMBER_COUNT, offsetof(struct task, per_socket), false},
    {"fuse", MEMBER_COUNT, offsetof(struct task, fuse), false},
    {"gpu_slots", MEMBER_COUNT, offsetof(struct task, gpu_slots), false},
    {"gpu_memory", MEMBER_BYTES, offsetof(struct task, gpu_memory), false},
    {"mps", MEMBER_MPS, offsetof(struct task, mps), false},
    {"memory", MEMBER_BYTES, offsetof(struct task, memory), false},
    {"ranks", MEMBER_COUNT, offsetof(struct task, ranks), false},
    {"nodes", MEMBER_COUNT, offsetof(struct task, nodes), false},
    {"bind", MEMBER_BIND, offsetof(struct task, bind), false},
};

static const char *const kinds[] = {"a text",
                                    "a list of texts",
                                    "an object",
                                    "seconds, zero or more",
                                    "a whole number",
                                    "a whole number",
                                    "bytes",
                                    "none, core, socket or numa",
                                    "auto, false or true",
                                    "none, USR1, USR2 or TERM",
                                    "true or false"};

static bool read_list(const json_t *json, const char ***out)
{
    size_t count = json_array_size(json);
    for (size_t i = 0; i < count; i++)
        if (!json_is_string(json_array_get(json, i)))
            return false;
    *out = MEM_ARRAY(const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        (*out)[i] = json_string_value(json_array_get(json, i));
    return json_is_array(json);
}

static bool read_seconds(const json_t *json, double *out)
{
    *out = json_number_value(json);
    return json_is_number(json) && isfinite(*out) && *out >= 0;
}

static bool read_whole(const json_t *json, uint64_t most, uint64_t *out)
{
    json_int_t number = json_integer_value(json);
    *out = (uint64_t)number;
    return json_is_integer(json) && number >= 0 && *out <= most;
}

/* The place of a text among words; -1: it is none of them. */
static int find_word(const json_t *json, const char *const *words, int count)
{
    const char *word = json_string_value(json);
    for (int i = 0; word && i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

static bool read_bind(const json_t *json, enum task_bind *out)
{
    static const char *const binds[] = {"none", "core", "socket", "numa"};
    int bind = find_word(json, binds, sizeof binds / sizeof *binds);
    *out = bind < 0 ? TASK_BIND_NONE : (enum task_bind)bind;
    return bind >= 0;
}

static bool read_mps(const json_t *json, enum task_mps *out)
{
    static const char *const words[] = {"auto", "false", "true"};
    int at = find_word(json, words, sizeof words / sizeof *words);
    *out = at < 0 ? TASK_MPS_AUTO : (enum task_mps)at;
    return at >= 0;
}

static bool read_signal(const json_t *json, int *out)
{
    static const char *const names[] = {"none", "USR1", "USR2", "TERM"};
    static const int numbers[] = {0, SIGUSR1, SIGUSR2, SIGTERM};
    int at = find_word(json, names, sizeof names / sizeof *names);
    *out = at < 0 ? 0 : numbers[at];
    return at >= 0;
}

/* Puts one value where it belongs; false when it is of the wrong kind. */
static bool read_value(const json_t *json, enum task_member_type type, void *to)
{
    uint64_t whole = 0;
    switch (type) {
    case MEMBER_TEXT:
        return (*(const char **)to = json_string_value(json)) != NULL;
    case MEMBER_LIST:
        return read_list(json, to);
    case MEMBER_OBJECT:
        *(const json_t **)to = json;
        return json_is_object(json);
    case MEMBER_SECONDS:
        return read_seconds(json, to);
    case MEMBER_COUNT: {
        bool good = read_whole(json, UINT32_MAX, &whole);
        *(uint32_t *)to = (uint32_t)whole;
        return good;
    }
    case MEMBER_LARGE:
    case MEMBER_BYTES:
        return read_whole(json, INT64_MAX, to);
    case MEMBER_BIND:
        return read_bind(json, to);
    case MEMBER_MPS:
        return read_mps(json, to);
    case MEMBER_SIGNAL:
        return read_signal(json, to);
    case MEMBER_SWITCH:
        *(bool *)to = json_is_true(json);
        return json_is_boolean(json);
    }
    return false;
}

static int read_members(const json_t *object, const struct task_member *rows, size_t count, struct task *out,
                        struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *json = json_object_get(object, rows[i].name);
        if (!json && rows[i].required)
            return err_set(err, "the task has no '%s'", rows[i].name);
        if (json && !read_value(json, rows[i].type, (char *)out + rows[i].offset))
            return err_set(err, "the task's '%s' is not %s", rows[i].name, kinds[rows[i].type]);
    }
    return 0;
}

static int check_task(const struct task *task, struct err *err)
{
    struct line_pattern pattern;
    struct err why = {""};
    if (task->pattern && line_pattern_read(task->pattern, &pattern, &why))
        return err_set(err, "the task's 'pattern' can't be used: %s", why.text);
    if (task->metrics_file && line_pattern_check_file(task->metrics_file, &why))
        return err_set(err, "the task's 'metrics_file' can't be used: %s", why.text);
    const char *key;
    json_t *value;
    if (!task->kernel == !task->command)
        return err_set(err, "the task has %s 'kernel' %s 'command'", task->kernel ? "both" : "neither",
                       task->kernel ? "and" : "nor");
    if (task->command && !task->command[0])
        return err_set(err, "the task's 'command' is empty");
    if (task->ranks > GANG_RANKS_MOST)
        return err_set(err, "the task has %u 'ranks', more than %d", task->ranks, GANG_RANKS_MOST);
    if (task->persistent && (task->ranks > 1 || task->nodes > 1))
        return err_set(err,
                       "the task is 'persistent' and has %u 'ranks' on %u 'nodes'; a persistent program is one process",
                       task->ranks, task->nodes);
    if (task->fuse > TASK_FUSE_MOST || (task->fuse > 1 && task->command))
        return err_set(err, "the task's 'fuse' is %u; it is of kernels, and at most %d", task->fuse, TASK_FUSE_MOST);
    if (task->nodes > GANG_NODES_MOST)
        return err_set(err, "the task has %u 'nodes', more than %d", task->nodes, GANG_NODES_MOST);
    json_object_foreach((json_t *)task->env, key, value) if (!json_is_string(value)) return err_set(
        err, "the task's 'env' has a '%s' that is not a text", key);
    return 0;
}

static int read_task(struct task *out, struct err *err)
{
    enum { MEMBERS = sizeof members / sizeof *members };
    enum { RESOURCES = sizeof resource_members / sizeof *resource_members };
    const json_t *resources = json_object_get(out->json, "resources");
    if (!json_is_object(out->json))
        return err_set(err, "the task is not an object");
    if (!json_is_object(resources))
        return err_set(err, "the task has no object 'resources'");
    if (read_members(out->json, members, MEMBERS, out, err) ||
        read_members(resources, resource_members, RESOURCES, out, err))
        return -1;
    out->ranks = out->ranks ? out->ranks : 1;
    out->nodes = out->nodes ? out->nodes : 1;
    return check_task(out, err);
}

int task_read(const char *text, struct task *out, struct err *err)
{
    json_error_t why;
    *out = (struct task){.json = json_loads(text, JSON_REJECT_DUPLICATES, &why)};
    if (!out->json)
        return err_set(err, "the task is no JSON: %s (line %d)", why.text, why.line);
    if (read_task(out, err) == 0)
        return 0;
    task_fini(out);
    return -1;
}

void task_fini(struct task *task)
{
    free(task->command);
    free(task->percent);
    free(task->container_options);
    free(task->metrics);
    json_decref(task->json);
    *task = (struct task){0};
}
