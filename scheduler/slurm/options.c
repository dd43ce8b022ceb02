/* sbatch's options; see options.h. */
#include "scheduler/slurm/options.h"
#include "scheduler/slurm/further.h"
#include "scheduler/slurm/options_table.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/sbatch_time.h"

#include "common/mem.h"
#include "common/suggest.h"
#include "common/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- values --- */

static int read_count(const char *text, uint32_t *out, struct err *err)
{
    int64_t number;
    if (!units_integer(text, &number) || number < 0 || number >= SLURM_UNSET)
        return err_set(err, "'%s' is no whole number", text);
    *out = (uint32_t)number;
    return 0;
}

/* sbatch's bare numbers are MiB. */
static int read_memory(const char *text, uint32_t *out, struct err *err)
{
    int64_t number;
    uint64_t bytes;
    if (units_integer(text, &number))
        return read_count(text, out, err);
    if (units_size(text, &bytes, err))
        return -1;
    *out = (uint32_t)(((bytes - 1) >> 20) + 1);
    return 0;
}

static int read_begin(const char *text, double now, char **out, struct err *err)
{
    double seconds;
    if (sbatch_begin(text, now, &seconds, err))
        return -1;
    free(*out);
    *out = mem_format("%.0f", seconds);
    return 0;
}

static bool takes_value(enum option_kind kind)
{
    return kind != OPTION_ON && kind != OPTION_OFF && kind != OPTION_NICE && kind != OPTION_ON_OR &&
           kind != OPTION_PASS_ON;
}

/* What is being read. */
struct option_reading {
    struct slurm_request *request;
    const char **exported;
    double now;
    struct err *err;
};

/* Whether a list of generic resources is about GPUs alone. */
static bool is_of_gpus(const char *gres)
{
    return gres && strncmp(gres, "gpu", 3) == 0 && !strchr(gres, ',');
}

/* What was asked for before in another way, which the new option is meant to replace. */
static void drop_alternative(const struct option_row *row, struct slurm_request *request)
{
    if (row->kind == OPTION_MEMORY)
        further_drop(&request->further, "mem-per-gpu");
    else if (row->offset == offsetof(struct slurm_request, cpus_per_task))
        further_drop(&request->further, "cpus-per-gpu");
    if (row->offset == offsetof(struct slurm_request, memory))
        request->memory_per_cpu = SLURM_UNSET;
    else if (row->offset == offsetof(struct slurm_request, memory_per_cpu))
        request->memory = SLURM_UNSET;
    else if (strcmp(row->name, "mem-per-gpu") == 0)
        request->memory = request->memory_per_cpu = SLURM_UNSET;
    else if (strcmp(row->name, "cpus-per-gpu") == 0)
        request->cpus_per_task = SLURM_UNSET;
    else if (row->offset == offsetof(struct slurm_request, gres) && is_of_gpus(request->gres))
        slurm_request_set(&request->gpus_per_node, NULL);
    else if (row->offset == offsetof(struct slurm_request, gpus_per_node) && is_of_gpus(request->gres))
        slurm_request_set(&request->gres, NULL);
}

/* --- what is handed on --- */

static int pass_number(struct option_reading *reading, const char *name, uint32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    further_set(&reading->request->further, name, text);
    return 0;
}

static int pass_time(struct option_reading *reading, const char *name, const char *value)
{
    double seconds;
    char text[40];
    struct tm parts;
    if (sbatch_begin(value, reading->now, &seconds, reading->err))
        return -1;
    time_t whole = (time_t)seconds;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", localtime_r(&whole, &parts));
    further_set(&reading->request->further, name, text);
    return 0;
}

/* "2:8:1" is what three other options say. */
static int pass_shape(struct option_reading *reading, const char *value)
{
    static const char *const names[] = {"sockets-per-node", "cores-per-socket", "threads-per-core"};
    uint32_t counts[3];
    size_t count = 0;
    for (const char *at = value; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        char *one = mem_text_n(at, strcspn(at, ":"));
        int failed = count == 3 ? err_set(reading->err, "it is sockets:cores:threads, not '%s'", value)
                                : read_count(one, &counts[count], reading->err);
        free(one);
        if (failed)
            return -1;
        pass_number(reading, names[count], counts[count]);
        count++;
    }
    return 0;
}

static int pass_hint(struct option_reading *reading, const char *value)
{
    if (strcmp(value, "nomultithread") != 0)
        return err_set(reading->err, "of its words gannet takes 'nomultithread', not '%s'", value);
    return pass_number(reading, "threads-per-core", 1);
}

/* NULL where no value was given. */
static int pass_value(struct option_reading *reading, const struct option_row *row, const char *value)
{
    uint32_t number;
    if (value && strpbrk(value, "\n\r"))
        return err_set(reading->err, "its value has a line break");
    switch (row->kind) {
    case OPTION_PASS_NUMBER:
        return read_count(value, &number, reading->err) ? -1 : pass_number(reading, row->name, number);
    case OPTION_PASS_MEMORY:
        return read_memory(value, &number, reading->err) ? -1 : pass_number(reading, row->name, number);
    case OPTION_PASS_MINUTES:
        return sbatch_minutes(value, &number, reading->err) ? -1 : pass_number(reading, row->name, number);
    case OPTION_PASS_TIME:
        return pass_time(reading, row->name, value);
    case OPTION_PASS_SHAPE:
        return pass_shape(reading, value);
    case OPTION_PASS_HINT:
        return pass_hint(reading, value);
    case OPTION_PASS_ON:
        if (value)
            return err_set(reading->err, "it takes no value here, not '%s'", value);
        break;
    default:
        break;
    }
    further_set(&reading->request->further, row->name, value);
    return 0;
}

