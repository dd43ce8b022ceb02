/* docs/experiment.md: prose, and the table of keys as tables; see spec.h. Every example in it that is marked as YAML is
 * read by a test. */
#include "scheduler/spec/foreign.h"
#include "scheduler/spec/type.h"

#include <string.h>

/* --- the prose between the tables --- */

static const char intro_text[] =
    "# The experiment file\n"
    "\n"
    "Made by `gannet docs experiment` from the table of keys that the reader goes by; change it there\n"
    "(`scheduler/spec/key_table.c`, `document.c`).\n"
    "\n"
    "One YAML file says what is searched. The shortest that works:\n"
    "\n"
    "```yaml\n"
    "version: 1\n"
    "trial: {command: [python, train.py, \"${args}\"]}\n"
    "metric: {name: val_loss, goal: minimize}\n"
    "parameters:\n"
    "  lr: {min: 1e-5, max: 1e-1, log: true}\n"
    "limits: {max_trials: 100}\n"
    "```\n"
    "\n"
    "A fuller one:\n"
    "\n"
    "```yaml\n"
    "version: 1\n"
    "name: digits\n"
    "description: width and optimizer of a small perceptron\n"
    "tags: [digits, thesis]\n"
    "seed: 42\n"
    "\n"
    "trial:\n"
    "  kernel: mlp\n"
    "  options: {data: data/digits.csv, epochs: 20}\n"
    "\n"
    "metric: {name: val_accuracy, goal: maximize, target: 0.99, step: epoch}\n"
    "\n"
    "parameters:\n"
    "  lr:        {min: 1e-4, max: 1e-1, log: true, default: 1e-2}\n"
    "  width:     {min: 16, max: 256, step: 16}\n"
    "  layers:    {min: 1, max: 3}\n"
    "  dropout:   {min: 0.0, max: 0.5}\n"
    "  optimizer: [sgd, adam, adamw]\n"
    "  momentum:  {min: 0.5, max: 0.99, when: {optimizer: sgd}}\n"
    "  batch:     {values: [32, 64, 128], ordered: true}\n"
    "\n"
    "constraints: [\"width * layers <= 512\"]\n"
    "start: [{lr: 0.01, optimizer: adam}]\n"
    "strategy: auto\n"
    "limits: {max_trials: 200, max_failures: 20, time: 2h, trial_time: 5m}\n"
    "resources: {cpus: 2, memory: 2G}\n"
    "```\n"
    "\n"
    "`gannet check FILE` prints the experiment with all defaults filled in, the size of the space and three sampled "
    "trials,\n"
    "and starts nothing. For completion in an editor, put the installed schema into the first line:\n"
    "`# yaml-language-server: $schema=/usr/local/share/gannet/experiment.schema.json` (`gannet schema` prints it).\n"
    "\n"
    "`--set limits.max_trials=50` on the command line replaces a value of the file before it is checked; the value is\n"
    "YAML (`--set 'parameters.lr={min: 0.1, max: 1.0}'`), and a null removes the key (`--set limits.time=null`).\n"
    "\n"
    "In the tables below, **required** keys have no default; keys marked ↻ may be changed when an experiment is "
    "resumed.\n"
    "\n"
    "## At the top\n"
    "\n";

