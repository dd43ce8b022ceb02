/* Training a configuration again; see rerun.h. */
#include "cli/session/rerun.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/clients.h"
#include "common/command_check.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/rng.h"
#include "common/task.h"
#include "common/trial_command.h"
#include "scheduler/spec/task.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_json_word(const json_t *json, struct buf *out)
{
    struct buf text = {0};
    json_add(json, &text);
    format_shell(buf_str(&text), out);
    buf_fini(&text);
}

/* Whether any option names a file that lies beside the experiment file. */
static bool names_files(const struct spec *spec)
{
    const char *name;
    json_t *value;
    json_object_foreach(spec->trial.options, name, value)
    {
        const char *text = json_string_value(value);
        char *path = path_join(spec->base, text ? text : "");
        bool is_file = text && *text && *text != '/' && path_exists(path);
        free(path);
        if (is_file)
            return true;
    }
    return false;
}

/* Each trial's seed is made of the experiment's seed and its number, as the core does. */
static uint64_t seed_of(const struct spec *spec, const json_t *trial)
{
    return rng_mix(spec->seed, (uint64_t)json_integer_value(json_object_get(trial, "trial")));
}

static void add_kernel(const struct rerun *rerun, const json_t *trial, struct buf *out)
{
    const struct spec *spec = rerun->spec;
    buf_format(out, "%sgannet-trainer --run %s", rerun->programs, spec->trial.kernel);
    if (spec->trial.options) {
        buf_text(out, " --options ");
        add_json_word(spec->trial.options, out);
    }
    if (names_files(spec)) {
        buf_text(out, " --base ");
        format_shell(spec->base, out);
    }
    buf_text(out, " --params ");
    add_json_word(json_object_get(trial, "params"), out);
    uint32_t ranks = spec->resources.ranks * spec->resources.nodes;
    if (ranks > 1)
        buf_format(out, " --ranks %" PRIu32, ranks);
    buf_format(out, " --seed %" PRIu64 " --metric ", seed_of(spec, trial));
    format_shell(spec->metric.name, out);
}

/* --- a person's program --- */

static bool task_says(const struct task *task, const char *placeholder)
{
    const char *name;
    json_t *json;
    for (size_t i = 0; task->command[i]; i++)
        if (strstr(task->command[i], placeholder))
            return true;
    json_object_foreach((json_t *)task->env, name, json) if (strstr(json_string_value(json), placeholder)) return true;
    return false;
}

static bool says_param(const struct task *task, const char *name)
{
    char *plain = mem_format("${params.%s}", name), *with_default = mem_format("${params.%s:-", name),
         *arg = mem_format("${args.%s}", name);
    bool found = task_says(task, plain) || task_says(task, with_default) || task_says(task, arg);
    free(plain);
    free(with_default);
    free(arg);
    return found;
}

/* What is repeated. */
struct again {
    uint32_t ranks;       /* processes of the trial */
    bool launches;        /* its program starts them by itself */
    const char *original; /* the trial's directory */
    struct buf source;    /* of the program, and its command: what they name they may need */
    bool ran;             /* it is a run's, not an example */
};

static bool is_named(const struct again *again, const struct task *task, const char *name)
{
    return strstr(buf_str(&again->source), name) || task_says(task, name);
}

/* Whether a script calls $GANNET or ${GANNET}, and not a variable of which that is the beginning. */
static bool calls_gannet(const char *source)
{
    for (const char *at = source; (at = strstr(at, "GANNET")); at++)
        if (at > source && strchr("${", at[-1]) && at[6] != '_' && !isalnum((unsigned char)at[6]))
            return true;
    return false;
}

/* The seed, and the configuration where the program reads it in the environment: what the command line does not give
 * it, and of one that it gives in whole (${args}) all that the program looks at besides. */
static void add_variables(const struct again *again, const struct task *task, const struct trial_command_facts *trial,
                          struct texts *out)
{
    const char *name;
    json_t *json;
    bool whole = task_says(task, "${args}") || task_says(task, "${args_json_file}") || task_says(task, "${config.");
    bool variables = !whole || is_named(again, task, "GANNET_PARAM_");
    bool file = is_named(again, task, "GANNET_PARAMS_FILE") || command_imports(buf_str(&again->source), "gannet");
    if (!task_says(task, "${seed}"))
        texts_add(out, mem_format("GANNET_SEED=%" PRIu64, trial->seed));
    size_t before = out->count;
    json_object_foreach((json_t *)trial->params, name, json) if (variables && (whole || !says_param(task, name)))
        texts_add(out, trial_command_variable(name, json));
    if (out->count > before || (whole && file))
        texts_add(out, mem_format("GANNET_PARAMS_FILE=%s", trial->params_file));
}

