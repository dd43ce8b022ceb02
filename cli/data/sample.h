/* Runs of very many trials, told by a sample of them: what bounded them and where their time went needs no more. */
#ifndef GANNET_CLI_DATA_SAMPLE_H
#define GANNET_CLI_DATA_SAMPLE_H

#include "cli/data/source.h"

#include <jansson.h>

/* So many trials tell what a million do: a share of a hundredth to a tenth of itself. Reading them takes a tenth of a
 * second. */
enum { SAMPLE_TRIALS = 20000 };

/* Chooses the sample: of twice `most` trials and more at least `most`, else (and for 0) all. NULL with a sentence. */
json_t *sample_choose(struct source *source, uint64_t most, struct err *err);

/* What a function of the reading half (source_read) gives of the trials of a sample: "verdicts", "phases", ... NULL
 * with a sentence, also when `sample` is NULL, which has said one. */
json_t *sample_read(struct source *source, const char *function, const json_t *sample, struct err *err);

/* As programs are told: {trials, of}, or null when the sample is all of them or NULL. */
json_t *sample_json(const json_t *sample);

#endif
