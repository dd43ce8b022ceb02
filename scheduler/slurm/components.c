/* Further components of a job; see components.h. */
#include "scheduler/slurm/components.h"
#include "scheduler/slurm/further.h"
#include "scheduler/slurm/options.h"
#include "scheduler/slurm/slurm_agent.h"

#include "common/mem.h"
#include "common/texts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 127 }; /* Slurm's own MAX_HET_JOB_COMPS, less the first */

static bool is_separator(const char *word)
{
    return strcmp(word, ":") == 0;
}

size_t components_first(const struct spec_slurm *slurm)
{
    size_t count = 0;
    while (count < slurm->sbatch_args_count && !is_separator(slurm->sbatch_args[count]))
        count++;
    return count;
}

/* --- their options --- */

/* Adds the words of a text between blanks, of which options have none. */
static void add_words(const char *text, struct texts *out)
{
    static const char blanks[] = " \t\n";
    for (const char *at = text + strspn(text, blanks); *at; at += strspn(at, blanks)) {
        size_t length = strcspn(at, blanks);
        texts_add(out, mem_text_n(at, length));
        at += length;
    }
}

/* Adds what stands behind the so-manieth ":", from 1 on. False: there are not so many. */
static bool add_separated(const struct spec_slurm *slurm, uint32_t which, struct texts *out)
{
    size_t at = 0;
    for (uint32_t i = 0; i < which; i++, at++)
        while (at < slurm->sbatch_args_count && !is_separator(slurm->sbatch_args[at]))
            at++;
    bool found = at <= slurm->sbatch_args_count;
    for (; at < slurm->sbatch_args_count && !is_separator(slurm->sbatch_args[at]); at++)
        texts_add(out, mem_text(slurm->sbatch_args[at]));
    return found;
}

/* The options of the component `which`, from 1 on; false: there is none. Those of sbatch's own way come last, and win.
 */
static bool take_words(const struct spec_slurm *slurm, uint32_t which, struct texts *out)
{
    bool listed = which <= slurm->components_count;
    if (listed)
        add_words(slurm->components[which - 1], out);
    return add_separated(slurm, which, out) || listed;
}

/* --- their requests --- */

static void copy_texts(const struct slurm_request *first, struct slurm_request *out)
{
    const struct {
        char **to;
        const char *from;
    } texts[] = {{&out->name, first->name},
                 {&out->directory, first->directory},
                 {&out->output, first->output},
                 {&out->partition, first->partition},
                 {&out->account, first->account},
                 {&out->qos, first->qos},
                 {&out->reservation, first->reservation},
                 {&out->further, first->further}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i].to = mem_text(texts[i].from);
    further_keep_general(&out->further);
}

/* What a component has of the first one. By the comment the whole job is looked up, so the first one alone has it. */
static void inherit_request(const struct slurm_request *first, struct slurm_request *out)
{
    slurm_request_init(out);
    copy_texts(first, out);
    out->tasks_per_node = first->tasks_per_node;
    out->minutes = first->minutes;
    out->minutes_least = first->minutes_least;
    out->nice = first->nice;
    out->requeue = first->requeue;
    out->hold = first->hold;
    out->no_kill = first->no_kill;
}

/* The option of a component that is about the whole job, or NULL. */
static const char *find_of_whole(const struct slurm_request *first, const struct slurm_request *one,
                                 const char *exported)
{
    const struct {
        const char *name;
        bool given;
    } rows[] = {{"--job-name", strcmp(one->name, first->name) != 0},
                {"--chdir", strcmp(one->directory, first->directory) != 0},
                {"--time", one->minutes != first->minutes},
                {"--time-min", one->minutes_least != first->minutes_least},
                {"--nice", one->nice != first->nice},
                {"--requeue", one->requeue != first->requeue},
                {"--hold", one->hold != first->hold},
                {"--no-kill", one->no_kill != first->no_kill},
                {"--dependency", one->dependency},
                {"--begin", one->begin},
                {"--mail-user", one->mail_user},
                {"--mail-type", one->mail_type},
                {"--export", exported}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given)
            return rows[i].name;
    return NULL;
}

static int make_one(const struct slurm_order *order, const struct slurm_request *first, const struct texts *words,
                    struct slurm_request *out, struct err *err)
{
    const char *exported = NULL, *of_whole;
    inherit_request(first, out);
    if (slurm_options_apply((const char *const *)words->items, words->count, order->now, out, &exported, err))
        return -1;
    if ((of_whole = find_of_whole(first, out, exported)))
        return err_set(err, "sbatch's %s is about the whole job: write it for its first component", of_whole);
    if (out->nodes == 0)
        return err_set(err, "sbatch's --nodes can't be 0");
    return 0;
}

static int check_shape(const struct spec *spec, struct err *err)
{
    return spec->slurm.shape == SHAPE_JOB
               ? 0
               : err_set(err,
                         "a job of several components (slurm.components) has shape job: workers of the other shapes "
                         "have a node each");
}

int components_make(const struct slurm_order *order, struct slurm_request *first, struct err *err)
{
    const struct spec_slurm *slurm = &order->spec->slurm;
    struct texts words = {0};
    int failed = 0;
    for (uint32_t which = 1; !failed && take_words(slurm, which, &words); which++) {
        if (which > MOST)
            failed = err_set(err, "Slurm takes no job of more than %d components", MOST + 1);
        else if ((failed = check_shape(order->spec, err)) == 0) {
            first->components = mem_resize(first->components, which, sizeof *first->components);
            failed = make_one(order, first, &words, &first->components[first->component_count++], err);
            if (failed)
                failed = err_prefix(err, "component %u", which + 1);
        }
        texts_fini(&words);
    }
    texts_fini(&words);
    return failed;
}