static const char trial_text[] =
    "\n"
    "A kernel's own options are listed by `gannet kernels NAME`. A command is run once a trial and prints its metrics "
    "as lines\n"
    "`val_loss=0.083`, if it likes with the step: `epoch=3 val_loss=0.083`. Written as a list it is started without a\n"
    "shell. In the command and in the environment these are filled in:\n"
    "\n"
    "| placeholder | stands for |\n"
    "|---|---|\n"
    "| `${params.NAME}` | the value of a parameter |\n"
    "| `${args}` | as an argument of its own: the arguments of all parameters, such as `--NAME=VALUE` |\n"
    "| `${args_json_file}` | the name of a file that holds the parameters as JSON |\n"
    "| `${config.yaml}`, `${config.json}` | the name of a copy of `trial.config` with the parameters in it |\n"
    "| `${args.NAME}` | the argument of that parameter alone; of a trial that doesn't have it, nothing |\n"
    "| `${params.NAME:-VALUE}` | its value, or this one in trials that don't have it |\n"
    "| `${trial.id}`, `${trial.dir}` | the trial's number and directory |\n"
    "| `${seed}` | the trial's own seed |\n"
    "| `${resources.cpus}`, `${resources.gpus}` | what the trial was given |\n"
    "| `${env.NAME}` | a variable of the worker's environment |\n"
    "\n"
    "`$${` is a literal `${`. In a command that is one text, values are quoted for the shell, and what is none of "
    "these is\n"
    "left to it: `${HOME}`. `${args}` and `${args.NAME}` leave out parameters whose condition does not hold; "
    "`${params.NAME}` needs\n"
    "a `:-VALUE` for them. Paths (`base`, `trial.workdir`, `strategy.plugin`) know `~` and `${env.NAME}`; relative "
    "ones start from\n"
    "`base`.\n"
    "\n"
    "How `${args}` writes a parameter is `trial.args_style`, and its own `arg` where it has one. Where the program's "
    "source, Python\n"
    "with argparse or click, declares a flag, a parameter of `true` and `false` is written as it (`--bn`, or `--bn` "
    "and `--no-bn`),\n"
    "and `learning_rate` as `--learning-rate` when that is the option's name. The source is read and not run; `gannet "
    "check` shows\n"
    "the commands that come of it, and warns of options that are not declared.\n"
    "\n"
    "```yaml\n"
    "trial:\n"
    "  command: [python, train.py, \"${args}\"]\n"
    "  args_style: space                          # --width 64\n"
    "parameters:\n"
    "  width: {min: 16, max: 256}\n"
    "  lr: {min: 1e-5, max: 0.1, arg: --learning-rate}\n"
    "  amp: {values: [true, false], arg: --amp/--fp32}\n"
    "  augment: {values: [true, false], arg: flag}    # --augment, or nothing\n"
    "  hidden: {values: [\"64 64\", \"128\"], arg: words} # --hidden 64 64\n"
    "```\n"
    "\n"
    "A program that reads its settings from a file gets a copy of its own with `trial.config`: the parameter "
    "`optim.lr` is the part\n"
    "`lr` of the part `optim` there, `layers.0.width` that of the first item of a list; without `trial.config` the "
    "parameters alone\n"
    "make the file. It is written as JSON, which is YAML, too.\n"
    "\n"
    "A command must use at least one parameter, by a placeholder, by `GANNET_PARAM_NAME` in its environment or by "
    "`import gannet`, and what it\n"
    "needs must be there: its program, the script that an interpreter is given, and `trial.workdir`. `gannet check` "
    "and\n"
    "`gannet run` refuse it otherwise; for other nodes (a file with `slurm:`, `gannet submit`, `--listen`) they only "
    "warn, and a\n"
    "worker that misses something says so in the same words.\n"
    "\n"
    "```yaml\n"
    "trial:\n"
    "  command: [python, train.py, --lr, \"${params.lr}\", --out, \"${trial.dir}/model\"]\n"
    "  env: {OMP_NUM_THREADS: \"${resources.cpus}\", MODE: quick}\n"
    "  retries: 2\n"
    "  grace: 90s\n"
    "```\n"
    "\n"
    "How metrics look that a program prints is in [trial.md](trial.md); `trial.metrics_from` says it where they are "
    "elsewhere or look\n"
    "different. `file` is one that the program writes, named from its trial's directory "
    "(`$GANNET_TRIAL_DIR/metrics.jsonl`): "
    "lines of\n"
    "JSON, `{\"step\": 3, \"val_loss\": 0.41}`, or any that would be read on the output, which is not searched then. "
    "What an "
    "earlier attempt\n"
    "left there is moved aside (`metrics.jsonl.1`), unless the trial goes on from a checkpoint. A `pattern` describes "
    "a part of a "
    "line: `{value}`\n"
    "stands for the number, `{name}` for the metric's name (without it a match is the objective), `{step}` for the "
    "step, `{any}` for "
    "anything, and\n"
    "a blank for any number of blanks. Only what fits it counts then.\n"
    "\n"
    "```yaml\n"
    "trial:\n"
    "  command: [python, train.py, \"${args}\"]\n"
    "  metrics_from: {pattern: \"[{step}] {name} is now {value}\"}\n"
    "```\n"
    "\n"
    "```yaml\n"
    "trial:\n"
    "  command: [python, train.py, \"${args}\", --log, \"${trial.dir}/metrics.jsonl\"]\n"
    "  metrics_from: {file: metrics.jsonl}\n"
    "```\n";