/* --exclusive is whole nodes; --exclusive=user something else, which Slurm knows best. */
static int set_or_pass(struct option_reading *reading, const struct option_row *row, const char *value, bool *at)
{
    further_drop(&reading->request->further, row->name);
    *at = !value;
    return value ? pass_value(reading, row, value) : 0;
}

/* A value of its row's kind into the request; NULL where none was given. */
static int set_value(struct option_reading *reading, const struct option_row *row, const char *value)
{
    static const uint32_t sbatchs_nice = 100;
    void *at = (char *)reading->request + row->offset;
    switch (row->kind) {
    case OPTION_TEXT:
        slurm_request_set(at, value);
        return 0;
    case OPTION_NUMBER:
        return read_count(value, at, reading->err);
    case OPTION_MINUTES:
        return sbatch_minutes(value, at, reading->err);
    case OPTION_MEMORY:
        return read_memory(value, at, reading->err);
    case OPTION_NICE:
        *(uint32_t *)at = sbatchs_nice;
        return value ? read_count(value, at, reading->err) : 0;
    case OPTION_BEGIN:
        return read_begin(value, reading->now, at, reading->err);
    case OPTION_ON:
    case OPTION_OFF:
        *(bool *)at = row->kind == OPTION_ON;
        return value ? err_set(reading->err, "it takes no value here, not '%s'", value) : 0;
    case OPTION_EXPORT:
        *reading->exported = value;
        return 0;
    case OPTION_ON_OR:
        return set_or_pass(reading, row, value, at);
    case OPTION_OURS:
        return err_set(reading->err, "%s", row->why);
    default:
        return pass_value(reading, row, value);
    }
}

/* --- arguments --- */

static int refuse_unknown(const char *word, struct err *err)
{
    const char **names = MEM_ARRAY(const char *, option_row_count);
    char *name = mem_text_n(word, strcspn(word, "="));
    struct buf list = {0};
    size_t count = 0;
    for (size_t i = 0; i < option_row_count; i++)
        if (option_rows[i].kind != OPTION_OURS)
            names[count++] = option_rows[i].name;
    const char *nearest = suggest_nearest(name + strspn(name, "-"), names, count);
    suggest_list(&list, names, count);
    err_write(err, "sbatch's option '%s' is not known here%s%s%s The options: %s", name,
              nearest ? "; did you mean '--" : "", nearest ? nearest : "", nearest ? "'?" : ".", buf_str(&list));
    buf_fini(&list);
    free(names);
    free(name);
    return -1;
}

static const struct option_row *find_row(const char *word)
{
    bool is_long = word[1] == '-';
    for (size_t i = 0; i < option_row_count; i++) {
        size_t length = strlen(option_rows[i].name);
        bool named =
            strncmp(word + 2, option_rows[i].name, length) == 0 && (!word[2 + length] || word[2 + length] == '=');
        if (is_long ? named : option_rows[i].short_name && option_rows[i].short_name == word[1])
            return &option_rows[i];
    }
    return NULL;
}

/* The value that stands in the word itself: behind '=', or behind a character. NULL: none does. */
static const char *own_value(const char *word)
{
    const char *equals = strchr(word, '=');
    if (word[1] == '-')
        return equals ? equals + 1 : NULL;
    return word[2] ? word + 2 + (word[2] == '=') : NULL;
}

/* One option; how many words it took, or -1. */
static int read_one(struct option_reading *reading, const char *const *words, size_t count)
{
    const char *word = words[0];
    const struct option_row *row = word[0] == '-' && word[1] ? find_row(word) : NULL;
    if (word[0] != '-' || !word[1])
        return err_set(reading->err, "'%s' is no option of sbatch; they begin with '-'", word);
    if (!row)
        return refuse_unknown(word, reading->err);
    const char *value = own_value(word);
    bool next = takes_value(row->kind) && row->kind != OPTION_OURS && !value && count > 1;
    if (next)
        value = words[1];
    if (takes_value(row->kind) && row->kind != OPTION_OURS && (!value || !*value))
        return err_set(reading->err, "sbatch's --%s needs a value", row->name);
    if (set_value(reading, row, value))
        return err_prefix(reading->err, "sbatch's --%s", row->name);
    drop_alternative(row, reading->request);
    return 1 + next;
}

int slurm_options_apply(const char *const *words, size_t count, double now, struct slurm_request *request,
                        const char **exported, struct err *err)
{
    struct option_reading reading = {request, exported, now, err};
    for (size_t at = 0; at < count;) {
        int used = read_one(&reading, words + at, count - at);
        if (used < 0)
            return -1;
        at += (size_t)used;
    }
    return 0;
}
