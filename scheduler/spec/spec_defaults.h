/* Keys of `slurm:` and `network:` that hold where an experiment file and --set say nothing: those of site files and of
 * variables. They are layers, each over the ones that are added after it. A layer is checked when it is added, so that
 * a mistake is shown at its place in the site file, not in the experiment's. */
#ifndef GANNET_SCHEDULER_SPEC_SPEC_DEFAULTS_H
#define GANNET_SCHEDULER_SPEC_SPEC_DEFAULTS_H

#include "scheduler/spec/spec.h"

struct spec_layer;

/* {0} has no layers. */
struct spec_defaults {
    struct spec_layer **items; /* the strongest first */
    size_t count, capacity;
    const char *only; /* the one section that is taken of them; NULL: all */
};

/* Adds the layer that a text in YAML says: sections and keys of them. `source` is where it comes from, for people; of a
 * file (`of_file`) its path, and then keys that are about one search are refused. False: *problems, which the caller
 * frees in any case, says what is wrong, and nothing is added. */
bool spec_defaults_add(struct spec_defaults *defaults, const char *source, bool of_file, const char *text,
                       size_t length, struct problems *problems);

void spec_defaults_fini(struct spec_defaults *defaults);

/* spec_read with what the layers say of keys that neither the file nor an override gives. `defaults` may be NULL. The
 * spec's origins tell what came from where. */
struct spec *spec_read_with(const char *file, const char *const *overrides, size_t override_count,
                            const struct spec_defaults *defaults, struct problems *problems);

/* The same of spec_read_text. */
struct spec *spec_read_text_with(const char *text, size_t length, const char *file, const char *base,
                                 const char *const *overrides, size_t override_count,
                                 const struct spec_defaults *defaults, struct problems *problems);

#endif
