/* sbatch's options that are handed on, as they are in Slurm's job description: a row each. What a value means is left
 * to the controller where that reads it. */
#include "scheduler/slurm/module/module.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* One option being put in. */
struct further_option {
    char *value; /* "" of a switch; stays as long as the description */
    job_desc_msg_t *job;
    struct further_memory *memory;
    struct slurm_error *error;
};

struct further_row {
    const char *name;
    /* Puts the value in; -1 with words in the error. `row` is its own. */
    int (*put)(const struct further_option *option, const struct further_row *row);
    size_t offset;
    uint64_t bits; /* of a switch: what it sets; of text: nothing */
};

static void *member_of(const struct further_option *option, const struct further_row *row)
{
    return (char *)option->job + row->offset;
}

/* "PREFIXvalue", which stays as long as the description. */
static char *keep_text(const struct further_option *option, const char *prefix, const char *value)
{
    char *text = NULL;
    struct further_memory *memory = option->memory;
    if (memory->count < sizeof memory->texts / sizeof *memory->texts && asprintf(&text, "%s%s", prefix, value) >= 0)
        memory->texts[memory->count++] = text;
    return text;
}

static int put_text(const struct further_option *option, const struct further_row *row)
{
    *(char **)member_of(option, row) = option->value;
    return 0;
}

static int put_32(const struct further_option *option, const struct further_row *row)
{
    *(uint32_t *)member_of(option, row) = (uint32_t)strtoul(option->value, NULL, 10);
    return 0;
}

static int put_16(const struct further_option *option, const struct further_row *row)
{
    unsigned long number = strtoul(option->value, NULL, 10);
    if (number >= NO_VAL16 - 1) {
        snprintf(option->error->text, sizeof option->error->text, "sbatch's --%s can't be %lu", row->name, number);
        return -1;
    }
    *(uint16_t *)member_of(option, row) = (uint16_t)(number | row->bits);
    return 0;
}

static int put_bits(const struct further_option *option, const struct further_row *row)
{
    option->job->bitflags |= row->bits;
    return 0;
}

static int put_switch_16(const struct further_option *option, const struct further_row *row)
{
    *(uint16_t *)member_of(option, row) = (uint16_t)row->bits;
    return 0;
}

/* "gres:gpu:4", as Slurm wants what is counted for each GPU, or on each socket. */
static int put_gpus(const struct further_option *option, const struct further_row *row)
{
    *(char **)member_of(option, row) = keep_text(option, GRES_PREFIX "gpu:", option->value);
    return 0;
}

static int put_gpu_freq(const struct further_option *option, const struct further_row *row)
{
    (void)row;
    option->job->tres_freq = keep_text(option, "gpu:", option->value);
    return 0;
}

static int put_delay(const struct further_option *option, const struct further_row *row)
{
    (void)row;
    option->job->delay_boot = (uint32_t)strtoul(option->value, NULL, 10) * 60;
    return 0;
}

static int put_deadline(const struct further_option *option, const struct further_row *row)
{
    (void)row;
    struct tm parts = {.tm_isdst = -1};
    strptime(option->value, "%Y-%m-%dT%H:%M:%S", &parts);
    option->job->deadline = mktime(&parts);
    return 0;
}

/* "2" or "2@minutes", or "2@hours:minutes:seconds" with days before. */
static int put_switches(const struct further_option *option, const struct further_row *row)
{
    (void)row;
    char *end;
    unsigned long number = strtoul(option->value, &end, 10), parts[3] = {0}, days = 0;
    int count = 0;
    bool wrong = end == option->value || (*end && *end != '@');
    option->job->req_switch = (uint32_t)number;
    if (*end == '@') {
        const char *dash = strchr(end, '-');
        if (dash)
            days = strtoul(end + 1, NULL, 10);
        count = sscanf(dash ? dash + 1 : end + 1, "%lu:%lu:%lu", &parts[0], &parts[1], &parts[2]);
        unsigned long first = dash || count == 3 ? 3600 : 60;
        option->job->wait4switch =
            (uint32_t)(days * 86400 + parts[0] * first + parts[1] * first / 60 + parts[2] * first / 3600);
        wrong = wrong || count < 1;
    }
    if (wrong)
        snprintf(option->error->text, sizeof option->error->text,
                 "sbatch's --switches is a number, or number@time, not '%.80s'", option->value);
    return wrong ? -1 : 0;
}

/* --- words --- */

/* The words of an option, with what each sets. */
struct further_word {
    const char *option, *word;
    uint64_t bits;
};

static const struct further_word further_words[] = {
    {"exclusive", "user", JOB_SHARED_USER},
    {"exclusive", "mcs", JOB_SHARED_MCS},
    {"gres-flags", "enforce-binding", GRES_ENFORCE_BIND},
    {"gres-flags", "disable-binding", GRES_DISABLE_BIND},
    {"kill-on-invalid-dep", "yes", KILL_INV_DEP},
    {"kill-on-invalid-dep", "no", NO_KILL_INV_DEP},
    {"profile", "none", ACCT_GATHER_PROFILE_NONE},
    {"profile", "all", ACCT_GATHER_PROFILE_ALL},
    {"profile", "energy", ACCT_GATHER_PROFILE_ENERGY},
    {"profile", "task", ACCT_GATHER_PROFILE_TASK},
    {"profile", "lustre", ACCT_GATHER_PROFILE_LUSTRE},
    {"profile", "filesystem", ACCT_GATHER_PROFILE_LUSTRE},
    {"profile", "network", ACCT_GATHER_PROFILE_NETWORK},
};
enum { WORDS = sizeof further_words / sizeof *further_words };

