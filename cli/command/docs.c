/* gannet docs: the pages of docs/ that are made from tables. */
#include "cli/commands.h"
#include "cli/view/format.h"
#include "cli/help.h"
#include "common/msg.h"
#include "scheduler/spec/spec.h"

#include <string.h>

/* One page: docs/NAME.md. */
struct page {
    const char *name;
    void (*write)(struct buf *out);
};

static const struct page pages[] = {{"cli", help_document}, {"experiment", spec_document}, {"messages", msg_document}};
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

static int run(struct console *console, const struct args *args)
{
    const char *name = args_rest(args, 0);
    for (size_t i = 0; i < PAGES; i++) {
        if (strcmp(pages[i].name, name) != 0)
            continue;
        struct buf text = {0};
        pages[i].write(&text);
        console_write(console->out, &text);
        buf_fini(&text);
        return STATUS_OK;
    }
    return unknown_page(console, name);
}

static const struct argument arguments[] = {{"PAGE", "cli, experiment or messages", true}, {0}};

const struct command cmd_docs = {.name = "docs",
                                 .group = GROUP_HIDDEN,
                                 .summary = "Prints a page of the documentation that is made from tables",
                                 .arguments = arguments,
                                 .examples = "gannet docs experiment > docs/experiment.md",
                                 .run = run};
