/* sbatch's options; see options.h. */
#include "scheduler/slurm/options.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/sbatch_time.h"

#include "common/mem.h"
#include "common/suggest.h"
#include "common/units.h"

#include <stdlib.h>
#include <string.h>

/* --- the table --- */

enum kind {
    TEXT,
    NUMBER,
    MINUTES,
    MEMORY, /* MiB: "4000", "4G", "0" */
    NICE,   /* a number, which may be left out */
    BEGIN,
    ON,  /* a switch, */
    OFF, /* and one that clears it */
    EXPORT,
    OURS /* refused: gannet sees to it */
};

struct option_row {
    const char *name;
    char short_name;
    enum kind kind;
    size_t offset;   /* in struct slurm_request */
    const char *why; /* OURS: what to do instead */
};

#define AT(member) offsetof(struct slurm_request, member), NULL

static const char *const one_worker = "gannet starts one worker a node, which shares it out among the trials";
static const char *const own_output = "the job's output is in the run directory's logs";

static const struct option_row rows[] = {
    {"account", 'A', TEXT, AT(account)},
    {"begin", 'b', BEGIN, AT(begin)},
    {"chdir", 'D', TEXT, AT(directory)},
    {"constraint", 'C', TEXT, AT(constraint)},
    {"cpus-per-task", 'c', NUMBER, AT(cpus_per_task)},
    {"dependency", 'd', TEXT, AT(dependency)},
    {"exclude", 'x', TEXT, AT(exclude)},
    {"exclusive", 0, ON, AT(exclusive)},
    {"export", 0, EXPORT, 0, NULL},
    {"gpus-per-node", 0, TEXT, AT(gpus_per_node)},
    {"gres", 0, TEXT, AT(gres)},
    {"hold", 'H', ON, AT(hold)},
    {"job-name", 'J', TEXT, AT(name)},
    {"licenses", 'L', TEXT, AT(licenses)},
    {"mail-type", 0, TEXT, AT(mail_type)},
    {"mail-user", 0, TEXT, AT(mail_user)},
    {"mem", 0, MEMORY, AT(memory)},
    {"mem-per-cpu", 0, MEMORY, AT(memory_per_cpu)},
    {"nice", 0, NICE, AT(nice)},
    {"no-kill", 'k', ON, AT(no_kill)},
    {"no-requeue", 0, OFF, AT(requeue)},
    {"nodelist", 'w', TEXT, AT(nodelist)},
    {"nodes", 'N', NUMBER, AT(nodes)},
    {"partition", 'p', TEXT, AT(partition)},
    {"qos", 'q', TEXT, AT(qos)},
    {"requeue", 0, ON, AT(requeue)},
    {"reservation", 0, TEXT, AT(reservation)},
    {"time", 't', MINUTES, AT(minutes)},
    {"time-min", 0, MINUTES, AT(minutes_least)},
    {"array", 'a', OURS, 0, "write slurm.shape: array, and slurm.workers"},
    {"comment", 0, OURS, 0, "gannet knows its jobs by it; slurm.comment is added to it"},
    {"error", 'e', OURS, 0, own_output},
    {"gpus", 'G', OURS, 0, "it counts over the whole job; write --gpus-per-node"},
    {"gpus-per-task", 0, OURS, 0, "there is one task a node; write --gpus-per-node"},
    {"input", 'i', OURS, 0, "the job reads nothing"},
    {"ntasks", 'n', OURS, 0, one_worker},
    {"ntasks-per-node", 0, OURS, 0, one_worker},
    {"open-mode", 0, OURS, 0, "the output of a job that starts again is appended"},
    {"output", 'o', OURS, 0, own_output},
    {"parsable", 0, OURS, 0, "gannet submit --json says the job's id to programs"},
    {"signal", 0, OURS, 0, "write slurm.signal_before_end"},
    {"test-only", 0, OURS, 0, "gannet submit --dry-run shows what would be submitted"},
    {"wait", 'W', OURS, 0, "write gannet submit --wait"},
    {"wrap", 0, OURS, 0, "the job runs gannet; lines to run before it go under slurm.setup"},
};
enum { ROWS = sizeof rows / sizeof *rows };

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

static bool takes_value(enum kind kind)
{
    return kind != ON && kind != OFF && kind != NICE;
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
static void drop_rival(const struct option_row *row, struct slurm_request *request)
{
    if (row->offset == offsetof(struct slurm_request, memory))
        request->memory_per_cpu = SLURM_UNSET;
    else if (row->offset == offsetof(struct slurm_request, memory_per_cpu))
        request->memory = SLURM_UNSET;
    else if (row->offset == offsetof(struct slurm_request, gres) && is_of_gpus(request->gres))
        slurm_request_set(&request->gpus_per_node, NULL);
    else if (row->offset == offsetof(struct slurm_request, gpus_per_node) && is_of_gpus(request->gres))
        slurm_request_set(&request->gres, NULL);
}

/* A value of its row's kind into the request; NULL where none was given. */
static int set_value(struct option_reading *reading, const struct option_row *row, const char *value)
{
    static const uint32_t sbatchs_nice = 100;
    void *at = (char *)reading->request + row->offset;
    switch (row->kind) {
    case TEXT:
        slurm_request_set(at, value);
        return 0;
    case NUMBER:
        return read_count(value, at, reading->err);
    case MINUTES:
        return sbatch_minutes(value, at, reading->err);
    case MEMORY:
        return read_memory(value, at, reading->err);
    case NICE:
        *(uint32_t *)at = sbatchs_nice;
        return value ? read_count(value, at, reading->err) : 0;
    case BEGIN:
        return read_begin(value, reading->now, at, reading->err);
    case ON:
    case OFF:
        *(bool *)at = row->kind == ON;
        return value ? err_set(reading->err, "it takes no value here, not '%s'", value) : 0;
    case EXPORT:
        *reading->exported = value;
        return 0;
    case OURS:
        return err_set(reading->err, "%s", row->why);
    }
    return -1;
}

/* --- arguments --- */

static int refuse_unknown(const char *word, struct err *err)
{
    const char *names[ROWS];
    char *name = mem_text_n(word, strcspn(word, "="));
    struct buf list = {0};
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].kind != OURS)
            names[count++] = rows[i].name;
    const char *nearest = suggest_nearest(name + strspn(name, "-"), names, count);
    suggest_list(&list, names, count);
    err_write(err, "sbatch's option '%s' is not known here%s%s%s The options: %s", name,
              nearest ? "; did you mean '--" : "", nearest ? nearest : "", nearest ? "'?" : ".", buf_str(&list));
    buf_fini(&list);
    free(name);
    return -1;
}

static const struct option_row *find_row(const char *word)
{
    bool is_long = word[1] == '-';
    for (size_t i = 0; i < ROWS; i++) {
        size_t length = strlen(rows[i].name);
        bool named = strncmp(word + 2, rows[i].name, length) == 0 && (!word[2 + length] || word[2 + length] == '=');
        if (is_long ? named : rows[i].short_name && rows[i].short_name == word[1])
            return &rows[i];
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
    bool next = takes_value(row->kind) && row->kind != OURS && !value && count > 1;
    if (next)
        value = words[1];
    if (takes_value(row->kind) && row->kind != OURS && (!value || !*value))
        return err_set(reading->err, "sbatch's --%s needs a value", row->name);
    if (set_value(reading, row, value))
        return err_prefix(reading->err, "sbatch's --%s", row->name);
    drop_rival(row, reading->request);
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
