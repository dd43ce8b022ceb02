/* Work of programs on GPUs; see gpu_work.h. What is read here was written within a person's program, so it may be
 * anything: files are few and short, and what makes no sense in them counts as not told. */
#include "worker/program/gpu_work.h"
#include "common/gpu_sums.h"
#include "common/mem.h"
#include "common/path.h"
#include "worker/program/program_env.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "CUDA_INJECTION64_PATH"

/* A file has up to 257 names of up to 190 bytes. */
enum { FILES_MOST = 64, FILE_BYTES = 1 << 16, NAMES_MOST = 1024 };

/* Of a run's file and attempt. free() it. */
static char *directory_of(const char *directory, uint32_t attempt)
{
    return mem_format("%s/.gannet-gpu-%u", directory, attempt);
}

/* --- before the start --- */

bool gpu_work_is_wanted(const struct program_setup *setup)
{
    return setup->task->profile && setup->gpus && setup->run->gang.node == 0;
}

/* Profilers that want the driver's records for themselves. */
static bool is_tool(const char *word, size_t length)
{
    static const char *const tools[] = {"nsys", "ncu", "nvprof", "nv-nsight-cu-cli", "compute-sanitizer", "cuda-gdb"};
    for (size_t i = 0; i < length; i++)
        if (word[i] == '/')
            return is_tool(word + i + 1, length - i - 1);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (strlen(tools[i]) == length && strncmp(tools[i], word, length) == 0)
            return true;
    return false;
}

/* Words of the command, those of a shell's line too. */
static bool is_profiled(const struct trial_command *command)
{
    static const char between[] = " \t\n;&|()\"'";
    for (size_t i = 0; i < command->argv.count; i++)
        for (const char *at = command->argv.items[i]; *at; at += strspn(at, between)) {
            size_t length = strcspn(at, between);
            if (is_tool(at, length))
                return true;
            at += length;
        }
    return false;
}

static const char *find_obstacle(const struct program_setup *setup, const struct trial_command *command)
{
    const char *own = texts_variable((const char *const *)command->env.items, VARIABLE);
    if (!setup->cupti)
        return "gannet's library for it, cupti.so, is not where it was installed";
    if (setup->server)
        return "a persistent program runs trial after trial in one process: the sums of a trial are not known";
    if (setup->task->container || buffering_enters_container(command))
        return "the program runs in a container, where gannet's library is not";
    if (own || getenv(VARIABLE))
        return VARIABLE " is set: another tool has the records";
    if (is_profiled(command))
        return "the command starts a profiler of NVIDIA's, which has the records";
    return NULL;
}

const char *gpu_work_prepare(const struct program_setup *setup, const struct trial_command *command)
{
    struct err err;
    if (!gpu_work_is_wanted(setup))
        return NULL;
    const char *obstacle = find_obstacle(setup, command);
    if (obstacle)
        return obstacle;
    char *path = directory_of(setup->directory, setup->run->attempt);
    (void)path_remove_tree(path, &err);
    int failed = path_make_directory(path, 0700, &err);
    free(path);
    return failed ? "the trial's directory can't be written to" : NULL;
}

void gpu_work_env(const struct program_setup *setup, uint32_t rank, struct texts *env)
{
    if (rank)
        return;
    char *path = directory_of(setup->directory, setup->run->attempt);
    texts_add(env, mem_format(VARIABLE "=%s", setup->cupti));
    texts_add(env, mem_format("GANNET_GPU_FILE=%s/gpu", path));
    free(path);
}

/* --- after the end --- */

/* What the files of a run came to. */
struct gpu_work {
    struct msg_gpu_sum sums[NAMES_MOST + 1];
    uint32_t count;
    const char *why; /* the first that was said; NULL: none was */
    bool any;        /* a file was there */
};

static void merge_sum(struct msg_gpu_sum *sum, const struct msg_gpu_sum *more)
{
    sum->min = sum->calls && sum->min < more->min ? sum->min : more->min;
    sum->max = sum->max > more->max ? sum->max : more->max;
    sum->calls += more->calls;
    sum->bytes += more->bytes;
    sum->seconds += more->seconds;
}

static void add_sum(struct gpu_work *work, const struct msg_gpu_sum *sum)
{
    uint32_t i = 0;
    while (i < work->count && strcmp(work->sums[i].name, sum->name) != 0)
        i++;
    if (i == NAMES_MOST)
        work->sums[i].name = GPU_SUMS_OTHERS;
    else if (i == work->count) {
        work->sums[i].name = sum->name;
        work->count++;
    }
    merge_sum(&work->sums[i], sum);
}

