/* What strategies share that go through a fixed sequence of points (a grid, Sobol's points): where they stand in it.
 *
 * Where they stand must follow from the notes alone, since a restart repeats those and not the asks. So an ask only
 * looks ahead, and a note moves on: the sequence stands at its first point that is allowed and was not noted yet.
 * Points that trials got from elsewhere (start points) are noted too and so are not proposed again. */
#ifndef GANNET_SEARCH_SIMPLE_SEQUENCE_H
#define GANNET_SEARCH_SIMPLE_SEQUENCE_H

#include "search/strategy.h"

#include <stdint.h>

enum sequence_step {
    SEQUENCE_POINT,
    SEQUENCE_NOTHING, /* from the source: no point at this place, go on; from an ask: see `patience` */
    SEQUENCE_END
};

/* Writes the next point of the sequence and moves on. */
typedef enum sequence_step sequence_next(void *source, double *unit);

struct sequence;

/* Asks for one trial look at `patience` places in a row without an allowed new point and then give up with
 * SEQUENCE_NOTHING. */
struct sequence *sequence_create(const struct gannet_problem *problem, const struct gannet_host *host,
                                 sequence_next *next, void *source, uint64_t patience);
void sequence_destroy(struct sequence *sequence); /* NULL is fine */

/* The first point ahead for retry 0, and the one behind that of the last ask for a higher one. */
enum sequence_step sequence_ask(struct sequence *sequence, uint32_t retry, double *unit);

void sequence_note(struct sequence *sequence, const double *unit);

#endif
