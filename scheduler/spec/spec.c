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

static void fini_slurm(struct spec_slurm *slurm)
{
    char *const texts[] = {slurm->partition,     slurm->account,    slurm->qos,        slurm->reservation,
                           slurm->gpus_per_node, slurm->gres,       slurm->constraint, slurm->nodelist,
                           slurm->exclude,       slurm->dependency, slurm->licenses,   slurm->mail_user,
                           slurm->mail_type,     slurm->begin,      slurm->comment,    slurm->coordinator_partition};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    type_free_texts(slurm->setup, slurm->setup_count);
    type_free_texts(slurm->sbatch_args, slurm->sbatch_args_count);
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
    fini_slurm(&spec->slurm);
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
