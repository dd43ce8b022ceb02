/* Freeing a spec, and its words; see spec.h. */
#include "scheduler/spec/spec.h"
#include "scheduler/spec/key.h"

#include <stdlib.h>

void spec_destroy(struct spec *spec)
{
    if (!spec)
        return;
    key_fini_all(spec);
    for (uint32_t i = 0; i < spec->other_count; i++) {
        free(spec->others[i].name);
        free(spec->others[i].step);
    }
    free(spec->others);
    free(spec->file);
    free(spec->metrics);
    space_destroy(spec->space);
    free(spec);
}

struct metrics spec_metrics(const struct spec *spec)
{
    return (struct metrics){spec->metrics, 1 + spec->other_count};
}

const char *signal_word(enum trial_signal signal)
{
    return key_of_path("trial.signal")->words[signal];
}

const char *bind_name(enum bind bind)
{
    return key_of_path("resources.bind")->words[bind];
}