/* What the worker puts there for programs that call ours: where the module is, and the command. */
static void add_callers(const struct buf *source, struct texts *out)
{
    char *here = path_program_directory();
    char *python = command_imports(buf_str(source), "gannet") ? clients_python() : NULL;
    if (python)
        texts_add(out, clients_python_path(python));
    if (calls_gannet(buf_str(source)))
        texts_add(out, mem_format("GANNET=%s/gannet", here));
    free(python);
    free(here);
}

/* The rest of what the worker told it, as far as the program is known to look at it. */
static void add_repeated(const struct again *again, const struct task *task, const struct trial_command_facts *trial,
                         struct texts *out)
{
    uint32_t threads = trial->cpus > again->ranks ? trial->cpus / again->ranks : 1;
    texts_add(out, mem_format("OMP_NUM_THREADS=%" PRIu32, threads));
    if (task->persistent || is_named(again, task, "gannet.serve")) /* what it returns may be a number alone */
        texts_add(out, mem_format("GANNET_METRIC=%s", task->metric));
    if (is_named(again, task, "GANNET_EXPERIMENT"))
        texts_add(out, mem_format("GANNET_EXPERIMENT=%s", task->experiment));
    if (is_named(again, task, "GANNET_TRIAL"))
        texts_add(out, mem_format("GANNET_TRIAL=%" PRIu64, trial->number));
    if (is_named(again, task, "GANNET_ATTEMPT"))
        texts_add(out, mem_text("GANNET_ATTEMPT=1"));
    if (is_named(again, task, "GANNET_TRIAL_DIR"))
        texts_add(out, mem_format("GANNET_TRIAL_DIR=%s", trial->directory));
    if (is_named(again, task, "GANNET_CHECKPOINT_OUT"))
        texts_add(out, mem_format("GANNET_CHECKPOINT_OUT=%s/checkpoint", trial->directory));
    if (task->max_steps && is_named(again, task, "GANNET_MAX_STEPS"))
        texts_add(out, mem_format("GANNET_MAX_STEPS=%" PRIu64, task->max_steps));
}

/* --- several processes --- */

#define MEETING_PORT 29500 /* torchrun's own */

/* What tells a process which one it is, or a launcher what to start: on one node, by hand. */
static void add_gang(const struct again *again, struct buf *out)
{
    if (!again->launches)
        buf_format(out, " RANK=$RANK LOCAL_RANK=$RANK WORLD_SIZE=%" PRIu32 " LOCAL_WORLD_SIZE=%" PRIu32, again->ranks,
                   again->ranks);
    if (!again->launches && strstr(buf_str(&again->source), "GANNET_RANK"))
        buf_text(out, " GANNET_RANK=$RANK");
    if (again->launches || strstr(buf_str(&again->source), "GANNET_"))
        buf_format(out, " GANNET_RANKS=%" PRIu32 " GANNET_LOCAL_RANKS=%" PRIu32 " GANNET_NODES=1", again->ranks,
                   again->ranks);
    if (again->launches) {
        char *hosts = path_join(again->original, "hostfile");
        buf_text(out, " GANNET_LAUNCH=first GANNET_HOSTS=localhost GANNET_HOSTFILE=");
        format_shell(hosts, out);
        free(hosts);
    }
    buf_format(out, " MASTER_ADDR=127.0.0.1 MASTER_PORT=%d", MEETING_PORT);
}

/* The processes of a trial beside each other, as the worker started them; the shell waits for all. */
static bool begin_gang(const struct again *again, struct buf *out)
{
    bool loops = again->ranks > 1 && !again->launches;
    if (loops)
        buf_format(out, " for RANK in $(seq 0 %" PRIu32 "); do", again->ranks - 1);
    if (again->ranks > 1)
        add_gang(again, out);
    return loops;
}

