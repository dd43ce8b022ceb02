/* What a search would make of a program's option: a range around its default, a choice, a switch, or nothing, with the
 * reason. Names say what a number is: a learning rate is searched in its logarithm, a path not at all. */
#ifndef GANNET_CLI_START_RANGES_H
#define GANNET_CLI_START_RANGES_H

#include <jansson.h>
#include <stdint.h>

/* The keys of the parameter for an option as user_program.h has them (new); NULL, with why in *reason (constant), when
 * it is none to search. */
json_t *ranges_guess(const json_t *option, const char **reason);

/* Adds the option's default to the keys of its parameter where that can take it; returns the keys. */
json_t *ranges_add_default(json_t *keys, const json_t *option);

/* How many epochs or steps a trial trains, if that is what the option says and it has a default of some; else 0. */
int64_t ranges_length(const json_t *option);

#endif
