/* A command: one const struct, in the file of its name or with those of its kind, and in the list below; and the texts
 * that the tables of commands and options make. */
#ifndef GANNET_CLI_COMMAND_H
#define GANNET_CLI_COMMAND_H

#include "cli/console.h"
#include "cli/option.h"
#include "cli/status.h"

/* The headings under which `gannet help` lists commands; a row: the heading. */
#define GROUPS(X)                                                                                                      \
    X(RUN, "Running")                                                                                                  \
    X(LOOK, "Looking at experiments")                                                                                  \
    X(TRIAL, "Inside a trial")                                                                                         \
    X(ASK, "What gannet knows")                                                                                        \
    X(HIDDEN, "Used by gannet itself")

enum command_group {
#define X(id, heading) GROUP_##id,
    GROUPS(X)
#undef X
        GROUPS_COUNT
};

struct source; /* cli/data/source.h */

struct command {
    const char *name;
    enum command_group group;
    const char *summary;              /* one line, without a full stop */
    const char *text;                 /* paragraphs of its help, lines of at most 80 characters; may be NULL */
    const struct argument *arguments; /* NULL: takes none */
    void (*words)(struct buf *out);   /* adds what the first argument may be, a space before each; NULL: any word */
    const struct option *options;     /* NULL: the common ones alone */
    const char *examples;             /* lines "command   # what for"; may be NULL */
    /* Does it: one of the two. Results to console->out, messages to console->err; an enum status. `visit` is given the
     * experiment that the first argument names, open, and leaves its sentence to be said. */
    int (*run)(struct console *console, const struct args *args);
    int (*visit)(struct console *console, const struct args *args, struct source *source, struct err *err);
};

/* All commands in the order they are listed; NULL ends it. */
extern const struct command *const command_list[];

/* The command of that name, or NULL. */
const struct command *command_find(const char *name);

/* Says that there is no such command, with a suggestion and the list: STATUS_USAGE. */
int command_unknown(struct console *console, const char *name);

/* Running, looking, inside a trial, asking, hidden. */
/* clang-format off */
#define COMMANDS(X)                                                                                                    \
    X(init) X(import) X(run) X(submit) X(check) X(bench) X(pause) X(resume) X(stop) X(cancel) X(ignore) X(retry) \
    X(add) X(wait) X(ask) X(tell) X(attach)                                                                                                  \
    X(share) X(ls) X(status) X(trials) X(show) X(explain) X(profile) X(rerun) X(best) X(importance) X(compare) X(plot) X(report) X(export) X(logs) X(replay)                               \
    X(metric) X(checkpoint) X(should_stop)                                                                             \
    X(help) X(doctor) X(kernels) X(strategies) X(stoppers) X(schema) X(completion) X(version)                          \
    X(frame) X(coordinator) X(job) X(slurm_agent) X(docs)
/* clang-format on */

#define X(name) extern const struct command cmd_##name;
COMMANDS(X)
#undef X

/* Adds what `gannet help` shows: the commands by group. */
void help_list(const struct look *look, struct buf *out);

/* Adds what `gannet COMMAND --help` shows. */
void help_command(const struct command *command, const struct look *look, struct buf *out);

/* Parts of these: the heading of a group; "gannet run FILE [options]"; "-n, --workers N". */
const char *help_heading(enum command_group group);
void help_usage(const struct command *command, struct buf *out);
void help_option_name(const struct option *option, struct buf *out);

/* Adds docs/cli.md. */
void help_document(struct buf *out);

#endif
