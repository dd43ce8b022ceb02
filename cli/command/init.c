/* gannet init: an experiment file to begin with. */
#include "cli/command.h"
#include "cli/data/sibling.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/session/write_sketch.h"
#include "cli/start/from_kernel.h"
#include "cli/start/from_program.h"
#include "cli/start/questions.h"
#include "cli/start/param_args.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 60, LARGEST_SOURCE = 4 << 20 };

/* All that one call is about. */
struct init {
    struct console *console;
    const struct args *args;
    struct questions questions; /* of a terminal; `in` is NULL when nobody is asked */
    struct user_program program;
    struct program_answers asked;
    struct sketch sketch;
    char *path; /* of the file to be */
};

static void init_fini(struct init *init)
{
    user_program_fini(&init->program);
    json_decref(init->asked.options);
    sketch_fini(&init->sketch);
    free(init->path);
}

/* --- what is known of the program --- */

static int read_program(struct init *init, struct err *err)
{
    struct buf help = {0}, source = {0};
    double seconds = (double)args_count(init->args, "wait", PATIENCE_SECONDS);
    init->asked.options = user_program_options(&init->program, seconds, &help, err);
    if (!init->asked.options && args_has(init->args, "param")) /* the person says what is searched */
        init->asked.options = json_array();
    if (init->program.source)
        path_read(init->program.source, &source, LARGEST_SOURCE, NULL);
    init->asked.metric = metric_guess(buf_str(&source));
    if (!init->asked.metric.line)
        init->asked.metric = metric_guess_of_help(buf_str(&help));
    buf_fini(&help);
    buf_fini(&source);
    return init->asked.options ? 0 : -1;
}

/* --param and --metric. */
static int take_options(struct init *init, struct err *err)
{
    size_t count;
    const char *const *words = args_list(init->args, "param", &count);
    const char *metric = args_text(init->args, "metric", NULL);
    for (size_t i = 0; i < count; i++)
        if (param_args_take(words[i], init->asked.options, err))
            return err_prefix(err, "--param");
    return metric && param_args_metric(metric, &init->asked.metric, err) ? err_prefix(err, "--metric") : 0;
}

/* --- asking a person --- */

static int take_program(void *context, const char *answer, struct err *err)
{
    struct init *init = context;
    if (!*answer)
        return 0;
    user_program_fini(&init->program);
    json_decref(init->asked.options);
    init->asked.options = NULL;
    return user_program_of_text(answer, &init->program, err) || read_program(init, err) ? -1 : 0;
}

static int take_parameters(void *context, const char *answer, struct err *err)
{
    return param_args_take_line(answer, ((struct init *)context)->asked.options, err);
}

static int take_metric(void *context, const char *answer, struct err *err)
{
    return param_args_metric(answer, &((struct init *)context)->asked.metric, err);
}

static int ask_program(struct init *init, struct err *err)
{
    char *usual = questions_find_program();
    int failed = questions_ask(&init->questions, "1. What trains? A program, such as train.py; nothing for an example:",
                               usual ? usual : "", take_program, init, err);
    free(usual);
    return failed;
}

static int ask_rest(struct init *init, struct err *err)
{
    struct buf shown = {0};
    questions_show(init->asked.options, &shown);
    fprintf(init->questions.out, "\nIt has these to search:\n%s",
            shown.length ? buf_str(&shown) : "  none that is known\n");
    buf_fini(&shown);
    char *metric = mem_format("%s %s", init->asked.metric.name, init->asked.metric.maximize ? "maximize" : "minimize");
    int failed =
        questions_ask(&init->questions,
                      "2. Others? lr=1e-5..1e-1:log, opt=sgd,adam, -NAME to leave one out; nothing keeps them:", "",
                      take_parameters, init, err) ||
        questions_ask(&init->questions, "\n3. Which metric does it print?", metric, take_metric, init, err);
    free(metric);
    return failed ? -1 : 0;
}

/* --- the file --- */

