/* libyaml's complaints in words that say what to do. */
#ifndef GANNET_SCHEDULER_SPEC_SYNTAX_H
#define GANNET_SCHEDULER_SPEC_SYNTAX_H

#include "scheduler/spec/problem.h"

/* A complaint, or what libyaml was reading at the time, and where. */
struct syntax_place {
    const char *what; /* libyaml's words; "" when there are none */
    struct mark mark;
    char byte; /* the text's first byte there */
};

/* Reports that a text is no YAML. `context` is what was being read when the problem came up. */
void syntax_report(struct problems *problems, struct syntax_place problem, struct syntax_place context);

#endif
