/* Reporting what is wrong in an experiment file: a code, a place, a sentence, a hint. What readers of problems see is
 * in spec.h; this is the writers' side. */
#ifndef GANNET_SCHEDULER_SPEC_PROBLEM_H
#define GANNET_SCHEDULER_SPEC_PROBLEM_H

#include "scheduler/spec/spec.h"

/* X(id, name, is a warning, what it means): every kind of problem; docs/experiment.md lists them. */
#define PROBLEM_CODES(X)                                                                                               \
    X(CANNOT_READ, "cannot_read", false, "the file can't be opened, is no plain file or is larger than 4 MiB")         \
    X(BAD_TEXT, "bad_text", false, "a byte that is not UTF-8, or a control character")                                 \
    X(SYNTAX, "syntax", false, "the text is not YAML")                                                                 \
    X(TOO_MUCH, "too_much", false, "nested too deeply, or too many values once the aliases are filled in")             \
    X(NO_EXPERIMENT, "no_experiment", false, "the file is empty, or holds something else than keys and values")        \
    X(SECOND_DOCUMENT, "second_document", false, "more than one document (`---`) in the file")                         \
    X(BAD_KEY, "bad_key", false, "a key that is a list, a map or empty, or the merge key `<<`")                        \
    X(DUPLICATE_KEY, "duplicate_key", false, "the same key twice in one map")                                          \
    X(BAD_ALIAS, "bad_alias", false, "an alias of an anchor that isn't there, or of what it stands in")                \
    X(TAG, "tag", false, "an explicit type such as `!!str`")                                                           \
    X(BAD_OVERRIDE, "bad_override", false, "a `--set` that is no `dotted.key=value`, or whose key leads nowhere")      \
    X(UNKNOWN_KEY, "unknown_key", false, "a key that gannet doesn't have")                                             \
    X(MISSING_KEY, "missing_key", false, "a key that must be given is not there")                                      \
    X(CONFLICT, "conflict", false, "two keys that exclude each other")                                                 \
    X(NOT_YET, "not_yet", false, "a key or value that a later version of gannet will have")                            \
    X(NEWER_VERSION, "newer_version", false, "the file was written for a newer gannet")                                \
    X(WRONG_TYPE, "wrong_type", false, "a text where a number belongs, a list where a map belongs, ...")               \
    X(BAD_VALUE, "bad_value", false, "a number out of range, an unknown word, a duration without a unit, ...")         \
    X(BAD_NAME, "bad_name", false, "a name with characters that are not allowed")                                      \
    X(BAD_PLACEHOLDER, "bad_placeholder", false, "a `${...}` that gannet doesn't fill in")                             \
    X(NOT_FILLED_IN, "not_filled_in", false, "`{lr}`, `$lr` or the like in a command, where `${params.lr}` was meant") \
    X(NO_PARAMETER, "no_parameter", false, "a command that uses no parameter, so that all trials would be the same")   \
    X(BAD_PARAMETER, "bad_parameter", false, "what the parameter can be is not said, or said twice")                   \
    X(BAD_RANGE, "bad_range", false, "`min` not below `max`, or a logarithm of what has none")                         \
    X(RANGE_AS_TEXT, "range_as_text", false, "a range as another tool writes it: here it would be a constant")         \
    X(BAD_STEP, "bad_step", false, "a step that makes no sense in this range")                                         \
    X(BAD_CHOICES, "bad_choices", false, "the same value twice, or weights that don't fit the values")                 \
    X(BAD_DEFAULT, "bad_default", false, "a default that the parameter can't take")                                    \
    X(BAD_CONDITION, "bad_condition", false, "a `when` that names no parameter, or could never hold")                  \
    X(CIRCLE, "circle", false, "parameters whose conditions wait for each other")                                      \
    X(BAD_CONSTRAINT, "bad_constraint", false, "a constraint that can't be read")                                      \
    X(BAD_START, "bad_start", false, "a start point outside the space")                                                \
    X(UNKNOWN_STRATEGY, "unknown_strategy", false, "a strategy that this gannet doesn't bring along")                  \
    X(UNKNOWN_STOPPER, "unknown_stopper", false, "an early stopping that this gannet doesn't bring along")             \
    X(BAD_OPTION, "bad_option", false, "an option that the strategy or early stopping doesn't have, or can't take")    \
    X(UNEVEN_STEP, "uneven_step", true, "the steps don't end at `max`: the last value is another one")                 \
    X(TWO_INTEGERS, "two_integers", true, "{min: 0, max: 1} without a type holds 0 and 1 alone")                       \
    X(TWO_VALUES, "two_values", true, "[0.1, 0.5] holds these two reals alone")                                        \
    X(UNUSED_PARAMETER, "unused_parameter", true, "a command that does not use this parameter, but others")            \
    X(QUOTED_VALUE, "quoted_value", true, "a placeholder in quotes, though what is filled in is quoted for the shell") \
    X(LONE_LAUNCH, "lone_launch", true, "`trial.launch: first` of a trial that is one process")                        \
    X(LONE_MPS, "lone_mps", true, "`resources.mps: true` of trials that share no GPU")                                 \
    X(WORD_NOT_SWITCH, "word_not_switch", true, "`yes`, `no`, `on`, `off`: texts in YAML 1.2, not true or false")      \
    X(LEADING_ZERO, "leading_zero", true, "`010`: ten in YAML 1.2, eight in older YAML")

enum problem_code {
#define X(id, name, warning, meaning) PROBLEM_##id,
    PROBLEM_CODES(X)
#undef X
        PROBLEM_CODES_COUNT
};

/* The kinds, by their codes. */
struct problem_kind {
    const char *name;
    bool warning;
    const char *meaning;
};
extern const struct problem_kind problem_kinds[];

/* Where something stands. Columns count characters, not bytes. */
struct source_mark {
    uint32_t line, column, end_column; /* from 1, the end exclusive; line 0: nowhere in particular */
    const char *option; /* the override that it stands in, whose columns are counted; NULL: in the file */
};

/* Adds a problem and returns it, so that a hint can be given to it before the next one is added. */
struct problem *problem_add(struct problems *problems, enum problem_code code, struct source_mark mark,
                            const char *format, ...) PRINTF_LIKE(4, 5);

/* Adds a problem with what to write instead. */
void problem_say(struct problems *problems, enum problem_code code, struct source_mark mark, const char *hint,
                 const char *format, ...) PRINTF_LIKE(5, 6);

/* Says what to write instead of what a problem is about, where that takes more than a text. */
void problem_hint(struct problem *problem, const char *format, ...) PRINTF_LIKE(2, 3);

/* Errors before warnings, the file before overrides, each by place; what was found twice is kept once. */
void problems_sort(struct problems *problems);

#endif
