/* See kernel_data.h. */
#include "cli/session/kernel_data.h"
#include "cli/data/sibling.h"
#include "cli/json.h"
#include "cli/session/data_record.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/row_type.h"
#include "common/units.h"
#include "scheduler/spec/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The memory of the largest GPU of this machine; 0: there is none, or its driver does not say. */
static uint64_t largest_gpu(void)
{
    static const char *const arguments[] = {"--show-slots", "--json", NULL};
    struct err err;
    uint64_t most = 0;
    size_t index;
    const json_t *gpu;
    json_t *shown = sibling_ask("gannet-worker", arguments, &err);
    json_array_foreach(json_object_get(json_object_get(shown, "topology"), "gpus"), index, gpu)
    {
        uint64_t memory = (uint64_t)json_integer_value(json_object_get(gpu, "memory"));
        most = memory > most ? memory : most;
    }
    json_decref(shown);
    return most;
}

/* What a trial has of a GPU; 0: not known. */
static uint64_t memory_of_trial(const struct spec_resources *resources, bool elsewhere)
{
    if (resources->gpu_memory)
        return resources->gpu_memory;
    double share = resources->gpu_share > 0 && resources->gpu_share < 1 ? resources->gpu_share : 1;
    return elsewhere || !resources->gpus ? 0 : (uint64_t)((double)largest_gpu() * share);
}

static uint64_t number_in(const json_t *answer, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(answer, name));
}

/* Bytes that a place for trials has to have: of one trial, or of all that train together there (resources.fuse). */
static uint64_t bytes_needed(const struct spec_resources *resources, const json_t *answer)
{
    uint64_t each = number_in(answer, "each");
    return resources->fuse > 1 && each ? number_in(answer, "shared") + resources->fuse * each
                                       : number_in(answer, "bytes");
}

static char *memory_words(const struct spec_resources *resources, uint64_t bytes, uint64_t memory)
{
    char needs[32], has[32];
    units_show_size(bytes, needs, sizeof needs);
    units_show_size(memory, has, sizeof has);
    if (resources->fuse > 1)
        return mem_format("%u trials together take %s of their GPU for weights, activations and data, and have %s",
                          resources->fuse, needs, has);
    return mem_format("a trial takes %s of its GPU for weights, activations and data, and has %s", needs, has);
}

/* Reports a trial that can't fit (CUDA's own memory comes to what is counted), or all that train together: an error, or
 * a warning when trials run `elsewhere`. `answer`: of gannet-trainer --check. */
static void kernel_memory_check(const struct spec *spec, const json_t *answer, bool elsewhere,
                                struct problems *problems)
{
    const struct spec_resources *resources = &spec->resources;
    uint64_t bytes = bytes_needed(resources, answer), memory = bytes ? memory_of_trial(resources, elsewhere) : 0;
    if (!memory || bytes <= memory)
        return;
    char *words = memory_words(resources, bytes, memory);
    problems_report(problems, elsewhere, resources->gpu_memory ? "resources.gpu_memory" : "resources.gpus", true,
                    "gpu_memory", words,
                    resources->fuse > 1
                        ? "fewer of them together (fuse), a smaller batch or fewer weights need less; a larger part of "
                          "the GPU has more"
                        : "a smaller batch or fewer weights need less; a larger part of the GPU has more");
    free(words);
}

extern char **environ;

/* --- the reader --- */

/* One look at the data, by a process. */
struct look_at_data {
    char *key;       /* of the experiment file, which names the data */
    char *words[16]; /* the command, NULL at the end */
    pid_t reader;
    bool held;         /* it holds the data for the first trainer */
    int asks, answers; /* ends of pipes: to its standard input, from its standard output */
    struct buf answer; /* what it has said so far */
    uint64_t bytes;    /* of all files that are read */
    json_t *read;      /* what it says that these are, an array of paths; NULL: it says nothing */
};

/* Whether an option of this row is a file or what is made in its place. */
static bool is_data(const json_t *row)
{
    const char *words = json_text(row, "type"), *at;
    for (size_t length; (length = row_type_next(&words, &at));)
        if (length == 4 && strncmp(at, "path", 4) == 0)
            return true;
    return false;
}

/* The options as a text. Nothing is staged for trials on other nodes; texts, which are mapped, never are. */
static char *write_options(const json_t *rows, const struct spec *spec, bool elsewhere)
{
    const char *learn = json_string_value(json_object_get(spec->trial.options, "learn"));
    json_t *options = json_copy(spec->trial.options);
    if (elsewhere && json_named(rows, "stage") && !(learn && strcmp(learn, "next") == 0))
        json_object_set_new(options, "stage", json_string("none"));
    char *text = json_dumps(options, JSON_COMPACT);
    json_decref(options);
    return text;
}

