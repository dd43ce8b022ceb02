/* What a command needs and is not there, found before it is started: its program, the script that an interpreter is
 * given, the directory that it starts in. For whoever reads an experiment file, and for the worker that runs it. */
#ifndef GANNET_COMMON_COMMAND_CHECK_H
#define GANNET_COMMON_COMMAND_CHECK_H

#include "common/buf.h"
#include "common/err.h"

#include <stdbool.h>

struct command_place {
    const char *const *command; /* argv with placeholders, NULL at the end */
    const char *base;           /* where a program with a slash in its name is looked for */
    const char *workdir;        /* where it starts, and its script is looked for; absolute */
    const char *path;           /* the PATH that it will have; NULL: the usual one */
};

/* What was found. */
struct command_fault {
    int argument;      /* its number in the command; COMMAND_WORKDIR: it is the directory */
    struct err err;    /* the sentence */
    struct err remedy; /* what to write instead; empty: nobody knows */
};

enum { COMMAND_WORKDIR = -1 };

/* 0: nothing is missing, as far as can be told: of a text for a shell only a simple command is looked at, and what
 * placeholders decide is not. Else -1. */
int command_check(const struct command_place *place, struct command_fault *fault);

/* The same, as one sentence. */
int command_check_sentence(const struct command_place *place, struct err *err);

/* Adds the text of what the command runs, as far as it is text: its program and the files that its words name. */
void command_add_source(const struct command_place *place, struct buf *out);

/* Whether a line of that Python takes something from a module: "import os, gannet", "from gannet import trial". */
bool command_imports(const char *source, const char *module);

/* Whether the program, compiled or not, or the script of an interpreter is a file that names GANNET_PARAM, or a script
 * that takes its trial from gannet (in Python, R or Julia): it finds its parameters in its environment or their file,
 * and its command line need not have any. */
bool command_reads_environment(const struct command_place *place);

/* Whether it is a shell's script, or a module of Python (-m): what that starts can't be seen from here. */
bool command_starts_others(const struct command_place *place);

#endif
