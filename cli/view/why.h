/* Why things are as they are, in sentences: the experiment, one of its trials, a node or a worker. Pure, from what the
 * coordinator and the store say. */
#ifndef GANNET_CLI_VIEW_WHY_H
#define GANNET_CLI_VIEW_WHY_H

#include "cli/view/overview.h"

/* What is known; members that don't belong to the subject are NULL. */
struct why_facts {
    const struct overview *overview;
    const json_t *faults;   /* as reader_faults gives them */
    const json_t *events;   /* as reader_events gives them */
    const json_t *trial;    /* the trial that is meant, as reader_show gives it */
    const json_t *example;  /* of a search that stops early its best trial, as reader_show gives it; or NULL */
    const json_t *prospect; /* what the coordinator expects of it, as the service answers; or NULL */
    const json_t *verdict;  /* what bounded the trial: cli/data/verdict_words.h */
    const json_t *verdicts; /* what bounded all runs, likewise */
    const json_t *sample;   /* the trials that these were read of, {trials, of}; null: all */
    const json_t *failures; /* failed trials that are told beside it, with their reason; or NULL */
    const char *place;      /* the node or the worker that is meant */
    bool trouble;           /* of the experiment only what a person may have to do something about, without
                               its state, standstills and nodes set aside, which are told by themselves */
};

/* The sentences, an array of texts. */
json_t *why_experiment(const struct why_facts *known);
json_t *why_trial(const struct why_facts *known);
json_t *why_place(const struct why_facts *known); /* empty: there never was such a node or worker */

/* Those of the events that are about the subject. */
json_t *why_events(const struct why_facts *known);

#endif
