/* A sketch (cli/start/sketch.h) becomes a file that is there: written, unless one is there already, and checked as
 * `gannet check` does. */
#ifndef GANNET_CLI_SESSION_WRITE_SKETCH_H
#define GANNET_CLI_SESSION_WRITE_SKETCH_H

#include "cli/console.h"
#include "cli/start/sketch.h"
#include "scheduler/spec/spec.h"

/* Where the file is to be. */
struct write_place {
    const char *file; /* NULL: NAME.yaml here */
    bool force;       /* replaces what is there */
};

/* Names the file, before much work is done for it: *path (free() it), and the sketch's name and base after it. Else the
 * exit status, said: something is there. */
int write_sketch_place(struct console *console, struct sketch *sketch, const struct write_place *place, char **path);

/* Writes it. 0 and *spec (spec_destroy), or the exit status, everything said; problems that the file has are shown.
 * `catalog`: what the kernel's own checks read (catalog_read), so that nothing is written which it refuses; NULL: none.
 */
int write_sketch(struct console *console, const struct sketch *sketch, const char *path, const json_t *catalog,
                 struct spec **spec);

/* Adds what is searched by the file, a line a parameter. */
void write_sketch_describe(const struct spec *spec, struct buf *out);

#endif