/* " mkdir -p DIRECTORY &&", with the configuration that the trial had, where the program writes into its directory. */
static void add_directory(const struct again *again, const struct task *task, const struct trial_command_facts *trial,
                          struct buf *out)
{
    static const char *const files[] = {"config.yaml", "config.json"};
    bool config = task_says(task, "${config.");
    if (!config && !task_says(task, "${trial.dir}") && !is_named(again, task, "GANNET_TRIAL_DIR") &&
        !is_named(again, task, "GANNET_CHECKPOINT_OUT"))
        return;
    buf_text(out, " mkdir -p ");
    format_shell(trial->directory, out);
    buf_text(out, " &&");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = path_join(again->original, files[i]);
        if (config && path_exists(path)) {
            buf_text(out, " cp ");
            format_shell(path, out);
            buf_text(out, " ");
            format_shell(trial->directory, out);
            buf_text(out, " &&");
        }
        free(path);
    }
}

static bool has_variable(const struct texts *variables, const char *name, size_t length)
{
    for (size_t i = 0; variables && i < variables->count; i++)
        if (strncmp(variables->items[i], name, length) == 0 && variables->items[i][length] == '=')
            return true;
    return false;
}

/* Those that `later` does not set as well; NULL: all. */
static void add_environment(const struct texts *variables, const struct texts *later, struct buf *out)
{
    for (size_t i = 0; i < variables->count; i++) {
        const char *variable = variables->items[i];
        size_t name = strcspn(variable, "=");
        if (has_variable(later, variable, name))
            continue;
        buf_format(out, " %.*s=", (int)name, variable);
        format_shell(variable + name + 1, out);
    }
}

/* Adds "cd DIRECTORY && NAME=value program argument ...". What the experiment file sets stands last, and wins. */
static void add_line(const struct task *task, const struct trial_command_facts *trial,
                     const struct trial_command *command, const struct again *again, struct buf *out)
{
    struct texts variables = {0};
    add_callers(&again->source, &variables);
    if (again->ran)
        add_repeated(again, task, trial, &variables);
    add_variables(again, task, trial, &variables);
    buf_text(out, "cd ");
    format_shell(task->workdir, out);
    buf_text(out, " &&");
    if (again->ran)
        add_directory(again, task, trial, out);
    bool loops = begin_gang(again, out);
    add_environment(&variables, &command->env, out);
    add_environment(&command->env, NULL, out);
    texts_fini(&variables);
    for (size_t i = 0; i < command->argv.count; i++) {
        buf_text(out, " ");
        format_shell(command->argv.items[i], out);
    }
    if (loops)
        buf_text(out, " & done; wait");
}

static int add_program(const struct rerun *rerun, const struct task *task, const json_t *json, struct buf *out,
                       struct err *err)
{
    const struct spec *spec = rerun->spec;
    json_int_t number = json_integer_value(json_object_get(json, "trial"));
    char *original = mem_format("%s/trials/%06" JSON_INTEGER_FORMAT, task->directory, number);
    char *directory = rerun->ran ? path_join(original, "again") : mem_text(original);
    char *params = path_join(original, "params.json");
    struct again again = {
        .ranks = spec->resources.ranks, .launches = spec->trial.launch_first, .original = original, .ran = rerun->ran};
    command_add_source(&(struct command_place){.command = task->command, .base = task->base, .workdir = task->workdir},
                       &again.source);
    struct trial_command_facts trial = {.number = (uint64_t)number,
                                        .seed = seed_of(spec, json),
                                        .params = json_object_get(json, "params"),
                                        .directory = directory,
                                        .params_file = params,
                                        .cpus = spec->resources.cpus ? spec->resources.cpus : 1,
                                        .gpus = spec->resources.gpus};
    struct trial_command command;
    int result = trial_command_make(task, &trial, &command, err);
    if (result == 0) {
        add_line(task, &trial, &command, &again, out);
        trial_command_fini(&command);
    }
    buf_fini(&again.source);
    free(params);
    free(directory);
    free(original);
    return result;
}

bool rerun_is_there(const struct spec *spec)
{
    return spec->trial.kernel || spec->trial.command_count != 1 || strcmp(spec->trial.command[0], "true") != 0;
}

int rerun_add(const struct rerun *rerun, const json_t *trial, struct buf *out, struct err *err)
{
    if (rerun->spec->trial.kernel) {
        add_kernel(rerun, trial, out);
        return 0;
    }
    struct task task;
    char *text = task_write(rerun->spec, rerun->directory, false, err);
    int result = text ? task_read(text, &task, err) : -1;
    free(text);
    if (result == 0) {
        result = add_program(rerun, &task, trial, out, err);
        task_fini(&task);
    }
    return result;
}
