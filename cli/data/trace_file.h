/* The file of a trace as it is written: events go to the disk as they come, so that a trace of any size needs no
 * memory. The file of that name appears when it is whole. The format: "Trace Event Format", Google 2016. */
#ifndef GANNET_CLI_DATA_TRACE_FILE_H
#define GANNET_CLI_DATA_TRACE_FILE_H

#include "cli/data/whole_file.h"

#include <jansson.h>

/* What such a file begins with. */
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