static bool is_chosen(const json_t *profile, const char *name)
{
    const json_t *pattern;
    size_t index;
    json_array_foreach(json_object_get(profile, "operations"), index,
                       pattern) if (json_is_string(pattern) &&
                                    fnmatch(json_string_value(pattern), name, 0) == 0) return true;
    return false;
}

/* A row of the file, [name, calls, bytes, nanoseconds, min, max], as far as it can be. */
static void add_row(const json_t *row, const json_t *profile, struct run *run, struct gpu_work *work)
{
    const double calls_most = 0x1p46, seconds_most = 1e8; /* so that 64 files fit a message */
    double numbers[5];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        numbers[i] = json_number_value(json_array_get(row, 1 + i));
    const char *name = json_string_value(json_array_get(row, 0));
    if (!name || !(numbers[0] >= 1 && numbers[0] <= calls_most) || !(numbers[2] / 1e9 <= seconds_most))
        return;
    struct msg_gpu_sum sum = {
        name, (uint64_t)numbers[0], numbers[1], numbers[2] / 1e9, numbers[3] / 1e9, numbers[4] / 1e9};
    if (!gpu_sum_is_sane(&sum) || !is_chosen(profile, name))
        return;
    sum.name = arena_text(&run->memory, name);
    add_sum(work, &sum);
}

static void read_file(const char *path, const json_t *profile, struct run *run, struct gpu_work *work)
{
    struct err err;
    struct buf text = {0};
    json_t *told = NULL, *row;
    size_t index;
    if (path_read_of(geteuid(), path, &text, FILE_BYTES, &err) == 0)
        told = json_loadb(buf_str(&text), text.length, JSON_REJECT_DUPLICATES, NULL);
    buf_fini(&text);
    const char *why = told ? json_string_value(json_object_get(told, "unknown")) : "what was written of it is damaged";
    work->any = true;
    if (!work->why && gpu_text_is_plain(why, GPU_WHY_LONGEST))
        work->why = arena_text(&run->memory, why);
    json_array_foreach(json_object_get(told, "operations"), index, row) add_row(row, profile, run, work);
    json_decref(told);
}

/* Those that were renamed: others were never finished. */
static void read_files(const char *path, const json_t *profile, struct run *run, struct gpu_work *work)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    uint32_t left = FILES_MOST;
    while (directory && left && (entry = readdir(directory))) {
        const char *end = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, "gpu.", 4) != 0 || strcmp(end, ".new") == 0)
            continue;
        char *file = path_join(path, entry->d_name);
        read_file(file, profile, run, work);
        free(file);
        left--;
    }
    if (directory)
        closedir(directory);
}

static int compare_sums(const void *a, const void *b)
{
    double one = ((const struct msg_gpu_sum *)a)->seconds, two = ((const struct msg_gpu_sum *)b)->seconds;
    return one < two ? 1 : one > two ? -1 : 0;
}

/* Those with the most time, and the sum of the others, which may have been one before. */
static uint32_t keep_longest(struct gpu_work *work)
{
    struct msg_gpu_sum others = work->sums[NAMES_MOST];
    uint32_t kept = 0;
    qsort(work->sums, work->count, sizeof *work->sums, compare_sums);
    for (uint32_t i = 0; i < work->count; i++) {
        if (kept == GPU_SUMS_KEPT || strcmp(work->sums[i].name, GPU_SUMS_OTHERS) == 0)
            merge_sum(&others, &work->sums[i]);
        else
            work->sums[kept++] = work->sums[i];
    }
    others.name = GPU_SUMS_OTHERS;
    if (others.calls)
        work->sums[kept++] = others;
    return kept;
}

static const char *find_reason(const struct gpu_work *work, uint32_t count)
{
    if (work->why || count)
        return work->why;
    return work->any ? "CUDA was started, and no record of what was asked for came"
                     : "no process of the program started CUDA with gannet's library";
}

void gpu_work_take(const char *directory, const json_t *profile, const char *why, struct run *run)
{
    struct err err;
    if (why) {
        run_gpu(run, NULL, 0, why);
        return;
    }
    char *path = directory_of(directory, run->attempt);
    struct gpu_work *work = MEM_NEW(struct gpu_work);
    read_files(path, profile, run, work);
    uint32_t count = keep_longest(work);
    run_gpu(run, work->sums, count, find_reason(work, count));
    (void)path_remove_tree(path, &err);
    free(work);
    free(path);
}
