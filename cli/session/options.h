/* The options that a program has, as its source declares them: by Python's argparse or click. A file that says how
 * ${args} is to write a parameter wins over what is found here; what is found is kept in the frozen experiment. */
#ifndef GANNET_CLI_SESSION_OPTIONS_H
#define GANNET_CLI_SESSION_OPTIONS_H

#include "scheduler/spec/spec.h"

/* Settles how parameters become arguments by the program's source: a switch of true and false is written as the flag
 * that it is, `learning_rate` as --learning-rate when that is its name. Reports as warnings what argparse would make of
 * a parameter that can't be meant: no such option, and type=bool, for which "False" is true. */
void options_settle(struct spec *spec, const char *source, struct problems *problems);

#endif
