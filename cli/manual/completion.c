/* Completion scripts; see manual.h. */
#include "cli/manual/manual.h"
#include "cli/command.h"

#include <stdbool.h>
#include <string.h>

static const char *first_argument(const struct command *command)
{
    return command->arguments && command->arguments->name ? command->arguments->name : "";
}

static bool takes_experiment(const struct command *command)
{
    return strncmp(first_argument(command), "EXP", 3) == 0;
}

static bool takes_file(const struct command *command)
{
    return strstr(first_argument(command), "FILE") != NULL; /* FILE, FILE..., EXP|FILE */
}

static void add_line(const char *text, const char *escaped, struct buf *out)
{
    for (const char *c = text; *c; c++)
        buf_format(out, "%s%c", strchr(escaped, *c) ? "\\" : "", *c == '\n' ? ' ' : *c);
}

static void add_words(const char *words, struct buf *out)
{
    for (const char *c = words; *c; c++)
        buf_format(out, "%c", *c == '|' ? ' ' : *c);
}

/* --- bash --- */

/* Adds the words of a command that start with '-', behind one another. */
static void add_bash_option_words(const struct option *table, struct buf *out)
{
    for (; table && table->name; table++)
        buf_format(out, " --%s", table->name);
}

/* Adds a case of the shell's `case`: what follows an option that has words, or files. */
static void add_bash_value_cases(const struct command *command, struct buf *out)
{
    for (const struct option *row = command->options; row && row->name; row++) {
        if (row->type == OPTION_WORD) {
            buf_format(out, "        %s:--%s) words='", command->name, row->name);
            add_words(row->value, out);
            buf_text(out, "'; files= experiments= ;;\n");
        } else if (row->type == OPTION_TEXT) {
            buf_format(out, "        %s:--%s) words=; files=1 ;;\n", command->name, row->name);
        }
    }
}

static void add_bash_command_case(const struct command *command, struct buf *out)
{
    buf_format(out, "        %s) words='", command->name);
    if (command->words)
        command->words(out);
    add_bash_option_words(command->options, out);
    add_bash_option_words(option_common, out);
    buf_format(out, "'%s%s ;;\n", takes_experiment(command) ? "; experiments=1" : "",
               takes_file(command) ? "; files=1" : "");
}

static void write_bash(struct buf *out)
{
    buf_text(out,
             "# Completion of gannet's commands for bash, made by `gannet completion bash`.\n"
             "_gannet() {\n"
             "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
             "    local words= files= experiments=\n"
             "    if [ \"$COMP_CWORD\" = 1 ]; then\n        words='");
    for (const struct command *const *at = command_list; *at; at++)
        if ((*at)->group != GROUP_HIDDEN)
            buf_format(out, " %s", (*at)->name);
    buf_text(out, "'\n    else\n        case $command in\n");
    for (const struct command *const *at = command_list; *at; at++)
        add_bash_command_case(*at, out);
    buf_text(out, "        esac\n        case $command:$before in\n");
    for (const struct command *const *at = command_list; *at; at++)
        add_bash_value_cases(*at, out);
    buf_text(out, "        *:--color) words='auto always never'; files= experiments= ;;\n"
                  "        esac\n    fi\n"
                  "    [ -z \"$experiments\" ] || words=\"$words $(cd runs 2>/dev/null && echo *)\"\n"
                  "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                  "    [ -z \"$files\" ] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
                  "}\n"
                  "complete -o filenames -F _gannet gannet\n");
}

/* --- zsh --- */

/* Adds a text within single quotes. What means something to _arguments is escaped, and the quote itself left out. */
static void add_zsh_text(const char *text, struct buf *out)
{
    struct buf plain = {0};
    for (const char *c = text; *c; c++)
        if (*c != '\'')
            buf_add(&plain, c, 1);
    add_line(buf_str(&plain), "[]:\\", out);
    buf_fini(&plain);
}

/* Adds what follows an option: its words, any text, or nothing. */
static void add_zsh_value(const struct option *row, struct buf *out)
{
    if (row->type == OPTION_WORD) {
        buf_text(out, ":value:(");
        add_words(row->value, out);
        buf_text(out, ")");
    } else if (row->type != OPTION_SWITCH) {
        buf_text(out, ":");
        add_zsh_text(row->value, out);
        buf_text(out, row->type == OPTION_TEXT ? ":_files" : ": ");
    }
}

static void add_zsh_spelling(const struct option *row, const char *spelling, const char *joined, struct buf *out)
{
    buf_format(out, " \\\n        '%s%s%s[", row->many ? "*" : "", spelling, row->type == OPTION_SWITCH ? "" : joined);
    add_zsh_text(row->help, out);
    buf_text(out, "]");
    add_zsh_value(row, out);
    buf_text(out, "'");
}

static void add_zsh_options(const struct option *table, struct buf *out)
{
    for (const struct option *row = table; row && row->name; row++) {
        struct buf name = {0};
        buf_format(&name, "--%s", row->name);
        add_zsh_spelling(row, buf_str(&name), "=", out);
        if (row->short_name)
            add_zsh_spelling(row, (char[]){'-', row->short_name, '\0'}, "+", out);
        buf_fini(&name);
    }
}

static void add_zsh_command(const struct command *command, struct buf *out)
{
    buf_format(out, "    %s)\n        _arguments", command->name);
    add_zsh_options(command->options, out);
    add_zsh_options(option_common, out);
    if (takes_experiment(command))
        buf_text(out, " \\\n        '*:experiment:_gannet_experiments'");
    else if (takes_file(command))
        buf_text(out, " \\\n        '*:file:_files'");
    else if (command->words) {
        buf_text(out, " \\\n        '1:word:(");
        command->words(out);
        buf_text(out, ")'");
    }
    buf_text(out, "\n        ;;\n");
}

static void write_zsh(struct buf *out)
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
            add_zsh_text((*at)->summary, out);
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
        add_zsh_command(*at, out);
    buf_text(out, "    esac\n}\n\n_gannet \"$@\"\n");
}

