/* The section trial: all that is known of one, for its page. */
#include "cli/fetch/sections.h"
#include "cli/data/verdict_words.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/session/rerun.h"
#include "cli/status.h"
#include "cli/view/running.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"
#include "scheduler/rundir/pass.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Points of a curve that a page has room for; bytes of a file's end that are read; files that are listed; how often
 * what does not change is read again, in seconds. */
enum { CURVE_MOST = 1000, TAIL_BYTES = 16384, FILES_MOST = 100, KNOWN_SECONDS = 30 };

/* Stands in commands where a person types what stands before the names of our programs. */
static const char programs_mark[] = "\001";

struct trial_memory {
    json_t *experiment;
    struct spec *spec; /* NULL: it can't be read */
    double known;      /* when, on the monotonic clock */
};

static void free_memory(void *data)
{
    struct trial_memory *memory = data;
    json_decref(memory->experiment);
    spec_destroy(memory->spec);
    free(memory);
}

/* -1 with a sentence. */
static int know_experiment(const struct section_reading *reading, struct trial_memory **out, struct err *err)
{
    struct trial_memory *memory = reading->memory->data;
    if (!memory) {
        reading->memory->data = memory = MEM_NEW(struct trial_memory);
        reading->memory->free = free_memory;
    }
    *out = memory;
    if (memory->experiment && clock_monotonic() - memory->known < KNOWN_SECONDS)
        return 0;
    json_t *experiment = source_read(reading->source, "experiment", json_pack("{s:b}", "brief", 1), err);
    if (!experiment)
        return -1;
    json_decref(memory->experiment);
    spec_destroy(memory->spec);
    memory->experiment = experiment;
    memory->spec = source_spec(reading->source, NULL);
    memory->known = clock_monotonic();
    return 0;
}

/* --- its files --- */

