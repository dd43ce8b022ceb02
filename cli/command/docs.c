/* gannet docs: the pages of docs/ that are made from tables, and the manual pages. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/manual/manual.h"
#include "common/msg.h"
#include "scheduler/spec/spec.h"

#include <string.h>

/* One page: docs/NAME.md; man: the list of manual pages. */
struct page {
    const char *name;
    void (*write)(struct buf *out);
};

static const struct page pages[] = {
    {"cli", help_document}, {"experiment", spec_document}, {"messages", msg_document}, {"man", manual_list}};
enum { PAGES = sizeof pages / sizeof *pages };

static int unknown_page(struct console *console, const char *name)
{
    const char *names[PAGES];
    for (size_t i = 0; i < PAGES; i++)
        names[i] = pages[i].name;
    struct err err;
    format_unknown("there is no page", name, names, PAGES, "pages", &err);
    return console_fail(console, STATUS_USAGE, &err);
}

static bool write_page(const char *name, struct buf *out)
{
    for (size_t i = 0; i < PAGES; i++)
        if (strcmp(pages[i].name, name) == 0) {
            pages[i].write(out);
            return true;
        }
    return manual_write(name, out);
}

static int run_docs(struct console *console, const struct args *args)
{
    const char *name = args_rest(args, 0);
    struct buf text = {0};
    bool known = write_page(name, &text);
    if (known)
        console_print(console, &text);
    return known ? STATUS_OK : unknown_page(console, name);
}

/* The pages of the table, and those of the manual, whose list has a line each. */
static void add_pages(struct buf *out)
{
    for (size_t i = 0; i < PAGES; i++)
        buf_format(out, " %s", pages[i].name);
    struct buf manual = {0};
    manual_list(&manual);
    for (const char *line = buf_str(&manual); *line; line += strcspn(line, "\n") + 1)
        buf_format(out, " %.*s", (int)strcspn(line, "\n"), line);
    buf_fini(&manual);
}

static const struct argument arguments[] = {
    {"PAGE", "cli, experiment, messages, a manual page such as gannet-run.1, or man: their names", true}, {0}};

const struct command cmd_docs = {.name = "docs",
                                 .group = GROUP_HIDDEN,
                                 .summary = "Prints a page of the documentation that is made from tables",
                                 .arguments = arguments,
                                 .words = add_pages,
                                 .examples = "gannet docs experiment > docs/experiment.md",
                                 .run = run_docs};
