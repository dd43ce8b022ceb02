/* gannet plot: one picture of an experiment, in the terminal or as a file. */
#include "cli/command.h"
#include "cli/data/source.h"
#include "cli/data/target.h"
#include "cli/data/whole_file.h"
#include "cli/plot/plot.h"
#include "cli/plot/svg.h"
#include "cli/plot/terminal.h"
#include "cli/report/subject.h"
#include "cli/status.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

/* What is asked for. */
struct plot_request {
    const struct plot_kind *kind;  /* NULL: the list of kinds */
    struct experiment_names names; /* of experiments */
    enum progress_axis along;
    struct plot_subject *subjects;
    size_t read; /* how many of the experiments were read so far */
};

static void list_kinds(struct console *console)
{
    struct buf text = {0};
    size_t width = 0;
    for (size_t i = 0; plot_kinds[i]; i++)
        width = strlen(plot_kinds[i]->name) > width ? strlen(plot_kinds[i]->name) : width;
    for (size_t i = 0; plot_kinds[i]; i++)
        buf_format(&text, "%-*s  %s\n", (int)width, plot_kinds[i]->name, plot_kinds[i]->summary);
    console_print(console, &text);
}

static void add_kinds(struct buf *out)
{
    for (size_t i = 0; plot_kinds[i]; i++)
        buf_format(out, "%s%s", i ? ", " : "", plot_kinds[i]->name);
}

/* The last argument is the kind when it has the name of one, those before it are experiments. 0, or an exit status. */
static int read_asked(const struct args *args, struct plot_request *out, struct err *err)
{
    *out = (struct plot_request){0};
    static const char *const names[] = {
#define X(id, name, member, scale, label) name,
        PROGRESS_AXES(X)
#undef X
    };
    const char *along = args_text(args, "along", names[0]);
    while (strcmp(names[out->along], along) != 0)
        out->along++;
    if (args_has(args, "json") && args_has(args, "output"))
        return err_set(err, "--json has the numbers and -o the picture: give one of them") ? STATUS_USAGE : 0;
    if (args->rest_count)
        out->kind = plot_find(args->rest[args->rest_count - 1]);
    for (size_t i = 0; i + (out->kind != NULL) < args->rest_count; i++) {
        int status = experiment_names_add(&out->names, args->rest[i], err);
        if (status)
            return status;
    }
    if (out->kind && out->names.count > 1 && !out->kind->compares) {
        err_write(err, "%s is drawn of one experiment; history and edf compare several", out->kind->name);
        return STATUS_USAGE;
    }
    if (out->kind)
        return 0;
    if (args->rest_count < 2 && !args_has(args, "output") && !args_has(args, "json"))
        return 0;
    struct buf kinds = {0};
    add_kinds(&kinds);
    err_write(err, "which picture? The kinds: %s", buf_str(&kinds));
    buf_fini(&kinds);
    return STATUS_USAGE;
}

static int read_one(struct plot_request *asked, const char *experiment, struct err *err)
{
    struct source *source;
    int status = source_open(experiment, &source, err);
    if (status)
        return status;
    if (subject_read(source, asked->kind->needs, &asked->subjects[asked->read], err))
        status = STATUS_FAILED;
    else
        asked->read++;
    source_close(source);
    return status;
}

/* Before an experiment is read: that may take long. */
static int check_place(const struct args *args, struct err *err)
{
    static const struct own_mark marks[] = {{SVG_PICTURE_BEGIN, NULL}, {PNG_PICTURE_BEGIN, PNG_PICTURE_WRITER}, {0}};
    const char *path = args_text(args, "output", "-");
    if (strcmp(path, "-") != 0 && !path_ends_with(path, ".png") && !path_ends_with(path, ".svg"))
        return err_set(err, "-o takes FILE.svg, FILE.png, or - for SVG to the standard output: %s", path);
    return own_file_check(path, marks, args_has(args, "force"), "picture", err);
}

