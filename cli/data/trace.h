/* A Chrome trace of an experiment or a trial, for chrome://tracing and ui.perfetto.dev: only what was measured.
 *
 * A worker is a process of the trace, a slot a thread of it. On a slot's track lies each attempt as a span "trial 12",
 * from when it began for as long as it took, and within it "launch". Of a single trial the steps are spans, too: from
 * one value of the objective to the next; and each of its metrics is a curve. What phases and operations came to in all
 * are arguments of the span: when each of their times was is not recorded, so they are no spans. */
#ifndef GANNET_CLI_DATA_TRACE_H
#define GANNET_CLI_DATA_TRACE_H

#include "cli/data/source.h"

/* Writes the trace of the experiment, or of a trial (else 0), to the file. 0, or an exit status with a sentence. */
int trace_write(struct source *source, uint64_t trial, const char *path, struct err *err);

#endif