static void sketch_example(struct init *init)
{
    struct sketch *sketch = &init->sketch;
    sketch_init(sketch, "example", "gannet init");
    json_object_set_new(sketch->trial, "kernel", json_string("synth"));
    json_object_set_new(sketch->trial, "options", json_pack("{s:s}", "function", "branin"));
    sketch_say(sketch, SKETCH_TRIAL,
               "A test function in place of training, so this file runs as it is. Your program instead:");
    sketch_say(sketch, SKETCH_TRIAL, "  command: [python3, train.py, \"${args}\"]    # gets --lr=0.01 --width=64 ...");
    json_array_append_new(sketch->metric, json_pack("{s:s, s:s}", "name", "value", "goal", "minimize"));
    sketch_say(sketch, SKETCH_METRIC, "What counts as good: your program prints a line such as val_loss=0.123.");
    sketch_add(sketch, "x1", json_pack("{s:f, s:f}", "min", -5.0, "max", 10.0),
               "such as  lr: {min: 1e-5, max: 0.1, log: true}");
    sketch_add(sketch, "x2", json_pack("{s:f, s:f}", "min", 0.0, "max", 15.0), "or  optimizer: [sgd, adam]");
    json_object_set_new(sketch->more, "limits", json_pack("{s:i}", "max_trials", 50));
}

static void sketch_program(struct init *init)
{
    struct buf called = {0};
    const struct texts *words = &init->program.words;
    const char *from = args_text(init->args, "from", NULL);
    buf_text(&called, from ? "gannet init --from " : "gannet init --");
    if (from)
        format_shell(from, &called);
    for (size_t i = 0; !from && i < words->count; i++) {
        buf_text(&called, " ");
        format_shell(words->items[i], &called);
    }
    char *name = user_program_name(&init->program);
    sketch_init(&init->sketch, name, buf_str(&called));
    free(name);
    buf_fini(&called);
}

static int settle_place(struct init *init)
{
    const struct write_place place = {args_text(init->args, "output", NULL), args_has(init->args, "force")};
    return write_sketch_place(init->console, &init->sketch, &place, &init->path);
}

static void describe_metric(const struct init *init, struct buf *out)
{
    const struct metric_guess *metric = &init->asked.metric;
    struct buf name = {0};
    format_safe(metric->name, &name);
    buf_format(out, "\nLook first at the metric: %s, to %s", buf_str(&name),
               metric->maximize ? "maximize" : "minimize");
    if (metric->printed)
        buf_format(out, " (line %zu seems to print it).\n", metric->line);
    else if (metric->chosen || metric->in_help)
        buf_format(out, "%s. The program must print lines %s=NUMBER.\n",
                   metric->in_help ? " (its help has the name)" : "", buf_str(&name));
    else
        buf_format(out, " is a guess. The program must print lines %s=NUMBER.\n", buf_str(&name));
    buf_fini(&name);
}

static void describe_moved(const struct init *init, struct buf *out)
{
    const struct texts *moved = &init->sketch.moved;
    if (moved->count)
        buf_format(out, "Each trial has %s of its own, where the program would write the same one:\n",
                   moved->count == 1 ? "a file" : "files");
    for (size_t i = 0; i < moved->count; i++) {
        buf_text(out, "  ");
        format_safe(moved->items[i], out);
        buf_text(out, "\n");
    }
    const struct texts *kept = &init->sketch.kept;
    if (kept->count)
        buf_text(out, "There already, and left as it is, since the program may read it; what it writes belongs into "
                      "${trial.dir}:\n");
    for (size_t i = 0; i < kept->count; i++) {
        buf_text(out, "  ");
        format_safe(kept->items[i], out);
        buf_text(out, "\n");
    }
}

