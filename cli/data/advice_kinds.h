/* The kinds of runs that an experiment has, which advice depends on, from its frozen file. */
#ifndef GANNET_CLI_DATA_ADVICE_KINDS_H
#define GANNET_CLI_DATA_ADVICE_KINDS_H

/* As advice_whom gives them. A text that is no experiment is that of a program. */
unsigned advice_kinds(const char *spec);

#endif