/* A file of the kind that its name says. */
static int write_file(struct console *console, const struct picture *picture, const char *path, struct err *err)
{
    bool is_png = path_ends_with(path, ".png");
    struct buf text = {0}, png = {0};
    svg_picture_file(picture, &text);
    int status = is_png && svg_to_png(&text, &png, err) ? STATUS_FAILED : STATUS_OK;
    const struct buf *written = is_png ? &png : &text;
    if (strcmp(path, "-") == 0)
        console_write(console->out, &text);
    else if (!status && path_put(path, written->data, written->length, 0644, err))
        status = STATUS_FAILED;
    buf_fini(&text);
    buf_fini(&png);
    return status;
}

static int show_picture(struct console *console, const struct args *args, const struct plot_request *asked,
                        struct err *err)
{
    struct picture picture;
    struct plot_question question = {.subjects = asked->subjects, .count = asked->read, .along = asked->along};
    picture_init(&picture);
    int status = asked->kind->draw(&question, &picture, err) ? STATUS_NOT_FOUND : STATUS_OK;
    const char *path = args_text(args, "output", NULL);
    struct buf text = {0};
    if (!status && args_has(args, "json"))
        console_json(console, json_pack("{s:s, s:s, s:s*, s:O}", "kind", asked->kind->name, "sentence",
                                        picture.sentence, "note", picture.note, "numbers", picture.numbers));
    else if (!status && path)
        status = write_file(console, &picture, path, err);
    else if (!status)
        terminal_picture(&picture, &console->out_look, &text);
    console_print(console, &text);
    picture_fini(&picture);
    return status;
}

static int draw_asked(struct console *console, const struct args *args, struct plot_request *asked, struct err *err)
{
    if (check_place(args, err))
        return STATUS_USAGE;
    asked->subjects = MEM_ARRAY(struct plot_subject, asked->names.count + 1);
    int status = asked->names.count ? STATUS_OK : read_one(asked, NULL, err);
    for (size_t i = 0; i < asked->names.count && !status; i++)
        status = read_one(asked, asked->names.items[i], err);
    if (!status)
        status = show_picture(console, args, asked, err);
    for (size_t i = 0; i < asked->read; i++)
        plot_subject_fini(&asked->subjects[i]);
    free(asked->subjects);
    return status;
}

static int run_plot(struct console *console, const struct args *args)
{
    struct plot_request asked;
    struct err err = {""};
    int status = read_asked(args, &asked, &err);
    if (!status && !asked.kind)
        list_kinds(console);
    else if (!status)
        status = draw_asked(console, args, &asked, &err);
    experiment_names_fini(&asked.names);
    return status ? console_fail(console, status, &err) : STATUS_OK;
}

static const struct argument arguments[] = {
    {"EXP...",
     "the experiment, and the kind of picture; history and edf take several, 'a-*' is all that match. None: the kinds",
     false},
    {0}};
static const struct option options[] = {
    OPTION_LETTER("output", 'o', TEXT, "FILE",
                  "write FILE.svg, or FILE.png (needs rsvg-convert); -: SVG to the\nstandard output"),
    {.name = "force", .help = "replace the file that lies there, whatever it is"},
    OPTION_VALUE("along", WORD, "trials|time|core-hours", "what the history goes along; default: trials"),
    OPTION_JSON("the numbers of the picture, the shape of docs/json.md"),
    {0}};

const struct command cmd_plot = {
    .name = "plot",
    .group = GROUP_LOOK,
    .summary = "Draws one picture of an experiment: in the terminal, as SVG or as PNG",
    .text = "gannet plot EXP KIND draws with characters, with -o a file for a paper. gannet plot lists\n"
            "the kinds. Every picture has a sentence that says what is to be seen; what is drawn of an\n"
            "experiment has a largest size, however many trials it has. A picture is replaced by a newer one;\n"
            "another file that lies there is not.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet plot digits history\n"
                "gannet plot digits importance -o importance.svg\n"
                "gannet plot run1 run2 history --along time -o best.svg",
    .run = run_plot};
