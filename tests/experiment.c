/* The experiment of the scheduler's tests; see experiment.h. */
#include "tests/experiment.h"
#include "tests/claims.h"

const char experiment_text[] = "version: 1\n"
                               "name: small\n"
                               "seed: 7\n"
                               "trial: {kernel: synth, options: {function: branin}}\n"
                               "metric: {name: value, goal: minimize}\n"
                               "parameters:\n"
                               "  x1: {min: -5.0, max: 10.0}\n"
                               "  x2: {min: 0.0, max: 15.0}\n"
                               "strategy: random\n"
                               "limits: {max_trials: 20}\n";

struct spec *experiment_spec(void *const *state, const char *text)
{
    const char *file = path_in(state, "small.yaml");
    struct problems problems = {0};
    struct buf words = {0};
    write_file(file, text, 0600);
    struct spec *spec = spec_read(file, NULL, 0, &problems);
    problems_show(&problems, &words);
    if (!spec)
        fail_msg("%s", buf_str(&words));
    buf_fini(&words);
    problems_fini(&problems);
    return spec;
}

void experiment_make(void *const *state, const char *text, struct rundir *dir)
{
    struct spec *spec = experiment_spec(state, text);
    struct err err = {0};
    rundir_name(path_in(state, "run"), dir);
    if (rundir_make(dir, spec, &err))
        fail_msg("%s", err.text);
    spec_destroy(spec);
}
