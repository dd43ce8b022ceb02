/* fish: a line for each command and option; see completion.h. */
#include "cli/manual/completion.h"

/* Adds " -d 'what it is for'". */
static void add_help(const char *help, struct buf *out)
{
    buf_text(out, " -d '");
    completion_add_line(help, "'\\", out);
    buf_text(out, "'\n");
}

/* `condition`: when the option is offered. */
static void add_option(const struct option *row, const char *condition, struct buf *out)
{
    buf_format(out, "complete -c gannet%s -l %s", condition, row->name);
    if (row->short_name)
        buf_format(out, " -s %c", row->short_name);
    if (row->type == OPTION_WORD) {
        buf_text(out, " -x -a '");
        completion_add_words(row->value, out);
        buf_text(out, "'");
    } else if (row->type != OPTION_SWITCH) {
        buf_text(out, row->type == OPTION_TEXT ? " -r -F" : " -x");
    }
    add_help(row->help, out);
}

static void add_options(const struct option *table, const char *condition, struct buf *out)
{
    for (const struct option *row = table; row && row->name; row++)
        add_option(row, condition, out);
}

static void add_command(const struct command *command, struct buf *out)
{
    struct buf condition = {0};
    buf_format(&condition, " -n '__fish_seen_subcommand_from %s'", command->name);
    if (command->group != GROUP_HIDDEN) {
        buf_format(out, "complete -c gannet -n __fish_use_subcommand -a %s", command->name);
        add_help(command->summary, out);
    }
    add_options(command->options, buf_str(&condition), out);
    if (completion_takes_experiment(command))
        buf_format(out, "complete -c gannet%s -F -a '(__gannet_experiments)'\n", buf_str(&condition));
    else if (completion_takes_file(command))
        buf_format(out, "complete -c gannet%s -F\n", buf_str(&condition));
    buf_fini(&condition);
}

void completion_fish(struct buf *out)
{
    buf_text(out, "# Completion of gannet's commands for fish, made by `gannet completion fish`.\n"
                  "function __gannet_experiments\n"
                  "    for directory in runs/*/\n"
                  "        basename $directory\n"
                  "    end\n"
                  "end\n"
                  "complete -c gannet -f\n");
    for (const struct command *const *at = command_list; *at; at++)
        add_command(*at, out);
    add_options(option_common, "", out);
}
