/* The options and arguments of commands, as tables. The parser, the help, the completion script and docs/cli.md all
 * read them. */
#ifndef GANNET_CLI_OPTION_H
#define GANNET_CLI_OPTION_H

#include "common/arena.h"
#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
    OPTION_SWITCH, /* present or not */
    OPTION_TEXT,   /* any text */
    OPTION_COUNT,  /* a whole number, 1 or more */
    OPTION_WORD    /* one of the words in `value` */
};

/* One row of a command's options. */
struct option {
    const char *name; /* without the dashes; NULL ends a table */
    char short_name;  /* its short form; 0: none */
    enum option_type type;
    const char *value; /* how the help calls the value ("N"); of a WORD: the words ("json|yaml"); of a SWITCH: NULL */
    bool many;         /* may be given several times, each counts */
    const char *help;  /* one or a few lines, separated by \n */
};

/* Rows that several commands have, each with its own help. */
#define OPTION_VALUE(long_name, kind, what, sentence)                                                                  \
    {                                                                                                                  \
        .name = long_name, .type = OPTION_##kind, .value = what, .help = sentence                                      \
    }
#define OPTION_LETTER(long_name, letter, kind, what, sentence)                                                         \
    {                                                                                                                  \
        .name = long_name, .short_name = letter, .type = OPTION_##kind, .value = what, .help = sentence                \
    }
#define OPTION_SET(sentence)                                                                                           \
    {                                                                                                                  \
        .name = "set", .short_name = 's', .type = OPTION_TEXT, .value = "KEY=VALUE", .many = true, .help = sentence    \
    }
#define OPTION_DIR(sentence) OPTION_LETTER("dir", 'd', TEXT, "DIR", sentence)
#define OPTION_N(sentence)   OPTION_LETTER("count", 'n', COUNT, "N", sentence)
#define OPTION_JSON(sentence)                                                                                          \
    {                                                                                                                  \
        .name = "json", .help = sentence                                                                               \
    }

/* One argument: a row of what follows the options. */
struct argument {
    const char *name; /* "FILE", "EXP"; "FILE..." as the last: any number of them; NULL ends a table */
    const char *help;
    bool needed;
};

/* The table of commands that take one experiment: EXP. */
extern const struct argument argument_experiment[];

/* What one may be called with. */
struct syntax {
    const char *command; /* for messages: "gannet run" */
    const struct argument *arguments;
    const struct option *options;
};

/* Options that every command has. */
extern const struct option option_common[];

/* A command line that was read. Texts belong to argv. */
struct args {
    struct given_option *given; /* one for each option, in the order they came */
    size_t given_count, given_capacity;
    const char **rest; /* the arguments, a NULL behind them */
    size_t rest_count, rest_capacity;
    struct arena *lists; /* of args_list */
};

/* Reads argv[0 .. argc-1], which starts behind the command's name. Takes "--name value", "--name=value", "-n value",
 * "-nvalue" and joined switches "-qv"; "--" ends the options. -1 with a sentence (it names the option, suggests, and
 * lists what there is). --help in it makes missing arguments fine. */
int args_read(const struct syntax *syntax, int argc, char **argv, struct args *out, struct err *err);
void args_fini(struct args *args);

/* Whether the option was given. */
bool args_has(const struct args *args, const char *name);

/* Its value (the last one given), or `default`. */
const char *args_text(const struct args *args, const char *name, const char *default_value);
uint64_t args_count(const struct args *args, const char *name, uint64_t default_value);

/* All values of an option that may be given several times; the list is theirs, the texts are argv's. */
const char *const *args_list(const struct args *args, const char *name, size_t *count);

/* Argument `index`, or NULL. */
const char *args_rest(const struct args *args, size_t index);

/* Whether `word` is one of `words` ("json|yaml"). */
bool option_word(const char *words, const char *word);

#endif
