/* Answers that were made a moment ago, for who asks the same: twenty people before the same screen mostly do, since
 * what they were told last ends at the same place. Bounded in number and bytes; the oldest goes first. */
#ifndef GANNET_SCHEDULER_COORDINATOR_ANSWERS_H
#define GANNET_SCHEDULER_COORDINATOR_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

enum { ANSWERS_MOST = 64, ANSWERS_BYTES = 8 << 20 };

struct kept_answer {
    char *question, *text; /* NULL: none */
    size_t bytes;          /* of both */
    uint64_t change;       /* of the store, before which it was made */
    double made;
};

struct answers {
    struct kept_answer items[ANSWERS_MOST]; /* a ring */
    size_t next;                            /* the place of the next one, at which the oldest stands */
    size_t bytes;
};

void answers_fini(struct answers *answers);

/* The answer to this question, when it can still be given: for two seconds and a half, and for some more while the
 * store has not changed; NULL: it has to be made. Until the next answers_keep. */
const char *answers_find(const struct answers *answers, const char *question, uint64_t change, double now);

/* Keeps a copy, unless it is too large. `change`: the number of the store's last change when it was asked. */
void answers_keep(struct answers *answers, const char *question, const char *text, uint64_t change, double now);

#endif
