/* Trying a kernel; see kernel_trial.h. */
#include "tests/kernel_trial.h"
#include "common/mem.h"
#include "tests/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_of_quoted(const char *text)
{
    char *copy = mem_text(text);
    for (char *at = copy; (at = strchr(at, '\''));)
        *at = '"';
    json_t *json = json_loads(copy, JSON_DECODE_ANY, NULL);
    free(copy);
    assert_non_null(json);
    return json;
}

struct tried try_trial(const struct trial_text *text)
{
    struct tried tried = {0};
    json_t *options = json_of_quoted(text->options), *params = json_of_quoted(text->params);
    struct kernel_task task = {.options = options, .base = ".", .metric = text->metric, .threads = 1};
    struct kernel_trial trial = {.number = text->number, .attempt = 1, .seed = text->seed, .params = params};
    struct opened_kernel opened = {.kernel = kernel_find(text->kernel), .metric = text->metric};
    assert_non_null(opened.kernel);
    tried.opened = opened.kernel->open(&task, &opened.self, &tried.trouble) == 0;
    if (tried.opened) {
        training_run(&tried.run, &opened, &trial);
        opened.kernel->close(opened.self);
    }
    json_decref(options);
    json_decref(params);
    return tried;
}

void tried_fini(struct tried *tried)
{
    training_fini(&tried->run);
}

double tried_last(const struct tried *tried, const char *metric)
{
    for (uint32_t i = tried->run.sample_count; i-- > 0;)
        if (strcmp(tried->run.samples[i].metric, metric) == 0)
            return tried->run.samples[i].value;
    return NAN;
}
