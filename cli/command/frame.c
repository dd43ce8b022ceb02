/* gannet frame: one frame of the screen without a terminal, of an experiment or of a model in a file. */
#include "cli/command.h"
#include "cli/screen/still.h"

#include <libgen.h>

static int add_frame(struct console *console, const struct args *args, const struct rundir *dir, const char *name)
{
    struct still_setup setup = {.screen = args_text(args, "screen", NULL),
                                .size = args_text(args, "size", "80x24"),
                                .keys = args_text(args, "keys", NULL),
                                .load = args_text(args, "load", NULL),
                                .save = args_text(args, "save", NULL),
                                .lines = args_has(args, "jsonl"),
                                .name = name,
                                .programs = console->programs};
    struct look look = console->out_look;
    struct buf text = {0};
    struct err err = {""};
    look.width = 0;
    if (still_draw(&setup, dir, &look, &text, &err)) {
        buf_fini(&text);
        return console_fail(console, STATUS_FAILED, &err);
    }
    console_print(console, &text);
    return STATUS_OK;
}

static int run_frame(struct console *console, const struct args *args)
{
    struct rundir dir;
    struct err err;
    if (args_has(args, "load"))
        return add_frame(console, args, NULL, NULL);
    if (rundir_find(args_rest(args, 0), &dir, &err))
        return console_fail(console, STATUS_NOT_FOUND, &err);
    int status = add_frame(console, args, &dir, basename(dir.path));
    rundir_fini(&dir);
    return status;
}

static const struct option options[] = {
    OPTION_VALUE("screen", TEXT, "NAME", "overview, trials, ...; default: overview"),
    OPTION_VALUE("size", TEXT, "COLUMNSxROWS", "of the window; default: 80x24"),
    OPTION_VALUE("keys", TEXT, "KEYS", "press these before, a space between them: 'j j Enter'"),
    OPTION_VALUE("load", TEXT, "FILE", "draw a model that was saved instead of an experiment"),
    OPTION_VALUE("save", TEXT, "FILE", "write the model that was drawn to a file"),
    {.name = "jsonl", .help = "a line of JSON behind each key: the text, the cursor, what else it would do"},
    {0}};

const struct command cmd_frame = {
    .name = "frame",
    .group = GROUP_HIDDEN,
    .summary = "Draws one frame of what gannet status shows on a terminal, as text",
    .text = "A frame is drawn from a model: what was read of the experiment and what was chosen to be seen. A model\n"
            "that was saved can be drawn again, in another size or behind other keys, without the experiment.",
    .arguments = argument_experiment,
    .options = options,
    .examples = "gannet frame digits --size 120x40\ngannet frame digits --save digits.model\n"
                "gannet frame --load digits.model --keys '?'",
    .run = run_frame};
