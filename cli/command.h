/* A command: one const struct in a file of its own (run.c, ...), one of the list in commands.h. */
#ifndef GANNET_CLI_COMMAND_H
#define GANNET_CLI_COMMAND_H

#include "cli/console.h"
#include "cli/option.h"
#include "cli/status.h"

/* The headings under which `gannet help` lists commands; a row: the heading. */
#define GROUPS(X)                                                                                                      \
    X(RUN, "Running")                                                                                                  \
    X(LOOK, "Looking at experiments")                                                                                  \
    X(ASK, "What gannet knows")                                                                                        \
    X(HIDDEN, "Used by gannet itself")

enum group {
#define X(id, heading) GROUP_##id,
    GROUPS(X)
#undef X
        GROUPS_COUNT
};

struct command {
    const char *name;
    enum group group;
    const char *summary;              /* one line, without a full stop */
    const char *text;                 /* paragraphs of its help, lines of at most 80 characters; may be NULL */
    const struct argument *arguments; /* NULL: takes none */
    void (*words)(struct buf *out);   /* adds what the first argument may be, a space before each; NULL: any word */
    const struct option *options;     /* NULL: the common ones alone */
    const char *examples;             /* lines "command   # what for"; may be NULL */
    /* Does it. Results to console->out, messages to console->err; returns an enum status. */
    int (*run)(struct console *console, const struct args *args);
};

/* All commands in the order they are listed; NULL ends it. */
extern const struct command *const command_list[];

/* The command of that name, or NULL. */
const struct command *command_find(const char *name);

/* Says that there is no such command, with a suggestion and the list: STATUS_USAGE. */
int command_unknown(struct console *console, const char *name);

/* Runs the command line argv[0 .. argc-1] ("gannet", "run", ...): the exit status. */
int command_dispatch(struct console *console, int argc, char **argv);

#endif
