/* Every key of an experiment file; see key.h. Rows of one section stand together, in the order in which spec_write and
 * the documentation have them. `help` is a sentence without its final period. */
#include "scheduler/spec/type.h"
#include "scheduler/spec/draft.h"
#include "common/gang.h"
#include "common/task.h"

#include <stddef.h>

#define SPEC(member)  .offset = offsetof(struct spec, member)
#define DRAFT(member) .offset = offsetof(struct draft, member)
#define ALSO(member)  .also = offsetof(struct spec, member)

static const char *const goals[] = {"minimize", "maximize", NULL};
static const char *const uses[] = {"last", "best", NULL};
static const char *const binds[] = {"none", "core", "socket", "numa", NULL};
static const char *const number_types[] = {"float", "int", NULL};
static const char *const signals[] = {"none", "USR1", "USR2", "TERM", NULL};
static const char *const outputs[] = {"lines", "buffered", NULL};
static const char *const launches[] = {"processes", "first", NULL};
static const char *const shapes[] = {"job", "array", "elastic", NULL};
static const char *const mps_words[] = {"auto", "false", "true", NULL};
static const char *const gpu_requests[] = {"auto", "gpus", "gres", "none", NULL};
static const char *const coordinators[] = {"job", "here", NULL};

#define YEARS_10 (10 * 365.25 * 86400)