/* The end of a file as lines that can do nothing to a terminal; "" where it can't be read. */
static json_t *read_tail(const char *directory, const char *name)
{
    struct buf safe = {0};
    char bytes[TAIL_BYTES], *path = mem_format("%s/%s", directory, name);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    struct stat about;
    ssize_t count = -1;
    if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode)) {
        off_t from = about.st_size > TAIL_BYTES ? about.st_size - TAIL_BYTES : 0;
        count = pread(file, bytes, sizeof bytes, from);
        const char *line = from && count > 0 ? memchr(bytes, '\n', (size_t)count) : NULL;
        size_t skipped = line ? (size_t)(line + 1 - bytes) : 0; /* a line that is cut */
        if (count > 0)
            format_safe_lines(bytes + skipped, (size_t)count - skipped, &safe);
    }
    if (file >= 0)
        close(file);
    free(path);
    json_t *text = json_of_text(buf_str(&safe));
    buf_fini(&safe);
    return text;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static json_t *list_files(const char *path)
{
    json_t *list = json_array();
    char *names[FILES_MOST];
    size_t count = 0;
    DIR *directory = opendir(path);
    const struct dirent *entry;
    while (directory && count < FILES_MOST && (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            names[count++] = mem_text(entry->d_name);
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++) {
        struct stat about = {0};
        bool known = fstatat(dirfd(directory), names[i], &about, AT_SYMLINK_NOFOLLOW) == 0;
        json_array_append_new(list, json_pack("{s:o, s:I, s:b}", "name", json_of_text(names[i]), "bytes",
                                              (json_int_t)(known ? about.st_size : 0), "directory",
                                              (int)(known && S_ISDIR(about.st_mode))));
        free(names[i]);
    }
    if (directory)
        closedir(directory);
    return list;
}

static void add_files(const struct rundir *dir, uint64_t trial, json_t *out)
{
    char *path = mem_format("%s/%06" PRIu64, dir->trials, trial);
    json_object_set_new(out, "directory", json_of_text(path));
    json_object_set_new(out, "closed", json_boolean(pass_is(dir)));
    json_object_set_new(out, "files", list_files(path));
    json_object_set_new(out, "stdout", read_tail(path, "stdout"));
    json_object_set_new(out, "stderr", read_tail(path, "stderr"));
    free(path);
}

/* --- its curve --- */

/* The samples of the objective: [step, value, time], evenly chosen where there are very many. */
static json_t *curve_of(const json_t *trial, const char *metric)
{
    const json_t *samples = json_object_get(trial, "curve"), *sample;
    json_t *all = json_array(), *out = json_array();
    size_t index;
    json_array_foreach((json_t *)samples, index, sample)
    {
        if (strcmp(json_text(sample, "metric"), metric) == 0)
            json_array_append_new(all, json_pack("[O, O, O]", json_object_get(sample, "step"),
                                                 json_object_get(sample, "value"), json_object_get(sample, "time")));
    }
    size_t count = json_array_size(all), kept = count < CURVE_MOST ? count : CURVE_MOST;
    for (size_t i = 0; i < kept; i++)
        json_array_append(out, json_array_get(all, kept < 2 ? i : i * (count - 1) / (kept - 1)));
    json_decref(all);
    return out;
}

/* The best trial, as far as others are compared with it; null: there is none. */
static json_t *read_best(struct source *source, const char *metric, struct err *err)
{
    json_t *best = source_read(source, "best", NULL, err), *show = NULL, *out = NULL;
    if (!best)
        return NULL;
    uint64_t number = (uint64_t)json_integer_value(json_object_get(best, "trial"));
    json_decref(best);
    if (!number)
        return json_null();
    if (source_show(source, number, &show, err) == STATUS_OK)
        out = json_pack("{s:O, s:O, s:O, s:O, s:o}", "trial", json_object_get(show, "trial"), "params",
                        json_object_get(show, "params"), "value", json_object_get(show, "value"), "seconds",
                        json_object_get(show, "seconds"), "curve", curve_of(show, metric));
    json_decref(show);
    return out;
}

/* --- the whole --- */

static void add_command(const struct trial_memory *memory, const struct rundir *dir, const json_t *trial, json_t *out)
{
    struct buf command = {0};
    if (memory->spec && rerun_is_there(memory->spec) &&
        rerun_add(&(struct rerun){memory->spec, dir->path, programs_mark, true}, trial, &command, NULL))
        buf_clear(&command);
    json_object_set_new(out, "command", json_of_text(buf_str(&command)));
    buf_fini(&command);
}

static json_t *encode_trial(const struct trial_memory *memory, const struct section_reading *reading, json_t *trial,
                            json_t *best)
{
    const char *metric = json_text(memory->experiment, "metric");
    json_t *verdict = verdict_words(memory->experiment, trial), *curve = curve_of(trial, metric);
    running_fill(trial, metric, clock_wall());
    json_t *out =
        json_pack("{s:O, s:O, s:O?, s:O?, s:s, s:s, s:o}", "trial", trial, "best", best, "metric",
                  json_object_get(memory->experiment, "metric"), "goal", json_object_get(memory->experiment, "goal"),
                  "verdict", json_text(verdict, "sentence"), "advice", json_text(verdict, "advice"), "curve", curve);
    json_object_del(trial, "curve"); /* may be long */
    json_object_del(trial, "operations");
    add_command(memory, source_dir(reading->source), trial, out);
    add_files(source_dir(reading->source), reading->wants->trial, out);
    json_decref(verdict);
    return out;
}

json_t *section_trial(const struct section_reading *reading, struct err *err)
{
    struct trial_memory *memory;
    json_t *trial = NULL, *best = NULL, *out = NULL;
    if (know_experiment(reading, &memory, err) || source_show(reading->source, reading->wants->trial, &trial, err))
        return NULL;
    best = read_best(reading->source, json_text(memory->experiment, "metric"), err);
    if (best)
        out = encode_trial(memory, reading, trial, best);
    json_decref(best);
    json_decref(trial);
    return out;
}