static int refuse_word(const struct further_option *option, const char *name)
{
    struct slurm_error *error = option->error;
    snprintf(error->text, sizeof error->text, "sbatch's --%s can't be '%.80s'; it is one of", name, option->value);
    for (size_t i = 0, length; i < WORDS; i++)
        if (strcmp(further_words[i].option, name) == 0 && (length = strlen(error->text)) < sizeof error->text)
            snprintf(error->text + length, sizeof error->text - length, " %s", further_words[i].word);
    return -1;
}

/* The bits of the words between commas; 0: one of them is not known. */
static uint64_t bits_of(const char *words, const char *name)
{
    uint64_t all = 0;
    for (const char *at = words; *at; at += strcspn(at, ","), at += *at == ',') {
        uint64_t bits = 0;
        for (size_t i = 0; i < WORDS; i++)
            if (strcmp(further_words[i].option, name) == 0 &&
                strncasecmp(further_words[i].word, at, strcspn(at, ",")) == 0 &&
                !further_words[i].word[strcspn(at, ",")])
                bits = further_words[i].bits;
        if (!bits)
            return 0;
        all |= bits;
    }
    return all;
}

static int put_words(const struct further_option *option, const struct further_row *row)
{
    uint64_t bits = bits_of(option->value, row->name);
    if (!bits)
        return refuse_word(option, row->name);
    if (row->offset == offsetof(job_desc_msg_t, bitflags))
        option->job->bitflags |= bits;
    else if (row->offset == offsetof(job_desc_msg_t, profile))
        option->job->profile = (uint32_t)bits;
    else
        option->job->shared = (uint16_t)bits;
    return 0;
}

/* --- the table --- */

#define AT(member) offsetof(job_desc_msg_t, member)

static const struct further_row further_rows[] = {
    {"acctg-freq", put_text, AT(acctg_freq), 0},
    {"bb", put_text, AT(burst_buffer), 0},
    {"cluster-constraint", put_text, AT(cluster_features), 0},
    {"container", put_text, AT(container), 0},
    {"contiguous", put_switch_16, AT(contiguous), 1},
    {"core-spec", put_16, AT(core_spec), 0},
    {"cores-per-socket", put_16, AT(cores_per_socket), 0},
    {"cpus-per-gpu", put_gpus, AT(cpus_per_tres), 0},
    {"deadline", put_deadline, 0, 0},
    {"delay-boot", put_delay, 0, 0},
    {"exclusive", put_words, AT(shared), 0},
#if SLURM_HAS(23, 2)
    {"extra", put_text, AT(extra), 0},
#endif
    {"gpu-bind", put_gpus, AT(tres_bind), 0},
    {"gpu-freq", put_gpu_freq, 0, 0},
    {"gpus-per-socket", put_gpus, AT(tres_per_socket), 0},
    {"gres-flags", put_words, AT(bitflags), 0},
    {"kill-on-invalid-dep", put_words, AT(bitflags), 0},
    {"mcs-label", put_text, AT(mcs_label), 0},
    {"mem-per-gpu", put_gpus, AT(mem_per_tres), 0},
    {"mincpus", put_16, AT(pn_min_cpus), 0},
    {"network", put_text, AT(network), 0},
#if SLURM_HAS(24, 11)
    {"oom-kill-step", put_16, AT(oom_kill_step), 0},
#endif
    {"oversubscribe", put_switch_16, AT(shared), JOB_SHARED_OK},
    {"prefer", put_text, AT(prefer), 0},
    {"priority", put_32, AT(priority), 0},
    {"profile", put_words, AT(profile), 0},
    {"reboot", put_switch_16, AT(reboot), 1},
    {"sockets-per-node", put_16, AT(sockets_per_node), 0},
    {"spread-job", put_bits, 0, SPREAD_JOB},
    {"switches", put_switches, 0, 0},
    {"thread-spec", put_16, AT(core_spec), CORE_SPEC_THREAD},
    {"threads-per-core", put_16, AT(threads_per_core), 0},
    {"tmp", put_32, AT(pn_min_tmp_disk), 0},
    {"use-min-nodes", put_bits, 0, USE_MIN_NODES},
    {"wait-all-nodes", put_16, AT(wait_all_nodes), 0},
    {"wckey", put_text, AT(wckey), 0},
};

static int put_line(struct further_option *option, char *line)
{
    char *equals = strchr(line, '=');
    option->value = equals ? equals + 1 : line + strlen(line);
    if (equals)
        *equals = '\0';
    for (size_t i = 0; i < sizeof further_rows / sizeof *further_rows; i++)
        if (strcmp(further_rows[i].name, line) == 0)
            return further_rows[i].put(option, &further_rows[i]);
    snprintf(option->error->text, sizeof option->error->text, "this release of Slurm has no option --%.80s of sbatch",
             line);
    return -1;
}

int module_further(const char *further, job_desc_msg_t *job, struct further_memory *memory, struct slurm_error *error)
{
    struct further_option option = {NULL, job, memory, error};
    char *next;
    memory->count = 0;
    char *copy = further ? keep_text(&option, "", further) : NULL;
    for (char *line = copy; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next ? (*next = '\0', 1) : 0;
        if (put_line(&option, line))
            return -1;
    }
    return 0;
}

void module_further_fini(struct further_memory *memory)
{
    while (memory->count)
        free(memory->texts[--memory->count]);
}