const struct key key_table[] = {
    {"$schema", &type_text, .help = "For editors; gannet reads over it"},
    {"version", &type_version, KEY_REQUIRED, .help = "The version of the file format; write version: 1"},
    {"name", &type_name, SPEC(name), .min = 1, .default_words = "the file's name without its ending",
     .help =
         "Names the experiment and its run directory: up to 63 letters, digits and ._-, the first a letter or digit"},
    {"base", &type_path, SPEC(base), .min = 1, .default_words = "the directory of the file",
     .help = "The directory that relative paths in the file start from"},
    {"description", &type_text, KEY_ON_RESUME, SPEC(description), .help = "What the experiment is about, for people"},
    {"tags", &type_texts, KEY_ON_RESUME, SPEC(tags), ALSO(tag_count), .help = "Words to find the experiment by"},
    {"seed", &type_whole, SPEC(seed), ALSO(has_seed), .max = 0x1p63,
     .default_words = "chosen when the experiment starts",
     .help = "Where all random numbers come from: the same seed proposes the same trials"},

    {"share", &type_text, SPEC(share), .min = 1, .default_words = "nobody",
     .help = "A group whose members may read the run directory: a name or number, as id lists them. They can look at "
             "everything but keys, and command nothing"},

    {"trial", &type_section, KEY_REQUIRED, .help = "What one trial runs: a kernel, or a command of your own"},
    {"trial.kernel", &type_text, SPEC(trial.kernel), .min = 1,
     .help = "A kernel that gannet brings along; gannet kernels lists them. Either this or command"},
    {"trial.options", &type_object, SPEC(trial.options),
     .help = "The kernel's own options: data set, epochs and so on"},
    {"trial.command", &type_command, KEY_ON_RESUME, SPEC(trial.command), ALSO(trial.command_count),
     .help =
         "Your program: a list of its name and arguments (no shell), or one text for /bin/sh. Either this or kernel"},
    {"trial.args_style", &type_word, KEY_ON_RESUME, SPEC(trial.args_style), .words = args_style_words,
     .default_value = "equals",
     .help = "How ${args} writes parameters: --NAME=VALUE, --NAME VALUE (space), NAME=VALUE (plain, as Hydra has it), "
             "VALUE "
             "(positional), or --NAME and each word of VALUE (words)"},
    {"trial.config", &type_config, KEY_ON_RESUME, SPEC(trial.config),
     .help = "Your program's own configuration, a file of YAML or JSON: ${config.yaml} and ${config.json} name a copy "
             "of it "
             "that has the trial's parameters at their dotted places"},
    {"trial.workdir", &type_path, KEY_ON_RESUME, SPEC(trial.workdir), .min = 1, .default_words = "base",
     .help = "The directory in which the command starts"},
    {"trial.env", &type_settings, KEY_ON_RESUME, SPEC(trial.env), ALSO(trial.env_count),
     .help = "Environment variables of the command"},
    {"trial.container", &type_path, SPEC(trial.container), .min = 1,
     .help =
         "The image that the command runs in, by Apptainer or Singularity: a file such as image.sif, or a directory"},
    {"trial.container_runtime", &type_text, SPEC(trial.container_runtime), .min = 1,
     .default_words = "the first of them that is there",
     .help = "The program that runs the image: apptainer or singularity"},
    {"trial.container_options", &type_texts, SPEC(trial.container_options), ALSO(trial.container_option_count),
     .help = "Further options of it, such as --bind=/data or --cleanenv"},
    {"trial.retries", &type_whole, KEY_ON_RESUME, SPEC(trial.retries), .max = 1000, .default_value = "0",
     .help =
         "How often a trial is run again that failed by itself: a program that ended with a non-zero status or by a "
         "signal, or could not be started. A lost worker or node uses none up"},
    {"trial.requeues", &type_whole, KEY_ON_RESUME, SPEC(trial.requeues), .max = 1000000, .default_value = "5",
     .help = "How often in a row a trial may go on later (exit status 75, or the end of its job) without having come "
             "further: to a step beyond those before, or from a later checkpoint. Then it fails. A program that prints "
             "no steps on its way needs more"},
    {"trial.grace", &type_duration, KEY_ON_RESUME, SPEC(trial.grace), .max = 86400, .default_value = "60s",
     .help = "How long a program has to end when it is asked to: after trial.signal or SIGTERM, before SIGKILL"},
    {"trial.checkpoint", &type_checkpoint, SPEC(trial.checkpoint), .default_words = "true for kernels that can",
     .help = "Whether trials can be continued: a command then reads and writes checkpoints (docs/checkpoints.md)"},
    {"trial.metrics_from", &type_metrics_from, SPEC(trial.metrics_from), .default_value = "stdout",
     .help = "Where metrics are read: in what the program prints, in a file that it writes, by a pattern (below)"},
    {"trial.signal", &type_word, KEY_ON_RESUME, SPEC(trial.signal), .words = signals, .default_value = "none",
     .help =
         "The signal that asks the program to save a checkpoint and end, before SIGTERM does; it may exit with status "
         "75 then, or 0"},
    {"trial.output", &type_either, KEY_ON_RESUME, SPEC(trial.buffered), .words = outputs, .default_value = "lines",
     .help = "How the program's output comes: lines, as on a terminal (Python's and C's stdio are told so, "
             "docs/trial.md), or "
             "buffered, as the program would write it to a file"},
    {"trial.launch", &type_either, KEY_ON_RESUME, SPEC(trial.launch_first), .words = launches,
     .default_value = "processes",
     .help = "Who starts the processes of a trial that has several (resources.ranks): processes, gannet starts the "
             "command so often, or first, it is started once and starts them itself, as mpirun, srun and torchrun do "
             "(docs/trial.md)"},
    {"trial.persistent", &type_persistent, KEY_ON_RESUME, SPEC(trial.persistent), .default_value = "false",
     .help =
         "Whether one process of the program runs one trial after the other, by gannet.serve (docs/python.md); a map "
         "says when a new one takes over: {trials: 100} after so many, {growth: 2G} when it holds so much more "
         "memory than after its first trial (1G, or half of what resources.memory leaves, if that is less)"},
    {"trial.on_log", &type_later, KEY_LATER, .later = "the output is not searched for messages yet",
     .help = "What to do when the program prints certain lines"},

    {"metric", &type_metric, KEY_REQUIRED,
     .help = "What is optimized, as {name: val_loss, goal: minimize}; a list of such for several objectives"},
    {"metric.name", &type_text, KEY_REQUIRED, SPEC(metric.name), .min = 1,
     .help = "The metric as the kernel or the program reports it"},
    {"metric.goal", &type_either, SPEC(metric.maximize), ALSO(metric.objective), .words = goals,
     .default_words = "**required**, but for a further metric with `min` or `max`",
     .help = "The better direction; write minimize or maximize"},
    {"metric.target", &type_number, SPEC(target), ALSO(has_target),
     .help = "The search ends when a trial reaches this value"},
    {"metric.step", &type_text, SPEC(metric.step), .min = 1, .help = "What a step is called: epoch, step or batch"},
    {"metric.percent", &type_flag, SPEC(metric.percent), .default_words = "false: 97.5% is 97.5",
     .help = "Whether a value that is printed with a percent sign is divided by 100: 97.5% is 0.975, as 0.975 is"},
    {"metric.use", &type_either, SPEC(metric.use_best), .words = uses, .default_value = "last",
     .help = "Which of its reported values counts for a trial"},
    {"metric.min", &type_number, SPEC(metric.min), ALSO(metric.has_min),
     .help = "A limit: a trial whose value is below it is infeasible, and never the best"},
    {"metric.max", &type_number, SPEC(metric.max), ALSO(metric.has_max),
     .help = "A limit: a trial whose value is above it is infeasible, and never the best"},

    {"parameters", &type_parameters, KEY_REQUIRED, .help = "What is searched: a map of names to what each can be"},
    {"parameters.*.type", &type_word, KEY_IN_RANGE, DRAFT(type), .words = number_types,
     .default_words = "int if min, max and step are whole numbers, else float",
     .help = "Whether the parameter takes whole numbers or reals"},
    {"parameters.*.min", &type_bound, KEY_IN_RANGE | KEY_IN_NORMAL, DRAFT(param.min),
     .help = "The least value, included"},
    {"parameters.*.max", &type_bound, KEY_IN_RANGE | KEY_IN_NORMAL, DRAFT(param.max),
     .help = "The greatest value, included"},
    {"parameters.*.values", &type_scalars, KEY_IN_CHOICE, .help = "The values to choose from"},
    {"parameters.*.value", &type_scalar, KEY_IN_CONSTANT, .help = "The one value of a constant"},
    {"parameters.*.mean", &type_number, KEY_IN_NORMAL, DRAFT(param.mean),
     .help = "The mean of a normal distribution; of the logarithm with log: true"},
    {"parameters.*.stddev", &type_positive, KEY_IN_NORMAL, DRAFT(param.stddev),
     .help = "The standard deviation; of the logarithm with log: true"},
    {"parameters.*.log", &type_switch, KEY_IN_RANGE | KEY_IN_NORMAL, DRAFT(param.log), .default_value = "false",
     .help = "Whether the logarithm is spread evenly (or normally) instead of the value"},
    {"parameters.*.step", &type_positive, KEY_IN_RANGE, DRAFT(param.step),
     .help = "Only min, min + step, min + 2 step, ... are values"},
    {"parameters.*.ordered", &type_switch, KEY_IN_CHOICE, DRAFT(param.ordered), .default_value = "false",
     .help = "Whether the values are in an order that strategies may use"},
    {"parameters.*.weights", &type_weights, KEY_IN_CHOICE, .default_words = "all the same",
     .help = "How probable each value is, relative to the others"},
    {"parameters.*.default", &type_scalar, KEY_IN_RANGE | KEY_IN_CHOICE | KEY_IN_NORMAL,
     .help = "A value known to work; start points use it where they say nothing"},
    {"parameters.*.when", &type_when, KEY_IN_ANY,
     .help =
         "The parameter is active only when each parameter named here has the value, or one of the values, or is in "
         "the range: sgd, [sgd, lars], \"not adam\", \">= 3\""},
    {"parameters.*.arg", &type_text, KEY_IN_ANY, DRAFT(arg), .min = 1, .default_words = "trial.args_style",
     .help =
         "How ${args} writes this one: flag (--NAME or nothing), no-flag (--NAME or --no-NAME), --amp/--fp32, none, a "
         "word of trial.args_style, another name (--learning-rate), or with the value for {} (-l {})"},
    {"parameters.*.description", &type_text, KEY_IN_ANY, DRAFT(param.description), .help = "What it is, for people"},

    {"constraints", &type_constraints,
     .help = "Expressions over the parameters that must hold, such as \"width * layers <= 4096\""},
    {"start", &type_start, SPEC(start), ALSO(start_count),
     .help = "Configurations to try first; parameters that are left out take their default, else a random value"},
    {"start_from", &type_sources, SPEC(sources), ALSO(source_count),
     .help = "Earlier experiments to learn from: names, run directories or stores, or maps such as "
             "{experiment: digits, trials: best 20}"},

    {"strategy", &type_strategy, .default_words = "auto",
     .help = "How configurations are chosen; gannet strategies lists them. A name, or a map"},
    {"strategy.name", &type_text, SPEC(strategy.name), .min = 1, .default_value = "auto", .help = "The strategy"},
    {"strategy.plugin", &type_path, SPEC(strategy.plugin), .min = 1,
     .help = "A shared object with a strategy of your own"},
    {"strategy.options", &type_object, SPEC(strategy.options), .help = "The strategy's own options"},
    {"strategy.repeat", &type_switch, SPEC(strategy.repeat), .default_value = "false",
     .help = "Whether a configuration may be tried more than once"},
    {"early_stop", &type_early_stop, SPEC(early_stop), .default_value = "none",
     .help = "Which trials don't get all of their steps: a name, or a map of the name and its options; gannet stoppers "
             "lists them"},

    {"limits", &type_section, .help = "When the search ends; the first limit that is reached counts"},
    {"limits.max_trials", &type_whole, KEY_ON_RESUME, SPEC(limits.max_trials), .min = 1, .max = 1e12,
     .default_words = "no limit", .help = "How many trials there are in all"},
    {"limits.max_concurrent", &type_whole, KEY_ON_RESUME, SPEC(limits.max_concurrent), .min = 1, .max = 1e6,
     .default_words = "no limit", .help = "How many trials run at the same time"},
    {"limits.max_failures", &type_whole, KEY_ON_RESUME, SPEC(limits.max_failures), ALSO(limits.has_max_failures),
     .max = 1e12, .default_words = "no limit", .help = "The search ends when more trials than this have failed"},
    {"limits.same_failures", &type_whole, KEY_ON_RESUME, SPEC(limits.same_failures), .max = 1e6, .default_value = "5",
     .help =
         "The search pauses when so many trials in a row have failed with the same ending and the same last line of "
         "error output, but for numbers and paths in it; where failures are common the row must be longer than chance "
         "would make it. 0: never. --resume goes on, counting anew"},
    {"limits.time", &type_duration, KEY_ON_RESUME, SPEC(limits.time), .min = 1e-3, .max = YEARS_10,
     .default_words = "no limit",
     .help = "How long the search runs; trials that run then are stopped, and count with what they came to"},
    {"limits.trial_time", &type_duration, KEY_ON_RESUME, SPEC(limits.trial_time), .min = 1e-3, .max = YEARS_10,
     .default_words = "no limit", .help = "How long one trial may run"},
    {"limits.on_timeout", &type_more_time, KEY_ON_RESUME, SPEC(limits.on_timeout),
     .default_words = "such a trial fails",
     .help = "How much more time a trial is tried again with (trial.retries) that ran longer than it may: x2 for twice "
             "as much, +30m for half an hour more"},
    {"limits.trial_time_max", &type_duration, KEY_ON_RESUME, SPEC(limits.trial_time_max), .min = 1e-3, .max = YEARS_10,
     .default_words = "no limit", .help = "The most that limits.on_timeout gives; then the trial fails"},
    {"limits.gpu_hours", &type_later, KEY_LATER, .later = "GPU time is not counted yet",
     .help = "How many hours of GPUs the search may use"},

    {"resources", &type_section, .help = "What one trial gets, on each of its nodes"},
    {"resources.nodes", &type_whole, KEY_ON_RESUME, SPEC(resources.nodes), .min = 1, .max = GANG_NODES_MOST,
     .default_value = "1",
     .help =
         "Different nodes on each of which the trial takes a slot at the same time; all else under resources is of "
         "one node. A kernel has its ranks on each of them, a command is started on each, with the variables that say "
         "where the processes meet"},
    {"resources.cpus", &type_whole, KEY_ON_RESUME, SPEC(resources.cpus), .min = 1, .max = 65536,
     .default_words = "1, without sockets", .help = "Processor cores"},
    {"resources.sockets", &type_whole, KEY_ON_RESUME, SPEC(resources.sockets), .min = 1, .max = 1024,
     .default_words = "not given", .help = "Whole processors, with all of their cores; instead of cpus"},
    {"resources.trials_per_socket", &type_whole, KEY_ON_RESUME, SPEC(resources.per_socket), .min = 1, .max = 1024,
     .default_words = "not given",
     .help = "So many trials at a time on each processor, each with the same number of its cores; instead of cpus and "
             "sockets"},
    {"resources.gpus", &type_gpus, KEY_ON_RESUME, SPEC(resources.gpus), ALSO(resources.gpu_share), .max = 1024,
     .default_value = "0",
     .help = "GPUs, or the part of one: with 0.5 two trials run on a GPU at a time, with 0.33 three"},
    {"resources.gpu_memory", &type_size, KEY_ON_RESUME, SPEC(resources.gpu_memory), .min = 0x1p20, .max = 0x1p53,
     .default_words = "not given",
     .help = "How much of a GPU's memory a trial needs: no more trials run on a GPU than that leaves room for; without "
             "gpus as many as that"},
    {"resources.mps", &type_mps, KEY_ON_RESUME, SPEC(resources.mps), .words = mps_words, .default_words = "auto",
     .help =
         "Whether trials that share a GPU do so through CUDA's Multi-Process Service: auto when one runs on the node, "
         "true to have the worker start its own, false not to look for one"},
    {"resources.memory", &type_size, KEY_ON_RESUME, SPEC(resources.memory), .min = 0x1p20, .max = 0x1p63,
     .default_words = "no limit", .help = "Main memory"},
    {"resources.on_oom", &type_more_memory, KEY_ON_RESUME, SPEC(resources.on_oom),
     .default_words = "such a trial fails",
     .help = "How much more memory a trial is tried again with (trial.retries) that ran out of it: x2 for twice as "
             "much, +4G for so much more. It takes that from its worker, where other slots stay empty meanwhile"},
    {"resources.memory_max", &type_size, KEY_ON_RESUME, SPEC(resources.memory_max), .min = 0x1p20, .max = 0x1p53,
     .default_words = "what a worker has", .help = "The most that resources.on_oom gives; then the trial fails"},
    {"resources.ranks", &type_whole, KEY_ON_RESUME, SPEC(resources.ranks), .min = 1, .max = GANG_RANKS_MOST,
     .default_value = "1",
     .help =
         "Processes of one trial, which begin and end together and share its cores in equal parts; RANK, "
         "WORLD_SIZE and the like say to each which one it is. Of a trial that has only these it has as many cores. "
         "Kernels that can (docs/kernels.md) divide each batch among them, and have one a socket when sockets says "
         "more "
         "than one and this says nothing"},
    {"resources.fuse", &type_whole, KEY_ON_RESUME, SPEC(resources.fuse), .min = 1, .max = TASK_FUSE_MOST,
     .default_value = "1",
     .help = "So many trials of a kernel train in one process on one core or GPU, as one program where their networks "
             "have the same shape: mlp and logreg. What the other resources say is of all of them together"},
    {"resources.bind", &type_word, KEY_ON_RESUME, SPEC(resources.bind), .words = binds, .default_value = "core",
     .help = "To what a trial's processes are bound: its cores, the sockets or NUMA nodes of its cores, or nothing"},

    {"profile", &type_section, KEY_ON_RESUME, .help = "What is measured of trials beyond what always is"},
    {"profile.operations", &type_operations, KEY_ON_RESUME, SPEC(profile.operations), .default_value = "false",
     .help =
         "The operations that are timed, each call by itself: true for all, or names as gannet profile has them, such "
         "as [conv*, gemm]. It takes up to 3 % of the time of a step. Of a program with GPUs its kernels there, by "
         "their own names, and its copies, where NVIDIA's CUPTI is found"},
    {"profile.steps", &type_steps, KEY_ON_RESUME, SPEC(profile.steps), .default_words = "all",
     .help = "The steps of a kernel in which they are timed: 10-20, or one"},

    {"notify", &type_section, KEY_ON_RESUME, .help = "Who is told when the search has ended"},
    {"notify.mail", &type_label, KEY_ON_RESUME, SPEC(notify.mail), .min = 1,
     .help = "Addresses that get one mail, with the summary"},
    {"notify.mail_command", &type_command, KEY_ON_RESUME, SPEC(notify.mail_command), ALSO(notify.mail_command_count),
     .default_words = "sendmail -t -i, or mail, where there is one",
     .help = "The program that sends it; it reads the mail with its headers from standard input"},
    {"notify.command", &type_command, KEY_ON_RESUME, SPEC(notify.command), ALSO(notify.command_count),
     .help = "A command that is run once, with the summary on its standard input, to tell a chat room, say"},

    {"network", &type_section, KEY_ON_RESUME, .help = "Where the coordinator listens when workers are on other nodes"},
    {"network.interface", &type_interface, KEY_ON_RESUME, SPEC(network.interface),
     .default_words = "all of the machine's",
     .help =
         "The interface that the coordinator listens on, on its own node, and that workers and commands connect to: "
         "its name, or the subnet that its address is in"},
    {"network.ports", &type_ports, KEY_ON_RESUME, SPEC(network.ports), .default_words = "the system's choice",
     .help = "The ports that it may take: it needs two, one for workers and one for commands; and those at which the "
             "nodes of a trial meet"},

    {"slurm", &type_section, KEY_ON_RESUME, ALSO(slurm.given), .help = "How gannet submit asks Slurm for machines"},
    {"slurm.shape", &type_word, KEY_ON_RESUME, SPEC(slurm.shape), .words = shapes, .default_value = "job",
     .help = "One allocation for all; workers as a job array beside the coordinator; or workers that are submitted "
             "while there is work for them"},
    {"slurm.partition", &type_label, KEY_ON_RESUME, SPEC(slurm.partition), .min = 1,
     .default_words = "the cluster's default", .help = "The partition"},
    {"slurm.account", &type_label, KEY_ON_RESUME, SPEC(slurm.account), .min = 1, .default_words = "your default",
     .help = "The account that is charged"},
    {"slurm.qos", &type_label, KEY_ON_RESUME, SPEC(slurm.qos), .min = 1, .default_words = "your default",
     .help = "The quality of service"},
    {"slurm.reservation", &type_label, KEY_ON_RESUME, SPEC(slurm.reservation), .min = 1,
     .help = "The reservation to run in"},
    {"slurm.time", &type_duration, KEY_ON_RESUME, SPEC(slurm.time), .min = 1, .max = YEARS_10,
     .default_words = "the partition's",
     .help = "The time limit of a job, rounded up to whole minutes. The search goes on in the next job until its own "
             "limits are reached"},
    {"slurm.time_min", &type_duration, KEY_ON_RESUME, SPEC(slurm.time_min), .min = 1, .max = YEARS_10,
     .help = "The least time limit that will do: Slurm may then start the job earlier with less time"},
    {"slurm.nodes", &type_whole, KEY_ON_RESUME, SPEC(slurm.nodes), .min = 1, .max = 100000, .default_value = "1",
     .help = "How many nodes, with shape job"},
    {"slurm.workers_per_node", &type_whole, KEY_ON_RESUME, SPEC(slurm.workers_per_node), .min = 1, .max = 256,
     .default_value = "1",
     .help = "How many workers share a node, each with an equal part of the cores, memory and GPUs that the job has "
             "there"},
    {"slurm.gpus_per_node", &type_label, KEY_ON_RESUME, SPEC(slurm.gpus_per_node), .min = 1,
     .help = "GPUs a node, such as 4 or a100:4"},
    {"slurm.gres", &type_label, KEY_ON_RESUME, SPEC(slurm.gres), .min = 1,
     .help = "Generic resources a node, such as gpu:4; instead of gpus_per_node"},
    {"slurm.gpu_request", &type_word, KEY_ON_RESUME, SPEC(slurm.gpu_request), .words = gpu_requests,
     .default_value = "auto",
     .help = "How GPUs are asked for when resources.gpus needs some and neither gres nor gpus_per_node is given; auto "
             "is gres"},
    {"slurm.cpus_per_task", &type_whole, KEY_ON_RESUME, SPEC(slurm.cpus_per_task), .min = 1, .max = 65536,
     .default_words = "what the trials need", .help = "Processors a node, for all of its workers"},
    {"slurm.mem", &type_memory, KEY_ON_RESUME, SPEC(slurm.mem), ALSO(slurm.has_mem), .min = 0x1p20, .max = 0x1p63,
     .default_words = "the cluster's", .help = "Main memory a node; 0 is all of it"},
    {"slurm.mem_per_cpu", &type_size, KEY_ON_RESUME, SPEC(slurm.mem_per_cpu), .min = 0x1p20, .max = 0x1p63,
     .help = "Main memory a processor; instead of mem"},
    {"slurm.constraint", &type_label, KEY_ON_RESUME, SPEC(slurm.constraint), .min = 1,
     .help = "Features that the nodes must have"},
    {"slurm.nodelist", &type_label, KEY_ON_RESUME, SPEC(slurm.nodelist), .min = 1,
     .help = "Nodes that must be among them"},
    {"slurm.exclude", &type_label, KEY_ON_RESUME, SPEC(slurm.exclude), .min = 1,
     .help = "Nodes that must not be among them"},
    {"slurm.exclusive", &type_switch, KEY_ON_RESUME, SPEC(slurm.exclusive), .default_value = "false",
     .help = "Whether to have nodes without other people's jobs"},
    {"slurm.dependency", &type_label, KEY_ON_RESUME, SPEC(slurm.dependency), .min = 1,
     .help = "Jobs to wait for, such as afterok:1234"},
    {"slurm.begin", &type_label, KEY_ON_RESUME, SPEC(slurm.begin), .min = 1,
     .help = "Not before this time, such as 18:00, tomorrow, now+2hours or 2026-12-24T18:00"},
    {"slurm.licenses", &type_label, KEY_ON_RESUME, SPEC(slurm.licenses), .min = 1, .help = "Licences, such as foo:2"},
    {"slurm.mail_user", &type_label, KEY_ON_RESUME, SPEC(slurm.mail_user), .min = 1, .help = "Who gets mail"},
    {"slurm.mail_type", &type_label, KEY_ON_RESUME, SPEC(slurm.mail_type), .min = 1,
     .help = "Of what Slurm sends mail: BEGIN, END, FAIL, REQUEUE, TIME_LIMIT, ALL"},
    {"slurm.comment", &type_label, KEY_ON_RESUME, SPEC(slurm.comment), .min = 1,
     .help = "Free text, after what gannet writes there to know its jobs by"},
    {"slurm.nice", &type_whole, KEY_ON_RESUME, SPEC(slurm.nice), .max = 2147483645, .default_value = "0",
     .help = "How much lower the job's priority is to be"},
    {"slurm.hold", &type_switch, KEY_ON_RESUME, SPEC(slurm.hold), .default_value = "false",
     .help = "Whether the job waits until somebody releases it: gannet resume"},
    {"slurm.requeue", &type_switch, KEY_ON_RESUME, SPEC(slurm.requeue), .default_value = "true",
     .help = "Whether a job goes back into the queue when its time ends, a node fails or another job pushes it out"},
    {"slurm.signal_before_end", &type_duration, KEY_ON_RESUME, SPEC(slurm.signal_before_end), .min = 1, .max = 65535,
     .default_value = "120s",
     .help = "So long before the time limit the running trials save their checkpoints; of a short job a quarter of its "
             "time"},
    {"slurm.setup", &type_texts, KEY_ON_RESUME, SPEC(slurm.setup), ALSO(slurm.setup_count),
     .help = "Lines of the batch script that come before gannet, such as module load cuda"},
    {"slurm.sbatch_args", &type_texts, KEY_ON_RESUME, SPEC(slurm.sbatch_args), ALSO(slurm.sbatch_args_count),
     .help = "Options as for sbatch, such as --constraint=h200; they win over the keys"},
    {"slurm.components", &type_texts, KEY_ON_RESUME, SPEC(slurm.components), ALSO(slurm.components_count),
     .help =
         "Further components of a heterogeneous job, with shape job: the options of sbatch for each in a text, such as "
         "-N 2 -c 8 --gres=gpu:4"},
    {"slurm.workers", &type_whole, KEY_ON_RESUME, SPEC(slurm.workers), .min = 1, .max = 100000, .default_value = "1",
     .help = "With shape array or elastic: how many workers there are at most, each on a node"},
    {"slurm.coordinator", &type_either, KEY_ON_RESUME, SPEC(slurm.coordinator_here), .words = coordinators,
     .default_value = "job",
     .help = "With shape array or elastic: whether the coordinator has a small job of its own, or runs "
             "where gannet submit was typed"},
    {"slurm.coordinator_partition", &type_label, KEY_ON_RESUME, SPEC(slurm.coordinator_partition), .min = 1,
     .default_words = "slurm.partition", .help = "The partition of the coordinator's job"},
    {"slurm.coordinator_time", &type_duration, KEY_ON_RESUME, SPEC(slurm.coordinator_time), .min = 1, .max = YEARS_10,
     .default_words = "slurm.time", .help = "The time limit of the coordinator's job"},
    {"slurm.idle_time", &type_duration, KEY_ON_RESUME, SPEC(slurm.idle_time), .min = 1, .max = YEARS_10,
     .default_value = "5m", .help = "With shape array or elastic: a worker that had no work for so long leaves"},
    {"slurm.backlog", &type_whole, KEY_ON_RESUME, SPEC(slurm.backlog), .min = 1, .max = 1000, .default_value = "1",
     .help = "With shape elastic: how many of its jobs wait in Slurm's queue at a time"},
};
const size_t key_count = sizeof key_table / sizeof *key_table;