/* Processors of each process of a trial, as far as the file says how many; else more than any has. */
static char *write_threads(const struct spec *spec)
{
    uint32_t cpus = spec->resources.cpus, ranks = spec->resources.ranks;
    return mem_format("%u", !cpus ? 65536 : cpus / ranks ? cpus / ranks : 1);
}

/* "lr,width": what trials differ in. */
static char *write_searched(const struct spec *spec)
{
    struct buf names = {0};
    for (uint32_t i = 0; i < space_count(spec->space); i++)
        buf_format(&names, i ? ",%s" : "%s", space_param(spec->space, i)->name);
    char *text = mem_text(buf_str(&names));
    buf_fini(&names);
    return text;
}

static void add_words(struct look_at_data *look, const struct spec *spec, char *options)
{
    char *directory = path_program_directory(), *searched = write_searched(spec), *threads = write_threads(spec);
    const char *const words[] = {"--check",         spec->trial.kernel, "--base", spec->base,  "--metric",
                                 spec->metric.name, "--searched",       searched, "--threads", threads,
                                 "--options"};
    look->words[0] = path_join(directory, "gannet-trainer");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        look->words[i + 1] = mem_text(words[i]);
    look->words[sizeof words / sizeof *words + 1] = options;
    free(directory);
    free(searched);
    free(threads);
}

static int start_reader(struct look_at_data *look, struct err *err)
{
    int in[2] = {-1, -1}, out[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(out, O_CLOEXEC))
        return err_errno(err, "can't make a pipe");
    posix_spawn_file_actions_init(&actions);
    errno = pipe2(in, O_CLOEXEC) ? errno : 0;
    if (!errno) {
        posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        errno = posix_spawn(&look->reader, look->words[0], &actions, NULL, look->words, environ);
    }
    if (errno)
        err_write_errno(err, "can't start %s", look->words[0]);
    bool failed = errno;
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    if (in[0] >= 0)
        close(in[0]);
    look->asks = in[1];
    look->answers = out[0];
    return failed ? -1 : 0;
}

/* --- how far it is --- */

static uint64_t size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

/* The file or directory of data that this option names; NULL: none, or it is not about data. To be freed. */
static char *data_path(const json_t *row, const struct spec *spec)
{
    const char *value = json_string_value(json_object_get(spec->trial.options, json_text(row, "name")));
    return value && is_data(row) ? path_join(spec->base, value) : NULL;
}

static uint64_t sum_files(const json_t *rows, const struct spec *spec)
{
    uint64_t sum = 0;
    const json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        char *path = data_path(row, spec);
        sum += path ? size_of(path) : 0;
        free(path);
    }
    return sum;
}

/* Bytes that it has read, the few of its program included; 0: not known. */
static uint64_t count_read(pid_t reader)
{
    unsigned long long count = 0;
    char *path = mem_format("/proc/%ld/io", (long)reader);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "rchar: %llu", &count) != 1)
        count = 0;
    if (file)
        fclose(file);
    free(path);
    return count;
}

/* "gannet: reading the data, 3.2 GiB: 40 %"; of a directory and what is made only that it goes on. */
static void tell_progress(const struct look_at_data *look)
{
    char size[32];
    uint64_t done = count_read(look->reader);
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "gannet: reading the data%s%s", look->bytes ? ", " : "",
            look->bytes ? units_show_size(look->bytes, size, sizeof size) : "");
    if (look->bytes && done < look->bytes)
        fprintf(stderr, ": %.0f %%", 100 * (double)done / (double)look->bytes);
    else if (look->bytes && done)
        fputs(": all of it, and packing it", stderr);
    fputs("\n", stderr);
}

/* --- its answer --- */

/* Whether more of the line may come. */
static bool read_more(struct look_at_data *look)
{
    char bytes[4096];
    ssize_t count = read(look->answers, bytes, sizeof bytes);
    if (count <= 0)
        return count < 0 && errno == EINTR;
    buf_add(&look->answer, bytes, (size_t)count);
    return bytes[count - 1] != '\n';
}

/* Reads a line, or until the reader has ended. */
static void await_answer(struct look_at_data *look)
{
    enum { PATIENCE = 5000 /* milliseconds */ };
    struct pollfd readable = {.fd = look->answers, .events = POLLIN};
    for (bool more = true; more;) {
        int ready = poll(&readable, 1, PATIENCE);
        if (ready == 0)
            tell_progress(look);
        else
            more = ready < 0 ? errno == EINTR : read_more(look);
    }
}