/* --- fish --- */

/* Adds " -d 'what it is for'". */
static void add_fish_help(const char *help, struct buf *out)
{
    buf_text(out, " -d '");
    add_line(help, "'\\", out);
    buf_text(out, "'\n");
}

/* `condition`: when the option is offered. */
static void add_fish_option(const struct option *row, const char *condition, struct buf *out)
{
    buf_format(out, "complete -c gannet%s -l %s", condition, row->name);
    if (row->short_name)
        buf_format(out, " -s %c", row->short_name);
    if (row->type == OPTION_WORD) {
        buf_text(out, " -x -a '");
        add_words(row->value, out);
        buf_text(out, "'");
    } else if (row->type != OPTION_SWITCH) {
        buf_text(out, row->type == OPTION_TEXT ? " -r -F" : " -x");
    }
    add_fish_help(row->help, out);
}

static void add_fish_options(const struct option *table, const char *condition, struct buf *out)
{
    for (const struct option *row = table; row && row->name; row++)
        add_fish_option(row, condition, out);
}

static void add_fish_command(const struct command *command, struct buf *out)
{
    struct buf condition = {0};
    buf_format(&condition, " -n '__fish_seen_subcommand_from %s'", command->name);
    if (command->group != GROUP_HIDDEN) {
        buf_format(out, "complete -c gannet -n __fish_use_subcommand -a %s", command->name);
        add_fish_help(command->summary, out);
    }
    add_fish_options(command->options, buf_str(&condition), out);
    if (takes_experiment(command))
        buf_format(out, "complete -c gannet%s -F -a '(__gannet_experiments)'\n", buf_str(&condition));
    else if (takes_file(command))
        buf_format(out, "complete -c gannet%s -F\n", buf_str(&condition));
    else if (command->words) {
        buf_format(out, "complete -c gannet%s -a '", buf_str(&condition));
        command->words(out);
        buf_text(out, "'\n");
    }
    buf_fini(&condition);
}

static void write_fish(struct buf *out)
{
    buf_text(out, "# Completion of gannet's commands for fish, made by `gannet completion fish`.\n"
                  "function __gannet_experiments\n"
                  "    for directory in runs/*/\n"
                  "        basename $directory\n"
                  "    end\n"
                  "end\n"
                  "complete -c gannet -f\n");
    for (const struct command *const *at = command_list; *at; at++)
        add_fish_command(*at, out);
    add_fish_options(option_common, "", out);
}

const struct manual_page completion_shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}, {0}};
