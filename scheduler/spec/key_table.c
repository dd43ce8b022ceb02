/* Every key of an experiment file; see key.h. Rows of one section stand together, in the order in which spec_write and
 * the documentation have them. `help` is a sentence without its final period. */
#include "scheduler/spec/type.h"
#include "scheduler/spec/draft.h"

#include <stddef.h>

#define SPEC(member)  .offset = offsetof(struct spec, member)
#define DRAFT(member) .offset = offsetof(struct draft, member)
#define ALSO(member)  .also = offsetof(struct spec, member)

static const char *const goals[] = {"minimize", "maximize", NULL};
static const char *const uses[] = {"last", "best", NULL};
static const char *const binds[] = {"none", "core", "socket", "numa", NULL};
static const char *const number_types[] = {"float", "int", NULL};
static const char *const only_none[] = {"none", NULL};
static const char *const only_stdout[] = {"stdout", NULL};
static const char *const only_false[] = {"false", NULL};

#define YEARS_10 (10 * 365.25 * 86400)

const struct key key_table[] = {
    {"$schema", &type_text, .help = "For editors; gannet reads over it"},
    {"version", &type_version, KEY_REQUIRED, .help = "The version of the file format; write version: 1"},
    {"name", &type_name, SPEC(name), .min = 1, .preset_words = "the file's name without its ending",
     .help =
         "Names the experiment and its run directory: up to 63 letters, digits and ._-, the first a letter or digit"},
    {"base", &type_path, SPEC(base), .min = 1, .preset_words = "the directory of the file",
     .help = "The directory that relative paths in the file start from"},
    {"description", &type_text, KEY_ON_RESUME, SPEC(description), .help = "What the experiment is about, for people"},
    {"tags", &type_texts, KEY_ON_RESUME, SPEC(tags), ALSO(tag_count), .help = "Words to find the experiment by"},
    {"seed", &type_whole, SPEC(seed), ALSO(has_seed), .max = 0x1p63,
     .preset_words = "chosen when the experiment starts",
     .help = "Where all random numbers come from: the same seed proposes the same trials"},

    {"trial", &type_section, KEY_REQUIRED, .help = "What one trial runs: a kernel, or a command of your own"},
    {"trial.kernel", &type_text, SPEC(trial.kernel), .min = 1,
     .help = "A kernel that gannet brings along; gannet kernels lists them. Either this or command"},
    {"trial.options", &type_object, SPEC(trial.options),
     .help = "The kernel's own options: data set, epochs and so on"},
    {"trial.command", &type_command, SPEC(trial.command), ALSO(trial.command_count),
     .help =
         "Your program: a list of its name and arguments (no shell), or one text for /bin/sh. Either this or kernel"},
    {"trial.workdir", &type_path, SPEC(trial.workdir), .min = 1, .preset_words = "base",
     .help = "The directory in which the command starts"},
    {"trial.env", &type_settings, SPEC(trial.env), ALSO(trial.env_count),
     .help = "Environment variables of the command"},
    {"trial.retries", &type_whole, SPEC(trial.retries), .max = 1000, .preset = "1",
     .help = "How often a failed trial is run again. A lost worker or node uses none up"},
    {"trial.grace", &type_duration, SPEC(trial.grace), .max = 86400, .preset = "60s",
     .help = "How long a program has between SIGTERM and SIGKILL"},
    {"trial.checkpoint", &type_checkpoint, SPEC(trial.checkpoint), .preset_words = "true for kernels that can",
     .help = "Whether trials can be continued: a command then reads and writes checkpoints (docs/checkpoints.md)"},
    {"trial.metrics_from", &type_only, .words = only_stdout, .preset = "stdout",
     .later = "the reporting protocol is still to come",
     .help = "Where metrics are read: lines name=value of the program's output"},
    {"trial.signal", &type_only, .words = only_none, .preset = "none",
     .later = "checkpoints on a signal are still to come",
     .help = "The signal on which the program saves a checkpoint"},
    {"trial.persistent", &type_only, .words = only_false, .preset = "false",
     .later = "programs that stay from trial to trial are still to come",
     .help = "Whether the program stays and is given one trial after the other"},
    {"trial.stdout_pattern", &type_later, KEY_LATER, .later = "for now a program prints name=value",
     .help = "How metrics look in the program's output"},
    {"trial.on_log", &type_later, KEY_LATER, .later = "the output is not searched for messages yet",
     .help = "What to do when the program prints certain lines"},

    {"metric", &type_metric, KEY_REQUIRED,
     .help = "What is optimized, as {name: val_loss, goal: minimize}; a list of such for several objectives"},
    {"metric.name", &type_text, KEY_REQUIRED, SPEC(metric.name), .min = 1,
     .help = "The metric as the kernel or the program reports it"},
    {"metric.goal", &type_either, SPEC(metric.maximize), ALSO(metric.has_goal), .words = goals,
     .preset_words = "**required**, but for a further metric with `min` or `max`",
     .help = "The better direction; write minimize or maximize"},
    {"metric.target", &type_number, SPEC(metric.target), ALSO(metric.has_target),
     .help = "The search ends when a trial reaches this value"},
    {"metric.step", &type_text, SPEC(metric.step), .min = 1, .help = "What a step is called: epoch, step or batch"},
    {"metric.use", &type_either, SPEC(metric.use_best), .words = uses, .preset = "last",
     .help = "Which of its reported values counts for a trial"},
    {"metric.min", &type_number, SPEC(metric.min), ALSO(metric.has_min),
     .help = "A limit: a trial whose value is below it is infeasible, and never the best"},
    {"metric.max", &type_number, SPEC(metric.max), ALSO(metric.has_max),
     .help = "A limit: a trial whose value is above it is infeasible, and never the best"},

    {"parameters", &type_parameters, KEY_REQUIRED, .help = "What is searched: a map of names to what each can be"},
    {"parameters.*.type", &type_word, KEY_IN_RANGE, DRAFT(type), .words = number_types,
     .preset_words = "int if min, max and step are whole numbers, else float",
     .help = "Whether the parameter takes whole numbers or reals"},
    {"parameters.*.min", &type_literal, KEY_IN_RANGE | KEY_IN_NORMAL, .help = "The least value, included"},
    {"parameters.*.max", &type_literal, KEY_IN_RANGE | KEY_IN_NORMAL, .help = "The greatest value, included"},
    {"parameters.*.values", &type_scalars, KEY_IN_CHOICE, .help = "The values to choose from"},
    {"parameters.*.value", &type_scalar, KEY_IN_CONSTANT, .help = "The one value of a constant"},
    {"parameters.*.mean", &type_number, KEY_IN_NORMAL, DRAFT(param.mean),
     .help = "The mean of a normal distribution; of the logarithm with log: true"},
    {"parameters.*.stddev", &type_positive, KEY_IN_NORMAL,
     .help = "The standard deviation; of the logarithm with log: true"},
    {"parameters.*.log", &type_switch, KEY_IN_RANGE | KEY_IN_NORMAL, DRAFT(param.log), .preset = "false",
     .help = "Whether the logarithm is spread evenly (or normally) instead of the value"},
    {"parameters.*.step", &type_positive, KEY_IN_RANGE, .help = "Only min, min + step, min + 2 step, ... are values"},
    {"parameters.*.ordered", &type_switch, KEY_IN_CHOICE, DRAFT(param.ordered), .preset = "false",
     .help = "Whether the values are in an order that strategies may use"},
    {"parameters.*.weights", &type_weights, KEY_IN_CHOICE, .preset_words = "all the same",
     .help = "How probable each value is, relative to the others"},
    {"parameters.*.default", &type_scalar, KEY_IN_RANGE | KEY_IN_CHOICE | KEY_IN_NORMAL,
     .help = "A value known to work; start points use it where they say nothing"},
    {"parameters.*.when", &type_when, KEY_IN_ANY,
     .help = "The parameter is active only when each parameter named here has the value, or one of the values"},
    {"parameters.*.description", &type_text, KEY_IN_ANY, DRAFT(param.description), .help = "What it is, for people"},

    {"constraints", &type_constraints,
     .help = "Expressions over the parameters that must hold, such as \"width * layers <= 4096\""},
    {"start", &type_start, SPEC(start), ALSO(start_count),
     .help = "Configurations to try first; parameters that are left out take their default, else a random value"},
    {"start_from", &type_sources, SPEC(sources), ALSO(source_count),
     .help = "Earlier experiments to learn from: names, run directories or stores, or maps such as "
             "{experiment: digits, trials: best 20}"},

    {"strategy", &type_strategy, .preset_words = "auto",
     .help = "How configurations are chosen; gannet strategies lists them. A name, or a map"},
    {"strategy.name", &type_text, SPEC(strategy.name), .min = 1, .preset = "auto", .help = "The strategy"},
    {"strategy.plugin", &type_path, SPEC(strategy.plugin), .min = 1,
     .help = "A shared object with a strategy of your own"},
    {"strategy.options", &type_object, SPEC(strategy.options), .help = "The strategy's own options"},
    {"strategy.repeat", &type_switch, SPEC(strategy.repeat), .preset = "false",
     .help = "Whether a configuration may be tried more than once"},
    {"early_stop", &type_early_stop, SPEC(early_stop), .preset = "none",
     .help = "Which trials don't get all of their steps: a name, or a map of the name and its options; gannet stoppers "
             "lists them"},

    {"limits", &type_section, .help = "When the search ends; the first limit that is reached counts"},
    {"limits.max_trials", &type_whole, KEY_ON_RESUME, SPEC(limits.max_trials), .min = 1, .max = 1e12,
     .preset_words = "no limit", .help = "How many trials there are in all"},
    {"limits.max_concurrent", &type_whole, KEY_ON_RESUME, SPEC(limits.max_concurrent), .min = 1, .max = 1e6,
     .preset_words = "no limit", .help = "How many trials run at the same time"},
    {"limits.max_failures", &type_whole, KEY_ON_RESUME, SPEC(limits.max_failures), ALSO(limits.has_max_failures),
     .max = 1e12, .preset_words = "no limit", .help = "The search ends when more trials than this have failed"},
    {"limits.time", &type_duration, KEY_ON_RESUME, SPEC(limits.time), .min = 1e-3, .max = YEARS_10,
     .preset_words = "no limit", .help = "How long the search runs"},
    {"limits.trial_time", &type_duration, KEY_ON_RESUME, SPEC(limits.trial_time), .min = 1e-3, .max = YEARS_10,
     .preset_words = "no limit", .help = "How long one trial may run"},
    {"limits.gpu_hours", &type_later, KEY_LATER, .later = "GPU time is not counted yet",
     .help = "How many hours of GPUs the search may use"},

    {"resources", &type_section, .help = "What one trial gets"},
    {"resources.cpus", &type_whole, KEY_ON_RESUME, SPEC(resources.cpus), .min = 1, .max = 65536,
     .preset_words = "1, without sockets", .help = "Processor cores"},
    {"resources.sockets", &type_whole, KEY_ON_RESUME, SPEC(resources.sockets), .min = 1, .max = 1024,
     .preset_words = "not given", .help = "Whole processors, with all of their cores; instead of cpus"},
    {"resources.gpus", &type_whole, KEY_ON_RESUME, SPEC(resources.gpus), .max = 1024, .preset = "0", .help = "GPUs"},
    {"resources.memory", &type_size, KEY_ON_RESUME, SPEC(resources.memory), .min = 0x1p20, .max = 0x1p63,
     .preset_words = "no limit", .help = "Main memory"},
    {"resources.bind", &type_word, KEY_ON_RESUME, SPEC(resources.bind), .words = binds, .preset = "core",
     .help = "To what a trial's processes are bound: its cores, the sockets or NUMA nodes of its cores, or nothing"},

    {"slurm", &type_later, KEY_LATER, .later = "submitting to Slurm is still to come",
     .help = "How to ask Slurm for workers"},
};
const size_t key_count = sizeof key_table / sizeof *key_table;
