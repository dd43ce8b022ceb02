/* When which slot ran what: attempts in columns, for timelines. Filled from the store's spans (reader_spans); asks
 * nobody. */
#ifndef GANNET_CLI_DATA_SLOT_SPANS_H
#define GANNET_CLI_DATA_SLOT_SPANS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slot_span {
    uint64_t trial;
    double started, seconds; /* since 1970 */
    double launch;           /* of these seconds until the first work; 0: not known */
    uint32_t slot;           /* a place among `slots` */
    uint16_t attempt;
    int8_t reason; /* enum ending; -1: it runs */
    bool first;    /* the part 0 of an attempt: the others of a run on several nodes are no attempts more */
};

/* A slot of a node, by whichever workers offered it, one after the other: a search that is resumed has new ones. */
struct slot_row {
    char *node;
    int64_t worker, slot; /* of the first of them */
    double from, to;      /* when its first attempt began, and its last one ended */
    double busy;          /* seconds */
    double away;          /* seconds between the attempts of one worker and those of the next: it was not there */
};

struct slot_spans {
    struct slot_span *items;
    size_t count, capacity;
    struct slot_row *slots; /* in the order in which they came up; sorted by slot_spans_finish */
    size_t slot_count, slot_capacity;
    double from, to; /* seconds since 1970; NaN: there is nothing */
};

/* {0} is an empty one. Adds an object of reader_spans; `now`: until when what runs is drawn. */
void slot_spans_add(struct slot_spans *spans, const json_t *span, double now);

/* All were added: slots come in the order of nodes, workers and their numbers, spans by slot and time. */
void slot_spans_finish(struct slot_spans *spans);

/* Seconds that all slots were there, busy or idle; of spans that are finished. */
double slot_spans_there(const struct slot_spans *spans);
void slot_spans_fini(struct slot_spans *spans);

#endif
