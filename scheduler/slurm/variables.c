/* sbatch's variables; see variables.h. A variable of which there is a key becomes that key, so that a file that gives
 * the key wins; the others become options, before those of the file. */
#include "scheduler/slurm/variables.h"
#include "scheduler/slurm/options.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/spec/emit.h"

#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

struct variable_row {
    const char *name;   /* behind SBATCH_ */
    const char *option; /* with "--" */
    bool is_switch;     /* sbatch looks only whether it is set */
    const char *key;    /* under `slurm:`; NULL: an option */
};

static const struct variable_row variable_rows[] = {
    {"ACCOUNT", "--account", false, "account"},
    {"ACCTG_FREQ", "--acctg-freq", false, NULL},
    {"CLUSTER_CONSTRAINT", "--cluster-constraint", false, NULL},
    {"CONSTRAINT", "--constraint", false, "constraint"},
    {"CONTAINER", "--container", false, NULL},
    {"CORE_SPEC", "--core-spec", false, NULL},
    {"CPUS_PER_GPU", "--cpus-per-gpu", false, NULL},
    {"DELAY_BOOT", "--delay-boot", false, NULL},
    {"EXPORT", "--export", false, NULL},
    {"GPUS_PER_NODE", "--gpus-per-node", false, "gpus_per_node"},
    {"GPU_BIND", "--gpu-bind", false, NULL},
    {"GPU_FREQ", "--gpu-freq", false, NULL},
    {"GRES", "--gres", false, "gres"},
    {"GRES_FLAGS", "--gres-flags", false, NULL},
    {"HINT", "--hint", false, NULL},
    {"JOB_NAME", "--job-name", false, NULL},
    {"MEM_PER_CPU", "--mem-per-cpu", false, "mem_per_cpu"},
    {"MEM_PER_GPU", "--mem-per-gpu", false, NULL},
    {"MEM_PER_NODE", "--mem", false, "mem"},
    {"NETWORK", "--network", false, NULL},
    {"NO_KILL", "--no-kill", true, NULL},
    {"NO_REQUEUE", "--no-requeue", true, "requeue"},
    {"PARTITION", "--partition", false, "partition"},
    {"PROFILE", "--profile", false, NULL},
    {"QOS", "--qos", false, "qos"},
    {"REQUEUE", "--requeue", true, "requeue"},
    {"REQ_SWITCH", "--switches", false, NULL},
    {"RESERVATION", "--reservation", false, "reservation"},
    {"SPREAD_JOB", "--spread-job", true, NULL},
    {"THREADS_PER_CORE", "--threads-per-core", false, NULL},
    {"THREAD_SPEC", "--thread-spec", false, NULL},
    {"TIMELIMIT", "--time", false, "time"},
    {"USE_MIN_NODES", "--use-min-nodes", true, NULL},
    {"WAIT_ALL_NODES", "--wait-all-nodes", false, NULL},
    {"WCKEY", "--wckey", false, NULL},
};

/* The value as the key takes it: sbatch writes times and sizes in another way. */
static void write_value(const struct variable_row *row, const char *value, const struct slurm_request *request,
                        struct buf *out)
{
    if (strcmp(row->key, "time") == 0)
        buf_format(out, "%um", request->minutes);
    else if (strcmp(row->key, "mem") == 0)
        buf_format(out, request->memory ? "%uMiB" : "%u", request->memory);
    else if (strcmp(row->key, "mem_per_cpu") == 0)
        buf_format(out, "%uMiB", request->memory_per_cpu);
    else if (row->is_switch)
        buf_text(out, strcmp(row->option, "--no-requeue") == 0 ? "false" : "true");
    else
        emit_text(out, value);
}

static void write_layer(const struct variable_row *row, const char *word, const char *value,
                        const struct slurm_request *request, struct buf *out)
{
    buf_format(out, "slurm: {%s: ", row->key ? row->key : "sbatch_args");
    if (row->key) {
        write_value(row, value, request, out);
    } else {
        buf_text(out, "[");
        emit_text(out, word);
        buf_text(out, "]");
    }
    buf_text(out, "}\n");
}

static int add_variable(const struct variable_row *row, const char *name, const char *value, double now,
                        struct spec_defaults *defaults, struct err *err)
{
    struct slurm_request request;
    const char *exported;
    struct problems problems = {0};
    struct buf text = {0};
    char *word = row->is_switch ? mem_text(row->option) : mem_format("%s=%s", row->option, value);
    const char *const words[] = {word};
    slurm_request_init(&request);
    int failed = slurm_options_apply(words, 1, now, &request, &exported, err);
    if (!failed) {
        write_layer(row, word, value, &request, &text);
        if (!spec_defaults_add(defaults, name, false, buf_str(&text), text.length, &problems))
            failed = err_set(err, "%s", problems.count ? problems.items[0].message : "its value can't be read");
    }
    buf_fini(&text);
    problems_fini(&problems);
    slurm_request_fini(&request);
    free(word);
    return failed ? err_prefix(err, "the variable %s", name) : 0;
}

int slurm_variables_add(double now, struct spec_defaults *defaults, struct err *err)
{
    for (size_t i = 0; i < sizeof variable_rows / sizeof *variable_rows; i++) {
        char *name = mem_format("SBATCH_%s", variable_rows[i].name);
        const char *value = getenv(name);
        bool given = value && (*value || variable_rows[i].is_switch);
        int failed = given ? add_variable(&variable_rows[i], name, value, now, defaults, err) : 0;
        free(name);
        if (failed)
            return -1;
    }
    /* Whole nodes are a key of their own, other words an option. */
    static const struct variable_row whole = {"EXCLUSIVE", "--exclusive", true, "exclusive"};
    static const struct variable_row shared = {"EXCLUSIVE", "--exclusive", false, NULL};
    const char *value = getenv("SBATCH_EXCLUSIVE");
    if (!value)
        return 0;
    return add_variable(*value ? &shared : &whole, "SBATCH_EXCLUSIVE", *value ? value : "true", now, defaults, err);
}
