/* The real store in the simulated world, on the disk in memory; see sim.h. */
#include "tests/sim/sim.h"
#include "tests/ram_disk.h"
#include "tests/scratch.h"
#include "tests/test_metrics.h"

#include "common/mem.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

/* gannet looks for a file at this path before SQLite does: an empty one lies there. */
static char *directory, *path;

static void remove_directory(void)
{
    scratch_remove(directory);
    free(path);
}

static const char *store_path(void)
{
    if (!path) {
        directory = scratch_make();
        path = mem_format("%s/a.db", directory);
        atexit(remove_directory);
    }
    return path;
}

/* A new store, as bytes: it is the same in every world. */
static const struct buf *template_of(bool use_best)
{
    static struct buf templates[2];
    struct buf *bytes = &templates[use_best];
    const struct store_experiment experiment = {.name = "sim",
                                                .spec = "",
                                                .metrics = use_best ? metrics_best : metrics_min,
                                                .strategy = "random",
                                                .parameters = "[]"};
    struct err err;
    if (bytes->length)
        return bytes;
    ram_disk_install();
    ram_disk_clear();
    ram_disk_put(store_path(), "", 0); /* as gannet makes it on the real filesystem */
    remove(store_path());
    struct store *store = store_make(store_path(), &experiment, &err);
    store_close(store);
    if (!store || !ram_disk_get(store_path(), bytes)) {
        fprintf(stderr, "the simulator can't make a store: %s\n", err.text);
        abort();
    }
    return bytes;
}

void sim_store_begin(struct sim *sim)
{
    if (!sim->options.store)
        return;
    const struct buf *bytes = template_of(sim->profile.use_best);
    ram_disk_clear();
    ram_disk_put(store_path(), bytes->data, bytes->length);
    setenv("GANNET_STORE_LOCKING", sim->seed % 4 ? "shared" : "exclusive", 1);
}

/* While the disk fails any operation may be the one. */
static void let_disk_fail(struct sim *sim)
{
    static const int codes[] = {SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC};
    if (sim->failing_until > sim->now)
        ram_disk_fail(1 + (uint32_t)rng_below(&sim->rng, 30), codes[rng_below(&sim->rng, 3)]);
}

/* Whatever the store object still wants to do is too late: its disk is off. So nothing is settled. */
static void abandon(struct sim *sim)
{
    sim->cuts++;
    store_leave(sim->store);
    sim->store = NULL;
}

enum sim_written sim_store_write(struct sim *sim, size_t count)
{
    struct err err = {0};
    if (!sim->options.store)
        return SIM_WRITTEN;
    let_disk_fail(sim);
    sim_sums_write(sim);
    int failed = store_write(sim->store, sim->unsettled, count, &err);
    ram_disk_mend();
    if (ram_disk_is_off()) {
        sim_trace(sim, "the power goes, at a write of events", count, NULL);
        sim->group_is_written = !failed;
        abandon(sim);
        return SIM_POWERLESS;
    }
    if (failed && sim->failing_until <= sim->now)
        sim_break(sim, "the store can't be written: %s", err.text);
    sim_trace(sim, failed ? "the disk fails, events" : "written are events", count, NULL);
    return failed ? SIM_UNWRITTEN : SIM_WRITTEN;
}

/* The store's thread may have been anywhere: before, in or behind a write. */
void sim_store_crash(struct sim *sim, bool power)
{
    if (!sim->options.store)
        return;
    if (sim->group && sim_chance(sim, 0.5)) {
        enum sim_written written = sim_store_write(sim, sim->group);
        if (written == SIM_POWERLESS)
            return;
        sim->group_is_written = written == SIM_WRITTEN;
    }
    if (power)
        ram_disk_cut_power(0, rng_next(&sim->rng));
    else
        ram_disk_kill();
    abandon(sim);
}

void sim_store_leave(struct sim *sim)
{
    if (!sim->options.store)
        return;
    if (sim->over || sim_chance(sim, 0.5))
        store_close(sim->store);
    else
        store_leave(sim->store);
    sim->store = NULL;
}

/* --- opening it --- */

static void settle_group(struct sim *sim)
{
    size_t count = sim->group;
    sim->group = 0;
    sim->group_is_written = false;
    sim_disk_settle(sim, count);
    sim_disk_lose(sim);
}

static bool open_store(struct sim *sim, struct memory *out)
{
    struct err err = {0};
    sim->store = store_open(store_path(), &err);
    int failed = sim->store ? store_recall(sim->store, out, &err) : -1;
    ram_disk_mend();
    if (!failed && !ram_disk_is_off()) {
        settle_group(sim);
        return true;
    }
    if (!failed)
        memory_fini(out);
    if (ram_disk_is_off()) {
        abandon(sim);
        return false;
    }
    if (sim->failing_until <= sim->now)
        sim_break(sim, "the store can't be opened: %s", err.text);
    store_close(sim->store);
    sim->store = NULL;
    return false;
}

bool sim_store_recall(struct sim *sim, struct memory *out)
{
    if (!sim->options.store) {
        sim_disk_recall(sim, out);
        return true;
    }
    sim_look(sim, store_path());
    let_disk_fail(sim);
    bool ill = sim->now < sim->profile.calm && !sim->options.without[SIM_POWER] && sim_chance(sim, 0.15);
    if (ill && !sim->profile.quiet)
        ram_disk_cut_power(1 + (uint32_t)rng_below(&sim->rng, 40), rng_next(&sim->rng));
    if (*sim->broken || !open_store(sim, out))
        return false;
    sim_compare_memory(sim, out);
    sim_compare_replay(sim);
    sim_sums_compare(sim);
    return true;
}

/* Nothing is to go wrong any more. */
void sim_store_end(struct sim *sim)
{
    struct memory memory;
    if (!sim->options.store || *sim->broken)
        return;
    sim->failing_until = 0;
    sim_look(sim, store_path());
    if (*sim->broken || !open_store(sim, &memory))
        return;
    sim_compare_memory(sim, &memory);
    sim_compare_replay(sim);
    sim_sums_compare(sim);
    sim_sums_compare_rows(sim);
    memory_fini(&memory);
}