static const char notify_text[] =
    "\n"
    "One message when the search has come to its end, was stopped or can't go on, however many jobs it took; none "
    "when it goes\n"
    "on in the next job, is paused, or when a person interrupts `gannet run`. It is sent from where the coordinator "
    "ran. The "
    "command gets the\n"
    "variables `GANNET_NAME`, `GANNET_ENDING` (`completed`, `stopped`, `interrupted` or `failed`), `GANNET_REASON`, "
    "`GANNET_SUBJECT` (a\n"
    "line that says it all) and `GANNET_RUNDIR`, and starts in `base`. What goes wrong is a line in the output; the "
    "search has ended all the same.\n"
    "\n"
    "```yaml\n"
    "version: 1\n"
    "trial: {kernel: mlp}\n"
    "metric: {name: val_loss, goal: minimize}\n"
    "parameters: {lr: {min: 1e-4, max: 1e-1, log: true}}\n"
    "notify:\n"
    "  mail: ada@example.org\n"
    "  command: 'curl -s -d \"$GANNET_SUBJECT\" https://chat.example.org/room'\n"
    "```\n";

static const char network_text[] =
    "\n"
    "They say what `--listen` of `gannet run` leaves open (`0.0.0.0`, `*`) and where the coordinator of a job of "
    "several nodes, "
    "of an\n"
    "array or of elastic workers listens; a search on one machine has no ports. An interface that is not there, or a "
    "range without two\n"
    "free ports, is an error before anything is started. They can stand in site files, too (`docs/slurm.md`).\n"
    "\n"
    "```yaml\n"
    "version: 1\n"
    "trial: {kernel: mlp}\n"
    "metric: {name: val_loss, goal: minimize}\n"
    "parameters: {lr: {min: 1e-4, max: 1e-1, log: true}}\n"
    "network: {interface: ib0, ports: 40000-40100}\n"
    "```\n";

static const char slurm_text[] =
    "\n"
    "What `gannet submit` asks Slurm for; `gannet run` reads over it. The keys are named as "
    "the long options of sbatch, "
    "with\n"
    "`_` for `-`, and their values are Slurm's own. `docs/slurm.md` tells how to use them.\n"
    "\n"
    "```yaml\n"
    "version: 1\n"
    "trial: {kernel: mlp}\n"
    "metric: {name: val_loss, goal: minimize}\n"
    "parameters: {lr: {min: 1e-4, max: 1e-1, log: true}}\n"
    "limits: {max_trials: 200}\n"
    "resources: {gpus: 1, cpus: 8}\n"
    "slurm:\n"
    "  partition: gpu\n"
    "  account: lab\n"
    "  time: 4h\n"
    "  nodes: 8\n"
    "  gpus_per_node: 4\n"
    "  setup: [module load cuda]\n"
    "```\n"
    "\n";

static const char metric_text[] =
    "\n"
    "A metric is what a kernel or a program reports by this name; the direction has no "
    "default. With `use: best` a trial\n"
    "counts with the best value it ever reported, otherwise with its last.\n"
    "\n"
    "`min` and `max` are limits: a trial whose value lies beyond them, or that never "
    "reports the metric, is\n"
    "infeasible. It is recorded and strategies learn from it, but it is never the best. A "
    "list has several\n"
    "metrics: those with a goal are objectives that are traded off against each other, the "
    "others only have limits.\n"
    "\n"
    "```yaml\n"
    "metric:\n"
    "  - {name: val_loss, goal: minimize}      # the first is a trial's value in tables\n"
    "  - {name: latency_ms, goal: minimize}    # with two goals the best trials are a Pareto "
    "front\n"
    "  - {name: memory, max: 8e9}              # a limit alone\n"
    "```\n";

