/* How a program's lines show a metric, as a person describes it: "step {step}: {name} is {value}".
 *
 *     {value}  a number, where one metric's value stands; once
 *     {name}   the metric's name; without it every match is one of the objective
 *     {step}   a whole number
 *     {any}    anything, up to the text behind it
 *
 * All else is text that stands there as it is; blanks stand for any number of blanks. */
#ifndef GANNET_COMMON_LINE_PATTERN_H
#define GANNET_COMMON_LINE_PATTERN_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

enum line_part_kind { LINE_VALUE, LINE_NAME, LINE_STEP, LINE_ANY, LINE_TEXT };

struct line_part {
    enum line_part_kind kind;
    const char *text; /* of LINE_TEXT */
    size_t length;
};

enum { LINE_PARTS_MOST = 17, LINE_PATTERN_LONGEST = 500 };

struct line_pattern {
    struct line_part parts[LINE_PARTS_MOST];
    size_t count;
    bool has_name, has_step;
};

/* Reads one; its texts are those of `text`. -1 with a sentence. */
int line_pattern_read(const char *text, struct line_pattern *out, struct err *err);

/* Whether a name can be that of a file which a trial's program writes: relative, inside the trial's directory, and none
 * of ours there. -1 with a sentence. */
int line_pattern_check_file(const char *name, struct err *err);

#endif