static int await_exit(pid_t reader)
{
    int status = 0;
    while (waitpid(reader, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/* It said nothing that could be understood. */
static void report_failure(struct look_at_data *look, struct problems *problems)
{
    close(look->asks);
    look->asks = -1;
    int status = await_exit(look->reader);
    look->reader = 0;
    char *message = WIFSIGNALED(status)
                        ? mem_format("the data could not be looked at before the start: gannet-trainer --check was "
                                     "ended by signal %d (%s)%s",
                                     WTERMSIG(status), strsignal(WTERMSIG(status)),
                                     WTERMSIG(status) == SIGKILL ? ", perhaps for want of memory" : "")
                        : mem_format("the data could not be looked at before the start: gannet-trainer --check gave no "
                                     "answer, exit status %d",
                                     WEXITSTATUS(status));
    problems_report(problems, true, "trial.options", true, "not_checked", message,
                    "trials are started all the same, and say what is the matter");
    free(message);
}

/* What it says of the data. */
static void take_answer(struct look_at_data *look, const struct spec *spec, bool elsewhere, struct kernel_data *seen,
                        struct problems *problems)
{
    json_t *answer = json_loadb(buf_str(&look->answer), look->answer.length, 0, NULL);
    if (!json_is_object(answer))
        report_failure(look, problems);
    else if (!json_is_true(json_object_get(answer, "fine")))
        problems_report(problems, elsewhere, look->key, false, "bad_data", json_text(answer, "error"),
                        elsewhere ? "so it is here; trials run on other nodes" : "no trial could begin with it");
    else if (json_string_value(json_object_get(answer, "data")))
        seen->summary = mem_text(json_text(answer, "data"));
    if (json_object_get(answer, "trial"))
        problems_report(problems, elsewhere, "trial.options", true, "bad_config", json_text(answer, "trial"),
                        elsewhere ? "so it is here; trials run on other nodes" : "no trial could begin with it");
    kernel_memory_check(spec, answer, elsewhere, problems);
    if (json_object_get(answer, "warning"))
        problems_report(problems, true, look->key, false, "unseen_classes", json_text(answer, "warning"), NULL);
    look->held = json_is_true(json_object_get(answer, "held"));
    look->read = json_incref(json_object_get(answer, "files"));
    json_decref(answer);
}

static void end_reader(struct kernel_data *seen)
{
    if (seen->reader > 0) {
        close(seen->asks);
        await_exit(seen->reader);
    }
    seen->reader = 0;
}

static void read_data(struct look_at_data *look, const struct spec *spec, bool elsewhere, struct kernel_data *seen,
                      struct problems *problems)
{
    struct err err;
    if (start_reader(look, &err)) {
        problems_report(problems, true, "trial.options", true, "not_checked", err.text, NULL);
        look->reader = 0;
    } else {
        await_answer(look);
        take_answer(look, spec, elsewhere, seen, problems);
    }
    close(look->answers);
    seen->reader = look->reader;
    seen->asks = look->asks;
    if (!look->held)
        end_reader(seen);
}

/* The option that names the data; NULL: there is none. */
static const char *find_data(const json_t *rows, const struct spec *spec)
{
    size_t index;
    const json_t *row;
    json_array_foreach(rows, index, row)
    {
        const char *name = json_text(row, "name");
        if (is_data(row) && json_object_get(spec->trial.options, name))
            return name;
    }
    return NULL;
}

/* What the options name, and what else was `read`: the test part beside a file. */
static json_t *record_files(const json_t *rows, const struct spec *spec, const json_t *read)
{
    json_t *files = json_array();
    const json_t *row, *path_read;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        char *path = data_path(row, spec);
        if (path)
            data_record_add(json_text(row, "name"), path, files);
        free(path);
    }
    const char *rest = json_object_get(spec->trial.options, "validation_data") ? "validation_data" : "data";
    json_array_foreach(read, index, path_read)
    {
        if (json_string_value(path_read))
            data_record_add(rest, json_string_value(path_read), files);
    }
    return files;
}

void kernel_data_check(const json_t *catalog, const struct spec *spec, enum program_place place,
                       struct kernel_data *seen, struct problems *problems)
{
    bool elsewhere = place == PROGRAM_ELSEWHERE || (place == PROGRAM_OF_FILE && spec->slurm.given);
    const json_t *rows = json_object_get(json_named(catalog, spec->trial.kernel), "options");
    const char *name = find_data(rows, spec);
    if (place == PROGRAM_NOWHERE || !name)
        return;
    struct look_at_data look = {
        .key = mem_format("trial.options.%s", name), .bytes = sum_files(rows, spec), .asks = -1};
    add_words(&look, spec, write_options(rows, spec, elsewhere));
    read_data(&look, spec, elsewhere, seen, problems);
    seen->files = record_files(rows, spec, look.read);
    json_decref(look.read);
    for (size_t i = 0; look.words[i]; i++)
        free(look.words[i]);
    free(look.key);
    buf_fini(&look.answer);
}

void kernel_data_fini(struct kernel_data *seen)
{
    end_reader(seen);
    free(seen->summary);
    json_decref(seen->files);
    *seen = (struct kernel_data){0};
}