static const char parameters_text[] =
    "\n"
    "Names have letters, digits and `._-` and begin with a letter or `_`; `opt.lr` is a name like any other. A "
    "parameter\n"
    "takes one of four forms, told by its keys:\n"
    "\n"
    "```yaml\n"
    "parameters:\n"
    "  lr: {min: 1e-5, max: 1e-1, log: true}                 # a range of reals, even in the logarithm\n"
    "  width: {min: 32, max: 512, step: 32}                  # a range of whole numbers\n"
    "  optimizer: [sgd, adam]                                # a choice, in short\n"
    "  batch: {values: [64, 128, 256], ordered: true}        # a choice whose values have an order\n"
    "  noise: {mean: 0.0, stddev: 0.1, min: -0.5, max: 0.5}  # a normal distribution, here cut off on both sides\n"
    "  epochs: 30                                            # a constant\n"
    "  momentum: {min: 0.5, max: 0.99, when: {optimizer: sgd}}\n"
    "```\n"
    "\n"
    "- Whole numbers make an int, a point or an exponent makes a float, unless `type` says otherwise: `{min: 0, max: "
    "1}` holds 0\n"
    "  and 1 alone (and is warned about), `{min: 0.0, max: 1.0}` everything between.\n"
    "- `min` must be below `max`; what has one value is a constant. Both are included.\n"
    "- `log` needs a `min` above 0 and takes values, not exponents. A float can't have both `log` and `step`.\n"
    "- When the steps don't end at `max`, the last value is the last step below it (and a warning names it).\n"
    "- A parameter with `when` is left out of a trial unless all its conditions hold: `when: {optimizer: sgd, layers: "
    "[2, 3]}`.\n"
    "  A condition is a value, a list of values, `\"not adam\"` or `{not: [adam, lars]}`, a comparison (`\">= 3\"`, "
    "`\"< "
    "0.1\"`) or a\n"
    "  range (`{min: 3, max: 5}`). What depends on a parameter that is left out is left out, too. A continuous "
    "parameter "
    "is in a range,\n"
    "  never exactly a value.\n"
    "- The values of a choice are numbers, texts, true, false, null and lists of these (`hidden: [[64, 64], [128]]`), "
    "which programs get as JSON.\n"
    "  1 and 1.0 are the same value.\n"
    "\n"
    "| key | in | takes | default | meaning |\n"
    "|---|---|---|---|---|\n";

static const char rest_text[] =
    "\n"
    "A constraint is an expression that must be true, such as `\"width * layers <= 4096\"` or `\"optimizer != 'sgd' or "
    "momentum\n"
    ">= 0.5\"`. It knows numbers, texts in quotes, `true`, `false`, `null`, parameters, `or and not < <= > >= == != + "
    "- * / % ^`,\n"
    "brackets, and `min max abs log log2 log10 exp sqrt floor ceil round`. A constraint that reads a parameter which "
    "is left\n"
    "out of a trial is satisfied.\n"
    "\n"
    "A start point names some parameters with values; it is tried before the strategy is asked.\n"
    "\n"
    "```yaml\n"
    "parameters:\n"
    "  width: {min: 32, max: 512, step: 32, default: 64}\n"
    "  layers: {min: 1, max: 8}\n"
    "constraints:\n"
    "  - width * layers <= 2048\n"
    "start:\n"
    "  - {width: 128, layers: 2}\n"
    "  - {layers: 4}\n"
    "strategy: {name: grid, options: {levels: 5}}\n"
    "```\n"
    "\n"
    "`start_from` names earlier experiments with the same objective, by their names below `runs/`, their run "
    "directories or\n"
    "stores. Their trials are read when the experiment is made, and kept in its own store from then on. Parameters are "
    "matched\n"
    "by name: numbers outside the range move to its end, missing ones take their default or the middle of the range; a "
    "trial with\n"
    "a choice that is not in the list is not used. `gannet check` says how many trials are used. `gp` and `auto` learn "
    "from them,\n"
    "from an experiment that disagrees with what is found here less and less; `tpe`, `forest`, `cmaes` and `evolution` "
    "try their\n"
    "best points again before anything else. `random`, `grid`, `sobol` and `pbt` pass them over, and a warning says "
    "so.\n"
    "\n"
    "```yaml\n"
    "start_from:\n"
    "  - digits\n"
    "  - {experiment: ../thesis/runs/wide, trials: best 50}\n"
    "```\n";

