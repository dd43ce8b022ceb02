/* bash; see completion.h. */
#include "cli/manual/completion.h"
#include "cli/commands.h"

/* Adds the words of a command that start with '-', behind one another. */
static void add_option_words(const struct option *table, struct buf *out)
{
    for (; table && table->name; table++)
        buf_format(out, " --%s", table->name);
}

/* Adds a case of the shell's `case`: what follows an option that has words, or files. */
static void add_value_cases(const struct command *command, struct buf *out)
{
    for (const struct option *row = command->options; row && row->name; row++) {
        if (row->type == OPTION_WORD) {
            buf_format(out, "        %s:--%s) words='", command->name, row->name);
            completion_add_words(row->value, out);
            buf_text(out, "' ;;\n");
        } else if (row->type == OPTION_TEXT) {
            buf_format(out, "        %s:--%s) words=; files=1 ;;\n", command->name, row->name);
        }
    }
}

static void add_command_case(const struct command *command, struct buf *out)
{
    buf_format(out, "        %s) words='", command->name);
    add_option_words(command->options, out);
    add_option_words(option_common, out);
    buf_format(out, "'%s%s ;;\n", completion_takes_experiment(command) ? "; experiments=1" : "",
               completion_takes_file(command) ? "; files=1" : "");
}

void completion_bash(struct buf *out)
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
        add_command_case(*at, out);
    buf_text(out, "        esac\n        case $command:$before in\n");
    for (const struct command *const *at = command_list; *at; at++)
        add_value_cases(*at, out);
    buf_text(out, "        *:--color) words='auto always never' ;;\n"
                  "        esac\n    fi\n"
                  "    [ -z \"$experiments\" ] || words=\"$words $(cd runs 2>/dev/null && echo *)\"\n"
                  "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                  "    [ -z \"$files\" ] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
                  "}\n"
                  "complete -o filenames -F _gannet gannet\n");
}
