/* gannet compare: which of several searches for the same is better, over their seeds. */
#include "cli/command.h"
#include "cli/data/compared.h"
#include "cli/view/comparison.h"

static int read_compared(const struct args *args, struct compared *compared, struct err *err)
{
    int status = STATUS_OK;
    for (size_t i = 0; i < args->rest_count && !status; i++)
        status = compared_add(compared, args->rest[i], err);
    if (!status && args_has(args, "seeds"))
        compared_join(compared);
    if (!status && compared_check(compared, err))
        status = STATUS_USAGE;
    return status;
}

static int run_compare(struct console *console, const struct args *args)
{
    struct err err = {""};
    struct compared compared = {0};
    struct buf text = {0};
    int status = read_compared(args, &compared, &err);
    if (status)
        console_fail(console, status, &err);
    else if (args_has(args, "json"))
        console_json(console, comparison_json(&compared));
    else
        comparison_describe(&compared, effort_named(args_text(args, "over", "trials")), &console->out_look, &text);
    compared_fini(&compared);
    console_print(console, &text);
    return status;
}

static const struct argument arguments[] = {
    {"EXP...", "a contender each: an experiment, or several that are its seeds: a-1,a-2 or 'a-*'; NAME=a-1,a-2", true},
    {0}};

static const struct option options[] = {
    {.name = "seeds",
     .help = "experiments whose names differ in a last number alone (a-1 a-2 a-3)\nare seeds of one contender"},
    OPTION_VALUE("over", WORD, "trials|time|cores", "what the curves are drawn over; default trials"),
    OPTION_JSON("an object (docs/json.md)"),
    {0}};

const struct command cmd_compare = {
    .name = "compare",
    .group = GROUP_LOOK,
    .summary = "Compares searches for the same: who is better, and how sure that is",
    .text =
        "By the best value so far after the same number of trials, the same time and the same core time, up to what\n"
        "all of them have spent. Who is better is decided over seeds: the same search run several times with\n"
        "another seed each (gannet run FILE --set seed=2 --dir runs/a-2). Of fewer than four seeds of each of two\n"
        "nothing can be said.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet compare random tpe\n"
                "gannet compare 'random-*' 'tpe-*'         # seeds: random-1, random-2, ...\n"
                "gannet compare --seeds runs/random-* runs/tpe-*\n"
                "gannet compare old=a-1,a-2 new=b-1,b-2 --over time",
    .run = run_compare};