static const char yaml_text[] =
    "## How the file is read\n"
    "\n"
    "It is YAML 1.2 in UTF-8. `1e-5`, `1E3`, `.5` and `+1` are numbers, `0x1F` and `0o17` whole ones; `true` and "
    "`false` are\n"
    "switches; `yes`, `no`, `on` and `off` are texts, and a warning says so. A number may have the form of any of "
    "them: 1e3 is a\n"
    "whole number where one is wanted.\n"
    "\n"
    "- Durations have units: `90s`, `40m`, `12h`, `1d12h`, `500ms`, or Slurm's `04:00:00` and `1-12:00`. A bare number "
    "is refused:\n"
    "  some tools read it as seconds, others as minutes.\n"
    "- Sizes have units: `512M`, `32G`, `1.5T`; powers of 1024.\n"
    "- The same key twice in a map is an error. Anchors and aliases work; merge keys (`<<`) and explicit types "
    "(`!!str`) are refused.\n"
    "- A file has one document, at most 4 MiB, 64 levels and 200,000 values once its aliases are filled in.\n"
    "\n";

static const char errors_text[] = "## What can be wrong\n"
                                  "\n"
                                  "All problems of a file are reported at once, with line, column and what to write "
                                  "instead; nothing is started while there\n"
                                  "are errors. Programs get them with `gannet check --json`; the codes:\n"
                                  "\n"
                                  "| code | | meaning |\n"
                                  "|---|---|---|\n";

/* Codes of problems_report, whose callers know more than the file. */
static const char reported_text[] =
    "| `unknown_name` | error | a kernel, or an option, parameter or metric of one, that isn't there |\n"
    "| `missing_option` | error | an option that the kernel can't do without |\n"
    "| `no_trainer` | error | gannet-trainer, which has the kernels, can't be asked |\n"
    "| `no_earlier` | error | an experiment of `start_from` that can't be found or read, or has another objective |\n"
    "| `no_proposal` | error | the strategy or its plug-in can't be used, or a command can't be made of a proposal |\n"
    "| `does_not_fit` | error | one trial needs more than this machine has (gannet run) |\n"
    "| `no_program` | error; warning for Slurm | the command's program, or the script that it names, or "
    "`trial.container`'s "
    "image or runtime, is not here |\n"
    "| `no_part` | error, or warning | a parameter that has no place in `trial.config`, or a new one |\n"
    "| `no_option` | warning | the program declares its options with argparse, and none of this name |\n"
    "| `bool_trap` | warning | an option with argparse's `type=bool`, for which any text is true |\n"
    "| `no_workdir` | error; warning for Slurm | `trial.workdir` is no directory here |\n"
    "| `no_effect` | warning | `start_from` with a strategy that learns nothing from it |\n";

static const char foreign_text[] = "\n"
                                   "## Coming from another tool\n"
                                   "\n"
                                   "These names are known, and their place here is suggested.\n"
                                   "\n"
                                   "| tool | name | here |\n"
                                   "|---|---|---|\n";

/* --- what a key takes --- */

/* A bound that nobody meets is not worth its digits. */
static void add_bounds(struct buf *out, const struct key *key)
{
    if (key->max < 1e6)
        buf_format(out, " from %g to %g", key->min, key->max);
    else
        buf_format(out, ", at least %g", key->min);
}

static void add_taken(struct buf *out, const struct key *key)
{
    if (key->words) {
        for (size_t i = 0; key->words[i]; i++)
            buf_format(out, "%s`%s`", i ? ", " : "", key->words[i]);
        buf_text(out, key->type == &type_only ? " for now" : "");
        return;
    }
    buf_text(out, key->type->words);
    if (key->type == &type_whole)
        add_bounds(out, key);
}

static void add_default(struct buf *out, const struct key *key)
{
    if (key->flags & KEY_REQUIRED)
        buf_text(out, "**required**");
    else if (key->default_value)
        buf_format(out, "`%s`", key->default_value);
    else
        buf_text(out, key->default_words ? key->default_words : "none");
}

