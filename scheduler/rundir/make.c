/* How a run directory comes into being; see rundir.h.
 *
 * It is made beside its place under a hidden name of its own and renamed into it when everything is there, so that
 * nobody ever sees half of one and two people who start the same experiment at once can't mix theirs. Whoever
 * interrupts that leaves nothing. */
#include "scheduler/rundir/rundir.h"

#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"
#include "scheduler/rundir/earlier.h"
#include "scheduler/rundir/pass.h"
#include "scheduler/spec/parameter_json.h"
#include "scheduler/store/store.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

enum { LARGEST_EXPERIMENT_FILE = 4 << 20 }; /* bytes; the reader of experiment files refuses larger ones too */

/* Refuses a place where something is; an empty directory is fine. */
static int refuse_occupied(const struct rundir *dir, struct err *err)
{
    if (rmdir(dir->path) == 0 || errno == ENOENT)
        return 0;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return err_errno(err, "can't make the run directory %s", dir->path);
    if (!path_exists(dir->store))
        return err_set(err, "%s is there already and holds no experiment; choose another place with --dir", dir->path);
    uint64_t ended;
    if (!rundir_ended(dir, true, &ended))
        return err_set(err,
                       "%s holds an experiment already; go on with it by --resume, or choose another place with --dir",
                       dir->path);
    return err_set(err,
                   "%s holds an experiment already, with %llu ended trials; go on with it by --resume, or choose "
                   "another place with --dir",
                   dir->path, (unsigned long long)ended);
}

/* A seed that a person can type. */
static int choose_seed(struct spec *spec, struct err *err)
{
    uint32_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return err_errno(err, "can't get random numbers for the seed");
    spec->seed = random % 1000000000u;
    spec->has_seed = true;
    return 0;
}

/* An experiment that came from elsewhere than a file has none. */
int rundir_copy_original(const struct rundir *dir, const struct spec *spec, struct err *err)
{
    struct buf text = {0};
    int failed = 0;
    if (spec->file && path_read(spec->file, &text, LARGEST_EXPERIMENT_FILE, NULL) == 0)
        failed = path_write(dir->original, buf_str(&text), text.length, share_mode(dir->original), err);
    buf_fini(&text);
    return failed;
}

static int make_keys(const struct rundir *dir, struct err *err)
{
    static const char *const whose[] = {"coordinator", "worker", "operator", "viewer"};
    int failed = path_make_directory(dir->keys, 0700, err);
    for (size_t i = 0; i < sizeof whose / sizeof *whose && !failed; i++)
        failed = rundir_make_key(dir, whose[i], err);
    return failed;
}

static int make_store(const struct rundir *dir, const struct spec *spec, const struct earlier *earlier,
                      const char *identity, struct err *err)
{
    struct buf yaml = {0}, parameters = {0};
    spec_write(spec, &yaml);
    parameters_write(spec->space, &parameters);
    struct store_experiment experiment = {
        .name = spec->name,
        .description = spec->description,
        .spec = buf_str(&yaml),
        .seed = spec->seed,
        .metrics = spec_metrics(spec),
        .strategy = spec->strategy.name,
        .identity = identity,
        .parameters = buf_str(&parameters),
        .past = earlier->items,
        .past_count = earlier->count,
    };
    struct store *store = store_make(dir->store, &experiment, err);
    store_close(store);
    buf_fini(&yaml);
    buf_fini(&parameters);
    return store ? 0 : -1;
}

/* Opens to the group what it may read: all but the keys. */
static int open_to_group(const struct rundir *dir, const char *group, struct err *err)
{
    const char *const parts[] = {dir->path,     dir->logs,  dir->trials,  dir->experiment,
                                 dir->original, dir->store, dir->identity};
    gid_t number;
    int failed = share_find_group(group, &number, err);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !failed; i++)
        failed = path_exists(parts[i]) ? share_open(parts[i], number, err) : 0;
    return failed;
}

static int fill_directory(const struct rundir *dir, const struct spec *spec, const struct earlier *earlier,
                          struct err *err)
{
    if (path_make_directory(dir->logs, 0700, err) || path_make_directory(dir->trials, 0700, err))
        return -1;
    if (rundir_freeze(dir, spec, err) || rundir_copy_original(dir, spec, err) || make_keys(dir, err))
        return -1;
    char *identity = NULL;
    int failed = rundir_make_identity(dir, &identity, err) || make_store(dir, spec, earlier, identity, err);
    free(identity);
    return failed || (spec->share && open_to_group(dir, spec->share, err)) ? -1 : 0;
}

/* Makes an empty directory beside its place: runs/.NAME.new-bTz2Kq. */
static int make_beside(const struct rundir *dir, struct rundir *made, struct err *err)
{
    char *directory = path_directory(dir->path);
    char *name = mem_format("%s/.%s.new-XXXXXX", directory, path_base(dir->path));
    int failed = path_make_directory(directory, 0777, err);
    if (!failed && !mkdtemp(name))
        failed = err_errno(err, "can't make the run directory %s", dir->path);
    if (!failed)
        rundir_name(name, made);
    free(name);
    free(directory);
    return failed;
}

static int put_in_place(const struct rundir *made, const struct rundir *dir, struct err *err)
{
    if (rename(made->path, dir->path) == 0)
        return 0;
    return errno == ENOTEMPTY || errno == EEXIST ? refuse_occupied(dir, err)
                                                 : err_errno(err, "can't make the run directory %s", dir->path);
}

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDS = sizeof ends / sizeof *ends };

/* Whether we are about to die: one of them waits, and nobody handles or ignores it. */
static bool is_ended(void)
{
    sigset_t waiting;
    struct sigaction action;
    bool ended = false;
    sigpending(&waiting);
    for (size_t i = 0; i < ENDS; i++)
        ended |= sigismember(&waiting, ends[i]) == 1 && sigaction(ends[i], NULL, &action) == 0 &&
                 action.sa_handler == SIG_DFL;
    return ended;
}

/* All of it beside its place, then there. */
static int make_whole(const struct rundir *dir, const struct spec *spec, const struct earlier *earlier, struct err *err)
{
    struct rundir made;
    if (make_beside(dir, &made, err))
        return -1;
    int failed = fill_directory(&made, spec, earlier, err);
    if (!failed)
        failed = is_ended() ? err_set(err, "it was interrupted") : put_in_place(&made, dir, err);
    if (failed)
        path_remove_tree(made.path, NULL);
    rundir_fini(&made);
    return failed;
}

/* The same, with what ends us held up for so long. */
static int make_undisturbed(const struct rundir *dir, const struct spec *spec, const struct earlier *earlier,
                            struct err *err)
{
    sigset_t held, before;
    sigemptyset(&held);
    for (size_t i = 0; i < ENDS; i++)
        sigaddset(&held, ends[i]);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    int failed = make_whole(dir, spec, earlier, err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

int rundir_make(const struct rundir *dir, struct spec *spec, struct err *err)
{
    struct earlier earlier = {0};
    if (refuse_occupied(dir, err) || (!spec->has_seed && choose_seed(spec, err)))
        return -1;
    int failed = earlier_read(spec, &earlier, err) || make_undisturbed(dir, spec, &earlier, err);
    earlier_fini(&earlier);
    if (!failed)
        pass_forget(dir);
    return failed ? -1 : 0;
}

int rundir_complete(const struct rundir *dir, struct err *err)
{
    if (share_make_directory(dir->logs, err) || share_make_directory(dir->trials, err))
        return -1;
    return make_keys(dir, err);
}
