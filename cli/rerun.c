/* Training a configuration again; see rerun.h. */
#include "cli/rerun.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/path.h"
#include "common/rng.h"

#include <inttypes.h>
#include <stdlib.h>

static void add_json_word(const json_t *json, struct buf *out)
{
    struct buf text = {0};
    json_add(json, &text);
    format_shell(buf_str(&text), out);
    buf_fini(&text);
}

/* Whether any option names a file that lies beside the experiment file. */
static bool names_files(const struct spec *spec)
{
    const char *name;
    json_t *value;
    json_object_foreach(spec->trial.options, name, value)
    {
        const char *text = json_string_value(value);
        char *path = path_join(spec->base, text ? text : "");
        bool is_file = text && *text && *text != '/' && path_exists(path);
        free(path);
        if (is_file)
            return true;
    }
    return false;
}

static void add_kernel(const struct spec *spec, const json_t *trial, struct buf *out)
{
    buf_format(out, "gannet-trainer --run %s", spec->trial.kernel);
    if (spec->trial.options) {
        buf_text(out, " --options ");
        add_json_word(spec->trial.options, out);
    }
    if (names_files(spec)) {
        buf_text(out, " --base ");
        format_shell(spec->base, out);
    }
    buf_text(out, " --params ");
    add_json_word(json_object_get(trial, "params"), out);
    /* Each trial's seed is made of the experiment's seed and its number, as the core does. */
    uint64_t number = (uint64_t)json_integer_value(json_object_get(trial, "trial"));
    buf_format(out, " --seed %" PRIu64 " --metric ", rng_mix(spec->seed, number));
    format_shell(spec->metric.name, out);
}

void rerun_add(const struct spec *spec, const json_t *trial, struct buf *out)
{
    if (spec->trial.kernel)
        add_kernel(spec, trial, out);
}