static void describe_file(const struct init *init, const struct spec *spec)
{
    struct buf text = {0};
    format_safe(init->path, &text);
    buf_text(&text, " is written. It searches:\n");
    write_sketch_describe(spec, &text);
    if (init->sketch.left.count)
        buf_format(&text, "Not searched: %zu, which the file lists with the reasons.\n", init->sketch.left.count);
    describe_moved(init, &text);
    if (init->program.words.count)
        describe_metric(init, &text);
    else if (args_has(init->args, "kernel"))
        buf_format(&text, "\nIt runs as it is; the file says where data of your own is put. It is to %s %s.\n",
                   init->asked.metric.maximize ? "maximize" : "minimize", init->asked.metric.name);
    else
        buf_text(
            &text,
            "\nIt is a template with a built-in test function, which runs as it is; put your program there, or take\n"
            "its options: gannet init --from train.py\n");
    buf_text(&text, "Then: gannet check ");
    format_shell(init->path, &text);
    buf_text(&text, "   what it means, and the first trials\n      gannet run ");
    format_shell(init->path, &text);
    buf_text(&text, "\n");
    console_print(init->console, &text);
}

static int write_file(struct init *init, const json_t *catalog)
{
    struct spec *spec = NULL;
    int status = write_sketch(init->console, &init->sketch, init->path, catalog, &spec);
    if (!status)
        describe_file(init, spec);
    spec_destroy(spec);
    return status;
}

/* --- the ways --- */

static int write_example(struct init *init)
{
    sketch_example(init);
    int status = settle_place(init);
    return status ? status : write_file(init, NULL);
}

static int write_program(struct init *init)
{
    size_t count = from_program(&init->program, &init->asked, &init->sketch);
    if (count)
        return write_file(init, NULL);
    struct buf found = {0};
    char *name = user_program_name(&init->program);
    format_count(json_array_size(init->asked.options), "option", &found);
    int status = console_refuse(
        init->console, STATUS_USAGE,
        "%s --help names no option that looks like a hyperparameter (%s in all); say what to "
        "search: --param lr=1e-5..1e-1:log, and of a program with subcommands which: gannet init -- %s train. "
        "Nothing was written",
        name, buf_str(&found), name);
    free(name);
    buf_fini(&found);
    return status;
}

static int start_from_program(struct init *init)
{
    struct err err;
    const char *from = args_text(init->args, "from", NULL);
    if (from ? user_program_of_text(from, &init->program, &err)
             : user_program_of_words(init->args->rest, init->args->rest_count, &init->program, &err))
        return console_fail(init->console, STATUS_USAGE, &err);
    sketch_program(init);
    int status = settle_place(init);
    if (status)
        return status;
    if (read_program(init, &err) || take_options(init, &err))
        return console_fail(init->console, STATUS_USAGE, &err);
    return write_program(init);
}

/* The kernel of that name in the list of all; NULL, said. */
static const json_t *find_kernel(struct console *console, const json_t *list, const char *name)
{
    const char **names = MEM_ARRAY(const char *, json_array_size(list) + 1);
    size_t index;
    const json_t *kernel, *found = json_named((json_t *)list, name);
    struct err err;
    json_array_foreach((json_t *)list, index, kernel) names[index] = json_text(kernel, "name");
    if (!found) {
        format_unknown("there is no kernel", name, names, json_array_size(list), "kernels", &err);
        console_fail(console, STATUS_USAGE, &err);
    }
    free(names);
    return found;
}

static int write_kernel(struct init *init, const json_t *catalog, const json_t *kernel)
{
    struct err err;
    const char *name = json_text(kernel, "name");
    char *made_by = mem_format("gannet init --kernel %s", name);
    sketch_init(&init->sketch, name, made_by);
    free(made_by);
    int status = settle_place(init);
    if (status)
        return status;
    init->asked.metric = from_kernel_metric(kernel);
    init->asked.options = from_kernel_options(kernel, &err);
    if (!init->asked.options || take_options(init, &err) ||
        from_kernel(kernel, init->asked.options, &init->asked.metric, &init->sketch, &err))
        return console_fail(init->console, STATUS_USAGE, &err);
    return write_file(init, catalog);
}

