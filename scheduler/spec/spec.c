/* Freeing a spec, and its words; see spec.h. */
#include "scheduler/spec/spec.h"
#include "scheduler/spec/type.h"

#include <stdlib.h>

static void fini_trial(struct spec_trial *trial)
{
    free(trial->kernel);
    json_decref(trial->options);
    type_free_texts(trial->command, trial->command_count);
    free(trial->workdir);
    for (uint32_t i = 0; i < trial->env_count; i++) {
        free(trial->env[i].name);
        free(trial->env[i].text);
    }
    free(trial->env);
}

void spec_destroy(struct spec *spec)
{
    if (!spec)
        return;
    free(spec->file);
    free(spec->base);
    free(spec->name);
    free(spec->description);
    type_free_texts(spec->tags, spec->tag_count);
    fini_trial(&spec->trial);
    spec_metric_fini(&spec->metric);
    for (uint32_t i = 0; i < spec->other_count; i++)
        spec_metric_fini(&spec->others[i]);
    free(spec->others);
    free(spec->metrics);
    space_destroy(spec->space);
    type_free_texts(spec->start, spec->start_count);
    for (uint32_t i = 0; i < spec->source_count; i++)
        free(spec->sources[i].experiment);
    free(spec->sources);
    free(spec->strategy.name);
    free(spec->strategy.plugin);
    json_decref(spec->strategy.options);
    json_decref(spec->early_stop);
    free(spec);
}

struct metrics spec_metrics(const struct spec *spec)
{
    return (struct metrics){spec->metrics, 1 + spec->other_count};
}

const char *bind_name(enum bind bind)
{
    return key_of_path("resources.bind")->words[bind];
}
