/* Going on with an experiment: which changes are allowed; see rundir.h.
 *
 * What decides about the search must stay as it was, or its recorded history would mean something else. */
#include "scheduler/rundir/rundir.h"

#include "common/path.h"
#include "scheduler/spec/spec_compare.h"
#include "scheduler/store/db.h"
#include "scheduler/store/store.h"

/* Says which keys may not differ: "parameters.lr (0.1 became 0.2), seed (...)". */
static int refuse_changes(const struct rundir *dir, const struct spec_changes *changes, struct err *err)
{
    struct buf list = {0};
    for (size_t i = 0; i < changes->count; i++) {
        const struct spec_change *change = &changes->items[i];
        if (!change->on_resume)
            buf_format(&list, "%s%s (%s became %s)", list.length ? ", " : "", change->key,
                       change->was ? change->was : "nothing", change->is ? change->is : "nothing");
    }
    err_write(
        err,
        "this would be another search, so it can't go on in the same place: %s. Limits, resources, retries, the "
        "command with "
        "its environment, description and tags may change. A new experiment in another --dir can learn from this one: "
        "start_from: [%s]",
        buf_str(&list), dir->path);
    buf_fini(&list);
    return -1;
}

static int check_changes(const struct rundir *dir, const struct spec *was, const struct spec *is, struct err *err)
{
    struct spec_changes changes = {0};
    spec_difference(was, is, &changes);
    int failed = changes.forbidden ? refuse_changes(dir, &changes, err) : 0;
    spec_changes_fini(&changes);
    return failed;
}

/* The frozen spec with the overrides on top, checked as a whole. */
static struct spec *apply_overrides(const struct rundir *dir, const struct spec *spec, const char *const *overrides,
                                    size_t override_count, const struct spec_defaults *defaults,
                                    struct problems *problems)
{
    struct buf yaml = {0};
    spec_write(spec, &yaml);
    struct spec *applied = spec_read_text_with(buf_str(&yaml), yaml.length, dir->experiment, spec->base, overrides,
                                               override_count, defaults, problems);
    buf_fini(&yaml);
    return applied;
}

/* On a full disk even reading may want room. The coordinator looks at the store again, and waits until it can. */
static int leave_to_coordinator(int failed, struct err *err)
{
    if (failed != -1 || !db_is_full(err))
        return failed;
    *err = (struct err){""};
    return 0;
}

static int check_store(const struct rundir *dir, const struct spec *spec, struct buf *checked, struct err *err)
{
    struct metrics metrics = spec_metrics(spec);
    return leave_to_coordinator(store_check(dir->store, &metrics, checked, err), err);
}

struct spec *rundir_resume(const struct rundir *dir, struct spec *fresh, const char *const *overrides,
                           size_t override_count, const struct spec_defaults *defaults, struct problems *problems,
                           struct buf *checked, struct err *err)
{
    if (path_exists(dir->path) && path_check_ours(dir->path, err))
        return NULL;
    if (rundir_stays_locked(dir)) {
        err_write(err, "a coordinator already runs in %s; see it with gannet status", dir->path);
        return NULL;
    }
    if (path_exists(dir->store) && leave_to_coordinator(rundir_check_store(dir, err), err))
        return NULL;
    struct spec *was = rundir_spec(dir, err), *is = NULL;
    if (was && (!fresh || check_changes(dir, was, fresh, err) == 0)) {
        if (fresh)
            spec_adopt(was, fresh);
        is = apply_overrides(dir, was, overrides, override_count, defaults, problems);
    }
    if (is && (check_store(dir, was, checked, err) || check_changes(dir, was, is, err))) {
        spec_destroy(is);
        is = NULL;
    }
    spec_destroy(was);
    return is;
}
