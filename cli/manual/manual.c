/* The manual pages; see manual.h. */
#include "cli/manual/manual.h"
#include "cli/manual/roff.h"
#include "common/mem.h"
#include "scheduler/spec/spec.h"

#include <stdlib.h>
#include <string.h>

static const char gannet_does[] = "searches hyperparameters on HPC clusters and laptops";

/* --- one command --- */

static void add_options(const struct option *table, struct buf *out)
{
    for (; table && table->name; table++) {
        struct buf term = {0};
        help_option_name(table, &term);
        roff_entry(buf_str(&term) + strspn(buf_str(&term), " "), table->help, out);
        buf_fini(&term);
    }
}

static void add_statuses(struct buf *out)
{
    roff_heading(".SH", "EXIT STATUS", out);
#define X(id, number, sentence) roff_entry(#number, sentence, out);
    STATUSES(X)
#undef X
}

static void add_name(const char *name, const char *summary, struct buf *out)
{
    roff_heading(".SH", "NAME", out);
    roff_text(name, strlen(name), out);
    buf_text(out, " \\- ");
    roff_text(summary, strlen(summary), out);
    buf_text(out, "\n");
}

static void add_synopsis(const struct command *command, struct buf *out)
{
    struct buf usage = {0};
    help_usage(command, &usage);
    roff_heading(".SH", "SYNOPSIS", out);
    roff_paragraphs(buf_str(&usage), out);
    buf_fini(&usage);
}

static void add_command(const struct command *command, const char *page, struct buf *out)
{
    roff_title(page, 1, out);
    add_name(page, command->summary, out);
    add_synopsis(command, out);
    if (command->text) {
        roff_heading(".SH", "DESCRIPTION", out);
        roff_paragraphs(command->text, out);
    }
    if (command->arguments)
        roff_heading(".SH", "ARGUMENTS", out);
    for (const struct argument *row = command->arguments; row && row->name; row++)
        roff_entry(row->name, row->help, out);
    roff_heading(".SH", "OPTIONS", out);
    add_options(command->options, out);
    add_options(option_common, out);
    if (command->examples) {
        roff_heading(".SH", "EXAMPLES", out);
        roff_lines(command->examples, out);
    }
    add_statuses(out);
    roff_heading(".SH", "SEE ALSO", out);
    roff_paragraphs("gannet(1), gannet-experiment(5)", out);
}

/* --- the other two --- */

static void add_gannet(struct buf *out)
{
    roff_title("gannet", 1, out);
    add_name("gannet", gannet_does, out);
    roff_heading(".SH", "SYNOPSIS", out);
    roff_paragraphs("gannet COMMAND [options]", out);
    for (int group = 0; group < GROUP_HIDDEN; group++) {
        roff_heading(".SH", help_heading((enum command_group)group), out);
        for (const struct command *const *at = command_list; *at; at++)
            if ((*at)->group == (enum command_group)group) {
                char *page = mem_format("gannet-%s(1)", (*at)->name);
                roff_entry(page, (*at)->summary, out);
                free(page);
            }
    }
    add_statuses(out);
    roff_heading(".SH", "SEE ALSO", out);
    roff_paragraphs("gannet-experiment(5)", out);
}

static void add_experiment(struct buf *out)
{
    struct buf text = {0};
    spec_document(&text);
    roff_title("gannet-experiment", 5, out);
    add_name("gannet-experiment", "the file that says what gannet searches", out);
    roff_heading(".SH", "DESCRIPTION", out);
    roff_markdown(buf_str(&text), out);
    buf_fini(&text);
}

/* --- all --- */

void manual_list(struct buf *out)
{
    buf_text(out, "gannet.1\n");
    for (const struct command *const *at = command_list; *at; at++)
        if ((*at)->group != GROUP_HIDDEN)
            buf_format(out, "gannet-%s.1\n", (*at)->name);
    buf_text(out, "gannet-experiment.5\n");
}

bool manual_write(const char *name, struct buf *out)
{
    bool known = true;
    char *page = mem_text(name), *section = strrchr(page, '.');
    if (section)
        *section++ = '\0';
    const struct command *command = strncmp(page, "gannet-", 7) == 0 ? command_find(page + 7) : NULL;
    if (strcmp(name, "gannet.1") == 0)
        add_gannet(out);
    else if (strcmp(name, "gannet-experiment.5") == 0)
        add_experiment(out);
    else if (command && section && strcmp(section, "1") == 0)
        add_command(command, page, out);
    else
        known = false;
    free(page);
    return known;
}
