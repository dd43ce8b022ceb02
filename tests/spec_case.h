/* The experiment files under tests/scheduler/spec_cases: NAME.yaml, with NAME.set (an override a line) where there are
 * overrides, and what is expected of them beside. */
#ifndef GANNET_TESTS_SPEC_CASE_H
#define GANNET_TESTS_SPEC_CASE_H

#include "scheduler/spec/spec.h"

/* One of them. */
struct spec_case {
    char *directory; /* "tests/scheduler/spec_cases/bad" */
    char *name;      /* without ".yaml" */
    struct buf text;
    const char *overrides[16];
    size_t override_count;
    struct buf override_text;
};

/* Calls `each` for every case of a directory, by name. */
void spec_case_each(const char *directory, void (*each)(const struct spec_case *, void *), void *context);

/* Reads the case as the file NAME.yaml in the directory /base. */
struct spec *spec_case_read(const struct spec_case *one, struct problems *problems);

/* The problems as a person sees them, with the closing line. */
void spec_case_show(struct problems *problems, struct buf *out);

/* Compares a text with the file NAME.ENDING beside the case, and says where they differ; no file is an empty one. With
 * GANNET_ACCEPT=1 in the environment the file is written instead: look at what changed before you keep it. */
bool spec_case_expect(const struct spec_case *one, const char *ending, const char *text);

#endif
