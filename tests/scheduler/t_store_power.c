/* The store through power cuts, one after the other, at any operation of the disk: in commits, in checkpoints, while it
 * is opened, recovered, closed, left and recalled. After each everything that was committed is there, and of a group
 * that was being written all or nothing; the store goes on from there, to the next cut.
 *
 *     GANNET_POWER_CUTS   how many (default 500)
 *     GANNET_POWER_SEED   which ones (default 1) */
#include "tests/claims.h"
#include "tests/ram_disk.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "common/rng.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A store that is cut off again and again. */
struct power {
    char *path;
    struct buf fresh; /* a new store's file */
    struct store *store;
    struct rng rng;
    uint64_t committed, written; /* trials: for certain, and with the group that was being written */
};

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* The first column of the first row, on the disk as it was found. */
static int64_t look(sqlite3 *db, const char *sql, char *text, size_t size)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK || sqlite3_step(stmt) != SQLITE_ROW)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    const char *found = (const char *)sqlite3_column_text(stmt, 0);
    if (text)
        snprintf(text, size, "%s", found ? found : "");
    int64_t number = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return number;
}

/* On a copy: to look is to recover. */
static uint64_t count_found(const char *path)
{
    static const char copy[] = "found.db";
    char check[200];
    sqlite3 *db;
    ram_disk_copy(path, copy);
    assert_int_equal(sqlite3_open(copy, &db), SQLITE_OK);
    look(db, "PRAGMA integrity_check", check, sizeof check);
    assert_string_equal(check, "ok");
    uint64_t trials = (uint64_t)look(db, "SELECT count(*) FROM trials", NULL, 0);
    int64_t whole = look(db,
                         "SELECT count(*) FROM trials t JOIN runs r USING (trial) JOIN samples s USING (trial)"
                         " WHERE t.ending = 0 AND t.told = t.trial AND r.ending = 0",
                         NULL, 0);
    int64_t tells = look(db, "SELECT tells FROM progress", NULL, 0);
    assert_int_equal(whole, trials);
    assert_int_equal(tells, trials);
    sqlite3_close(db);
    return trials;
}

static void write_some(struct power *power)
{
    enum { MOST = 12, MANY = 1500 }; /* many: so that a checkpoint follows */
    struct err err;
    uint64_t count = rng_below(&power->rng, 1000) ? 1 + rng_below(&power->rng, MOST) : MANY;
    power->written = power->committed + count;
    int failed = stores_write(power->store, power->committed + 1, count, &err);
    if (!failed)
        power->committed = power->written;
    else if (!ram_disk_is_off())
        fail_msg("%s", err.text);
}

static void open_again(struct power *power, bool leave)
{
    struct err err;
    struct memory memory;
    if (leave)
        store_leave(power->store);
    else
        store_close(power->store);
    power->store = store_open(power->path, &err);
    if (power->store && store_recall(power->store, &memory, &err) == 0)
        memory_fini(&memory);
    else if (!ram_disk_is_off())
        fail_msg("%s", err.text);
}

static void live_until_cut(struct power *power)
{
    while (!ram_disk_is_off())
        switch (rng_below(&power->rng, 30)) {
        case 0:
            open_again(power, false);
            break;
        case 1:
            open_again(power, true);
            break;
        default:
            write_some(power);
        }
    store_close(power->store);
    power->store = NULL;
}

/* Opening the store again may be cut off as well: then it is tried again. */
static void begin_anew(struct power *power)
{
    ram_disk_clear();
    ram_disk_put(power->path, power->fresh.data, power->fresh.length);
    power->committed = power->written = 0;
}

static void cut_once(struct power *power, uint64_t cut)
{
    enum { OPERATIONS = 100, MOST_TRIALS = 400 };
    struct err err = {0};
    if (power->committed > MOST_TRIALS)
        begin_anew(power);
    power->written = power->committed;
    ram_disk_cut_power(1 + (uint32_t)rng_below(&power->rng, rng_below(&power->rng, 4) ? OPERATIONS : 12), cut);
    power->store = store_open(power->path, &err);
    if (power->store)
        live_until_cut(power);
    else if (!ram_disk_is_off())
        fail_msg("%s", err.text);
    ram_disk_start();
    uint64_t found = count_found(power->path);
    if (found != power->committed && found != power->written)
        fail_msg("cut %llu: %llu trials are there; %llu were committed, with those being written %llu",
                 (unsigned long long)cut, (unsigned long long)found, (unsigned long long)power->committed,
                 (unsigned long long)power->written);
    power->committed = found;
}

static void nothing_that_was_committed_is_lost_however_often_the_power_goes(void **state)
{
    struct power power = {.path = mem_text(path_in(state, "a.db"))};
    uint64_t cuts = number_from("GANNET_POWER_CUTS", 500), seed = number_from("GANNET_POWER_SEED", 1);
    power.rng = rng_make(seed, "power", 0);
    ram_disk_install();
    ram_disk_put(power.path, "", 0); /* gannet makes it past SQLite, on the real filesystem */
    store_close(stores_make(power.path));
    assert_true(ram_disk_get(power.path, &power.fresh));
    for (uint64_t cut = 0; cut < cuts; cut++)
        cut_once(&power, rng_mix(seed, cut));
    print_message("# %llu power cuts, %llu operations of the disk\n", (unsigned long long)cuts,
                  (unsigned long long)ram_disk_operations());
    ram_disk_clear();
    buf_fini(&power.fresh);
    free(power.path);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_that_was_committed_is_lost_however_often_the_power_goes, enter_scratch,
                                        leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
