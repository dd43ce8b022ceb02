/* zsh: the options of a command as the specifications of its function _arguments; see completion.h. */
#include "cli/manual/completion.h"

#include <string.h>

/* Adds a text within single quotes. What means something to _arguments is escaped, and the quote itself left out. */
static void add_text(const char *text, struct buf *out)
{
    struct buf plain = {0};
    for (const char *c = text; *c; c++)
        if (*c != '\'')
            buf_add(&plain, c, 1);
    completion_add_line(buf_str(&plain), "[]:\\", out);
    buf_fini(&plain);
}

/* Adds what follows an option: its words, any text, or nothing. */
static void add_value(const struct option *row, struct buf *out)
{
    if (row->type == OPTION_WORD) {
        buf_text(out, ":value:(");
        completion_add_words(row->value, out);
        buf_text(out, ")");
    } else if (row->type != OPTION_SWITCH) {
        buf_text(out, ":");
        add_text(row->value, out);
        buf_text(out, row->type == OPTION_TEXT ? ":_files" : ": ");
    }
}

static void add_spelling(const struct option *row, const char *spelling, const char *joined, struct buf *out)
{
    buf_format(out, " \\\n        '%s%s%s[", row->many ? "*" : "", spelling, row->type == OPTION_SWITCH ? "" : joined);
    add_text(row->help, out);
    buf_text(out, "]");
    add_value(row, out);
    buf_text(out, "'");
}

static void add_options(const struct option *table, struct buf *out)
{
    for (const struct option *row = table; row && row->name; row++) {
        struct buf name = {0};
        buf_format(&name, "--%s", row->name);
        add_spelling(row, buf_str(&name), "=", out);
        if (row->short_name)
            add_spelling(row, (char[]){'-', row->short_name, '\0'}, "+", out);
        buf_fini(&name);
    }
}

static void add_command(const struct command *command, struct buf *out)
{
    buf_format(out, "    %s)\n        _arguments", command->name);
    add_options(command->options, out);
    add_options(option_common, out);
    if (completion_takes_experiment(command))
        buf_text(out, " \\\n        '*:experiment:_gannet_experiments'");
    else if (completion_takes_file(command))
        buf_text(out, " \\\n        '*:file:_files'");
    buf_text(out, "\n        ;;\n");
}

void completion_zsh(struct buf *out)
{
    buf_text(out, "#compdef gannet\n"
                  "# Completion of gannet's commands for zsh, made by `gannet completion zsh`.\n"
                  "_gannet_experiments() {\n"
                  "    local -a names\n"
                  "    names=(runs/*(N:t))\n"
                  "    _describe experiment names\n"
                  "    _files\n"
                  "}\n\n"
                  "_gannet() {\n"
                  "    local -a commands\n"
                  "    commands=(\n");
    for (const struct command *const *at = command_list; *at; at++)
        if ((*at)->group != GROUP_HIDDEN) {
            buf_format(out, "        '%s:", (*at)->name);
            add_text((*at)->summary, out);
            buf_text(out, "'\n");
        }
    buf_text(out, "    )\n"
                  "    if ((CURRENT == 2)); then\n"
                  "        _describe command commands\n"
                  "        return\n"
                  "    fi\n"
                  "    shift words\n"
                  "    ((CURRENT--))\n"
                  "    case $words[1] in\n");
    for (const struct command *const *at = command_list; *at; at++)
        add_command(*at, out);
    buf_text(out, "    esac\n}\n\n_gannet \"$@\"\n");
}