static int start_from_kernel(struct init *init)
{
    struct err err;
    json_t *list = catalog_read(&err);
    if (!list)
        return console_fail(init->console, STATUS_FAILED, &err);
    const json_t *kernel = find_kernel(init->console, list, args_text(init->args, "kernel", NULL));
    int status = kernel ? write_kernel(init, list, kernel) : STATUS_USAGE;
    json_decref(list);
    return status;
}

static int start_from_person(struct init *init)
{
    struct err err;
    if (ask_program(init, &err))
        return console_fail(init->console, STATUS_FAILED, &err);
    if (!init->program.words.count)
        return write_example(init);
    sketch_program(init);
    int status = settle_place(init);
    if (status)
        return status;
    if (take_options(init, &err))
        return console_fail(init->console, STATUS_USAGE, &err);
    if (ask_rest(init, &err))
        return console_fail(init->console, STATUS_FAILED, &err);
    return write_program(init);
}

static int run_init(struct console *console, const struct args *args)
{
    struct init init = {.console = console, .args = args};
    int status;
    if (args_has(args, "from") && args->rest_count)
        status = console_refuse(console, STATUS_USAGE, "the program is named twice, by --from and behind it: '%s'",
                                args->rest[0]);
    else if (args_has(args, "kernel") && (args_has(args, "from") || args->rest_count))
        status = console_refuse(console, STATUS_USAGE, "--kernel names what trains, and so does %s: give one of them",
                                args_has(args, "from") ? "--from" : args->rest[0]);
    else if (args_has(args, "kernel"))
        status = start_from_kernel(&init);
    else if (args_has(args, "from") || args->rest_count)
        status = start_from_program(&init);
    else if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
        init.questions = (struct questions){stdin, console->err};
        status = start_from_person(&init);
    } else
        status = write_example(&init);
    init_fini(&init);
    return status;
}

static const struct argument arguments[] = {
    {"WORD...", "behind `--`: a command whose options are read: -- python3 train.py fit", false}, {0}};

static const struct option options[] = {
    OPTION_VALUE("from", TEXT, "PROGRAM", "a program, such as train.py, or a command in quotes: its --help is read"),
    OPTION_VALUE("kernel", TEXT, "NAME", "a built-in kernel, with an example that runs; `gannet kernels` lists them"),
    {.name = "param",
     .short_name = 'p',
     .type = OPTION_TEXT,
     .value = "NAME=RANGE",
     .many = true,
     .help = "what to search, over what is guessed: lr=1e-5..1e-1:log,\nwidth=32..512, opt=sgd,adam; may be given "
             "several times"},
    OPTION_VALUE("metric", TEXT, "NAME", "the metric: val_loss, or 'my_score maximize'"),
    OPTION_LETTER("output", 'o', TEXT, "FILE", "the file to write (default: the program's name with .yaml, here)"),
    {.name = "force", .help = "replace a file that is there"},
    OPTION_VALUE("wait", COUNT, "SECONDS", "how long the program may take for its --help (default: 60)"),
    {0}};

const struct command cmd_init = {
    .name = "init",
    .group = GROUP_RUN,
    .summary = "Writes an experiment file to begin with",
    .text = "Runs the program once with --help and writes an experiment file: the options that are likely\n"
            "hyperparameters with ranges around their defaults, the others as comments, and the metric as far as it\n"
            "can be seen. Programs in Python that use argparse or click are known best. Nothing else is run, and no\n"
            "file is replaced.\n"
            "\n"
            "With --kernel it writes an example for a built-in kernel, which runs as it is.\n"
            "\n"
            "Without either it asks three questions on a terminal; elsewhere it writes a template that runs.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet init --from train.py\n"
                "gannet init --kernel cnn\n"
                "gannet init --from train.py --param lr=1e-4..1e-1:log --metric val_acc\n"
                "gannet init -- python3 -m thesis.train --data data/",
    .run = run_init};
