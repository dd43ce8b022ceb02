/* A Chrome trace of an experiment or a trial, for ui.perfetto.dev and chrome://tracing: only what was measured.
 *
 * A worker is a process of the trace, a slot a thread of it. On a slot's track lies each attempt that ended as a span
 * "trial 12", from when it began for as long as it took, and within it "launch"; of an attempt on several nodes one on
 * a slot of each. Where several processes train a trial (resources.ranks) the others have a track each, with a span
 * "rank 1 of trial 12". The cores that it used are a curve. Of a single trial the steps are spans, too, from one value
 * of the objective to the next, and each of its metrics is a curve. What phases and operations came to in all are
 * arguments of the span: when each of their times was is not recorded, so they are no spans. */
#ifndef GANNET_CLI_DATA_TRACE_H
#define GANNET_CLI_DATA_TRACE_H

#include "cli/data/source.h"
#include "cli/data/whole_file.h"

#include <jansson.h>

/* How much a trace has. */
struct trace_size {
    uint64_t runs;  /* attempts */
    uint64_t bytes; /* of the file */
};

/* Writes the trace of the experiment, or of a trial (else 0), to the file; "-": the standard output. 0 and *out, or an
 * exit status with a sentence. */
int trace_write(struct source *source, uint64_t trial, const char *path, struct trace_size *out, struct err *err);

/* The file of a trace as it is written: events go to the disk as they come, so that a trace of any size needs no
 * memory. The format: "Trace Event Format", Google 2016. This is what such a file begins with. */
#define TRACE_FILE_BEGIN "{\"displayTimeUnit\": \"ms\",\n\"traceEvents\": ["

struct trace_file {
    struct whole_file file;
    struct buf text; /* of the event that is being written */
    uint64_t count;  /* events */
};

/* "-": the standard output. -1 with a sentence. */
int trace_file_open(struct trace_file *file, const char *path, struct err *err);

/* Adds an event; takes over the reference. */
void trace_file_add(struct trace_file *file, json_t *event);

/* Ends the list of events and adds `other`, what is to be said of the whole, whose reference it takes over; the file
 * gets its name. -1 with a sentence when something could not be written. */
int trace_file_finish(struct trace_file *file, json_t *other, struct err *err);

/* Gives up what has not been finished, and frees all. */
void trace_file_close(struct trace_file *file);

#endif