/* --- tables of keys --- */

static void document_key(struct buf *out, const struct key *key)
{
    buf_format(out, "| `%s`%s | ", key->path, key->flags & KEY_ON_RESUME ? " ↻" : "");
    add_taken(out, key);
    buf_text(out, " | ");
    add_default(out, key);
    buf_format(out, " | %s. |\n", key->help);
}

/* The keys of a section, then those that come later in a sentence. */
static void document_section(struct buf *out, const char *section)
{
    const char *between = "";
    buf_text(out, "| key | takes | default | meaning |\n|---|---|---|---|\n");
    for (const struct key *key = NULL; (key = key_next(section, key));)
        if (!(key->flags & KEY_LATER))
            document_key(out, key);
    for (const struct key *key = NULL; (key = key_next(section, key));)
        if (key->flags & KEY_LATER) {
            buf_format(out, "%s`%s`", *between ? between : "\nTo come, and refused until then: ", key->path);
            between = ", ";
        }
    buf_text(out, *between ? ".\n" : "");
}

static void document_parameter_key(struct buf *out, const struct key *key)
{
    static const struct {
        unsigned form;
        const char *name;
    } forms[] = {
        {KEY_IN_RANGE, "range"}, {KEY_IN_CHOICE, "choice"}, {KEY_IN_NORMAL, "normal"}, {KEY_IN_CONSTANT, "constant"}};
    const char *between = "";
    buf_format(out, "| `%s` | ", key_name(key));
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (key->flags & forms[i].form && (key->flags & KEY_IN_ANY) != KEY_IN_ANY) {
            buf_format(out, "%s%s", between, forms[i].name);
            between = ", ";
        }
    buf_text(out, *between ? " | " : "all | ");
    add_taken(out, key);
    buf_text(out, " | ");
    add_default(out, key);
    buf_format(out, " | %s. |\n", key->help);
}

static void document_parameter_keys(struct buf *out)
{
    for (const struct key *key = NULL; (key = key_next("parameters.*", key));)
        document_parameter_key(out, key);
}

/* --- the other tables --- */

static void document_codes(struct buf *out)
{
    for (enum problem_code code = 0; code < PROBLEM_CODES_COUNT; code++)
        buf_format(out, "| `%s` | %s | %s |\n", problem_kinds[code].name,
                   problem_kinds[code].warning ? "warning" : "error", problem_kinds[code].meaning);
}

static void document_foreign_keys(struct buf *out)
{
    for (size_t i = 0; i < foreign_key_count; i++) {
        const struct foreign *row = &foreign_keys[i];
        bool in_parameter = strcmp(row->section, "parameters.*") == 0;
        buf_format(out, "| %s | `%s`%s | ", row->tool, row->name, in_parameter ? " of a parameter" : "");
        if (row->advice)
            buf_text(out, row->advice);
        else
            buf_format(out, "`%s`", in_parameter ? strrchr(row->here, '.') + 1 : row->here);
        buf_text(out, " |\n");
    }
}

/* A section with its heading, its table and what there is to say about it. */
static void document_part(struct buf *out, const char *section, const char *prose)
{
    buf_format(out, "\n## %s\n\n", section);
    document_section(out, section);
    buf_text(out, prose);
}

void spec_document(struct buf *out)
{
    buf_text(out, intro_text);
    document_section(out, "");
    buf_text(out, rest_text);
    document_part(out, "trial", trial_text);
    document_part(out, "metric", metric_text);
    buf_text(out, "\n## parameters\n");
    buf_text(out, parameters_text);
    document_parameter_keys(out);
    document_part(out, "strategy", "");
    document_part(out, "limits", "");
    document_part(out, "resources", "");
    document_part(out, "notify", notify_text);
    document_part(out, "network", network_text);
    document_part(out, "slurm", slurm_text);
    buf_text(out, yaml_text);
    buf_text(out, errors_text);
    document_codes(out);
    buf_text(out, reported_text);
    buf_text(out, foreign_text);
    document_foreign_keys(out);
}
