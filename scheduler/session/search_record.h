/* What is recorded of a search, in memory: for a strategy that lives through its past anew because a person has changed
 * it - up to some place of the record, as things stood there. For replays and for living searches alike. */
#ifndef GANNET_SCHEDULER_SESSION_SEARCH_RECORD_H
#define GANNET_SCHEDULER_SESSION_SEARCH_RECORD_H

#include "scheduler/session/ask.h"
#include "scheduler/spec/spec.h"
#include "scheduler/store/reader.h"
#include "search/searcher.h"

struct search_record;

/* Everything up to the tell of number `told`, but at most `visits` proposals, tells, observations and changes. NULL
 * with a sentence. */
struct search_record *search_record_read(struct reader *reader, uint64_t told, uint64_t visits, struct err *err);
void search_record_destroy(struct search_record *record); /* NULL is fine */

/* A searcher that has lived through it; *past is what it has lived through. It needs no store. NULL with a sentence. */
struct searcher *search_record_live(const struct search_record *record, const struct spec *spec, struct ask_past *past,
                                    struct err *err);

#endif
