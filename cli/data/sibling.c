/* Asking our other programs; see sibling.h. */
#include "cli/data/sibling.h"
#include "cli/data/kernel_row.h"
#include "cli/json.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/suggest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_ARGUMENTS = 16 };

/* Starts the program with its standard output in the pipe and its messages in a file. */
static int start_program_data(const char *path, const char *const *arguments, int out, int messages, pid_t *pid,
                              struct err *err)
{
    const char *argv[MOST_ARGUMENTS + 2] = {path};
    for (size_t i = 0; arguments[i] && i < MOST_ARGUMENTS; i++)
        argv[i + 1] = arguments[i];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    errno = posix_spawn(pid, path, &actions, NULL, (char **)(void *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return errno ? err_errno(err, "can't start %s", path) : 0;
}

static void read_all(int fd, struct buf *out)
{
    char bytes[4096];
    ssize_t count;
    while ((count = read(fd, bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR))
        if (count > 0)
            buf_add(out, bytes, (size_t)count);
}

/* The last line that it said, without its name in front. */
static void quote_message(const char *program, int messages, struct err *err)
{
    struct buf text = {0};
    lseek(messages, 0, SEEK_SET);
    read_all(messages, &text);
    while (text.length && text.data[text.length - 1] == '\n')
        text.data[--text.length] = '\0';
    const char *newline = text.length ? strrchr(text.data, '\n') : NULL;
    const char *said = newline ? newline + 1 : buf_str(&text);
    size_t name = strlen(program);
    if (strncmp(said, program, name) == 0 && strncmp(said + name, ": ", 2) == 0)
        said += name + 2;
    err_write(err, "%s", said);
    buf_fini(&text);
}

/* Runs it to its end. 0; its exit status; or -1 with a sentence. */
static int run_program(const char *path, const char *const *arguments, int messages, struct buf *out, struct err *err)
{
    int ends[2], status;
    pid_t pid;
    if (messages < 0 || pipe2(ends, O_CLOEXEC))
        return err_errno(err, "can't make a pipe");
    int started = start_program_data(path, arguments, ends[1], messages, &pid, err);
    close(ends[1]);
    if (!started)
        read_all(ends[0], out);
    close(ends[0]);
    if (started)
        return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : err_set(err, "%s was killed", path);
}

json_t *sibling_ask(const char *program, const char *const *arguments, struct err *err)
{
    char *directory = path_program_directory(), *path = path_join(directory, program);
    struct buf text = {0};
    json_error_t problem;
    json_t *answer = NULL;
    int messages = memfd_create("messages", MFD_CLOEXEC);
    int status = run_program(path, arguments, messages, &text, err);
    if (status == 0)
        answer = json_loadb(buf_str(&text), text.length, 0, &problem);
    if (status > 0)
        quote_message(program, messages, err);
    else if (status == 0 && !answer)
        err_write(err, "%s %s did not answer with JSON: %s", path, arguments[0], problem.text);
    if (messages >= 0)
        close(messages);
    buf_fini(&text);
    free(path);
    free(directory);
    return answer;
}

/* The words that ask for the slots of the first worker. */
static void add_question(const struct spec_resources *wanted, const struct slots_machine *machine, struct texts *words)
{
    texts_add_all(words, (const char *const[]){"--show-slots", "--json", NULL});
    texts_add(words, mem_format("--cpus=%" PRIu32, wanted->cpus));
    texts_add(words, mem_format("--sockets=%" PRIu32, wanted->sockets));
    texts_add(words, mem_format("--trials-per-socket=%" PRIu32, wanted->per_socket));
    texts_add(words, mem_format("--gpus=%g", wanted->gpu_share));
    if (wanted->gpu_memory)
        texts_add(words, mem_format("--gpu-memory=%" PRIu64 "K", wanted->gpu_memory / 1024));
    texts_add(words, mem_format("--bind=%s", bind_name(wanted->bind)));
    texts_add(words, mem_format("--share=1/%" PRIu64, machine->workers ? machine->workers : 1));
    texts_add(words, mem_format("--fuse=%" PRIu32, wanted->fuse));
    if (wanted->memory)
        texts_add(words, mem_format("--memory=%" PRIu64 "K", wanted->memory / 1024));
    texts_add_all(words, (const char *const *)machine->words.items);
}

json_t *sibling_slots(const struct spec_resources *wanted, const struct slots_machine *machine, struct err *err)
{
    struct texts words = {0};
    add_question(wanted, machine, &words);
    json_t *answer = sibling_ask("gannet-worker", (const char *const *)words.items, err);
    texts_fini(&words);
    json_t *slots = json_incref(json_object_get(answer, "slots"));
    if (answer && !slots)
        err_write(err,
                  "gannet-worker --show-slots did not list slots; are gannet and gannet-worker of the same version?");
    json_decref(answer);
    return slots;
}

json_t *catalog_read(struct err *err)
{
    json_t *catalog = sibling_ask("gannet-trainer", (const char *const[]){"--kernels", "--json", NULL}, err);
    if (catalog && !json_is_array(catalog)) {
        json_decref(catalog);
        err_write(err,
                  "gannet-trainer --kernels --json did not list kernels; are gannet and gannet-trainer of the same "
                  "version?");
        return NULL;
    }
    return catalog;
}

/* Reports a name that is not in a table of the catalog: "the kernel 'mlp' has no option 'epoch'". The hint may begin
 * with who else has it; it is freed. */
static void report_unknown(struct problems *problems, const json_t *table, const char *what, const char *name,
                           const char *key, bool at_key, struct buf *hint)
{
    size_t count = json_array_size(table), index;
    const char **names = MEM_ARRAY(const char *, count + 1);
    const json_t *row;
    json_array_foreach(table, index, row) names[index] = json_text(row, "name");
    const char *near = hint->length ? NULL : suggest_nearest(name, names, count);
    if (near)
        buf_format(hint, "did you mean '%s'?", near);
    else
        buf_text(hint, "there are: ");
    if (!near)
        suggest_list(hint, names, count);
    char *message = mem_format("%s '%s'", what, name);
    problems_report(problems, false, key, at_key, "unknown_name", message, buf_str(hint));
    free(message);
    buf_fini(hint);
    free(names);
}

static void check_options(const json_t *catalog, const json_t *kernel, const struct spec *spec,
                          struct problems *problems)
{
    const json_t *rows = json_object_get(kernel, "options");
    const char *name;
    json_t *value, *row;
    char *what = mem_format("the kernel '%s' has no option", spec->trial.kernel);
    json_object_foreach(spec->trial.options, name, value)
    {
        char *key = mem_format("trial.options.%s", name);
        struct buf hint = {0};
        if ((row = kernel_row_in_slot(kernel_row_find(rows, name), spec))) {
            kernel_row_check_option(row, name, value, key, problems);
        } else {
            kernel_row_owners(catalog, "options", name, &hint);
            report_unknown(problems, rows, what, name, key, true, &hint);
        }
        json_decref(row);
        free(key);
    }
    free(what);
}

/* Options without a default must be given. */
static void check_needed(const json_t *kernel, const struct spec *spec, struct problems *problems)
{
    size_t index;
    const json_t *row;
    json_array_foreach(json_object_get(kernel, "options"), index, row)
    {
        const char *name = json_text(row, "name");
        if (!json_is_null(json_object_get(row, "default")) || json_object_get(spec->trial.options, name))
            continue;
        char *message = mem_format("the kernel '%s' needs the option '%s'", spec->trial.kernel, name);
        problems_report(problems, false, "trial.options", true, "missing_option", message, json_text(row, "help"));
        free(message);
    }
}

/* What may be a parameter of the experiment may also be fixed in trial.options, not the other way round. */
static void check_params(const json_t *catalog, const json_t *kernel, const struct spec *spec,
                         struct problems *problems)
{
    const json_t *rows = json_object_get(kernel, "params");
    json_t *row;
    char *what = mem_format("the kernel '%s' has no parameter", spec->trial.kernel);
    for (uint32_t i = 0; i < space_count(spec->space); i++) {
        const struct param *param = space_param(spec->space, i);
        char *key = mem_format("parameters.%s", param->name);
        struct buf hint = {0};
        if ((row = kernel_row_in_slot(kernel_row_find(rows, param->name), spec))) {
            kernel_row_check_param(row, param, key, problems);
        } else {
            kernel_row_owners(catalog, "params", param->name, &hint);
            report_unknown(problems, rows, what, param->name, key, true, &hint);
        }
        json_decref(row);
        free(key);
    }
    free(what);
}

/* `metrics` is written for people: "val_loss, val_accuracy"; "*" is any. */
static void check_metric(const json_t *kernel, const struct spec *spec, struct problems *problems)
{
    const char *metrics = json_text(kernel, "metrics");
    bool reported = strchr(metrics, '*') != NULL || !*metrics;
    for (const char *at = metrics; *at && !reported;) {
        size_t length = strcspn(at, ", ");
        reported = length == strlen(spec->metric.name) && strncmp(at, spec->metric.name, length) == 0;
        at += length + strspn(at + length, ", ");
    }
    if (reported)
        return;
    char *message = mem_format("the kernel '%s' does not report '%s'", spec->trial.kernel, spec->metric.name);
    char *hint = mem_format("it reports %s", metrics);
    problems_report(problems, false, "metric.name", false, "unknown_name", message, hint);
    free(message);
    free(hint);
}

/* The kernels whose trials can train together, as words. */
static void list_fusing(const json_t *catalog, struct buf *out)
{
    size_t index;
    const json_t *kernel;
    json_array_foreach(catalog, index, kernel) if (json_is_true(json_object_get(kernel, "fusion")))
        buf_format(out, "%s%s", out->length ? ", " : "", json_text(kernel, "name"));
}

static void check_fusion(const json_t *catalog, const json_t *kernel, const struct spec *spec,
                         struct problems *problems)
{
    struct buf hint = {0}, names = {0};
    if (spec->resources.fuse < 2 || json_is_true(json_object_get(kernel, "fusion")))
        return;
    list_fusing(catalog, &names);
    buf_format(&hint, "leave it out; those that can: %s", buf_str(&names));
    char *message = mem_format("trials of the kernel '%s' can't train together", spec->trial.kernel);
    problems_report(problems, false, "resources.fuse", false, "bad_value", message, buf_str(&hint));
    free(message);
    buf_fini(&hint);
    buf_fini(&names);
}

static bool can_continue(const json_t *kernel)
{
    return json_is_true(json_object_get(kernel, "checkpoint"));
}

static bool can_share(const json_t *kernel)
{
    return json_is_true(json_object_get(kernel, "ranks"));
}

void catalog_check(const json_t *catalog, const struct spec *spec, struct problems *problems)
{
    if (!spec->trial.kernel)
        return;
    const json_t *kernel = json_named(catalog, spec->trial.kernel);
    if (!kernel) {
        report_unknown(problems, catalog, "there is no kernel", spec->trial.kernel, "trial.kernel", false,
                       &(struct buf){0});
        return;
    }
    check_options(catalog, kernel, spec, problems);
    check_needed(kernel, spec, problems);
    check_params(catalog, kernel, spec, problems);
    check_metric(kernel, spec, problems);
    check_fusion(catalog, kernel, spec, problems);
    if (spec->trial.checkpoint == CHECKPOINT_YES && !can_continue(kernel))
        problems_report(problems, false, "trial.checkpoint", false, "bad_value",
                        "trials of this kernel can't be continued from checkpoints", "leave it out, or write false");
    if (spec->resources.ranks > 1 && !can_share(kernel))
        problems_report(problems, false, "resources.ranks", true, "conflict", "this kernel trains in one process",
                        "leave it out; resources.cpus gives that process more cores");
    if (spec->resources.nodes > 1 && !can_share(kernel))
        problems_report(problems, false, "resources.nodes", true, "conflict",
                        "this kernel trains in one process, on one node", "leave it out");
}

bool catalog_can_continue(const json_t *catalog, const char *kernel)
{
    return can_continue(json_named(catalog, kernel));
}

bool catalog_can_share(const json_t *catalog, const char *kernel)
{
    return can_share(json_named(catalog, kernel));
}
