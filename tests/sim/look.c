/* What another program finds in the store, before a coordinator opens it; see sim.h.
 *
 * What becomes of the group of events that was being written when the coordinator died is found out here, from the time
 * of the store's last event: all of it is there, or nothing.
 *
 * Who looks has had the store open for long, as somebody's screen has, and sees what the disk has now: so SQLite reads
 * the schema once for all worlds. Where a rollback journal was left it is undone by a program that starts then, in a
 * copy. */
#include "tests/sim/sim.h"
#include "tests/ram_disk.h"

#include "common/mem.h"

#include <sqlite3.h>
#include <stdlib.h>

static const char *const questions[] = {
    [SIM_ASK_WRITTEN] = "SELECT written FROM progress",
    [SIM_ASK_SOUND] = "PRAGMA integrity_check(1)",
    [SIM_ASK_RUNS] = ("SELECT trial, attempt, ending IS NOT NULL OR late IS NOT NULL, (SELECT count(*) FROM samples s"
                      " WHERE s.trial = r.trial AND s.attempt = r.attempt), resumed FROM runs r"),
    [SIM_ASK_TWICE] = "SELECT trial, count(*) FROM runs WHERE ending = 0 GROUP BY trial HAVING count(*) > 1",
};

static void open_looker(struct sim *sim, struct sim_looker *looker, const char *path, const char *layer)
{
    bool looks = layer;
    int code = sqlite3_open_v2(path, &looker->db, looks ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, layer);
    if (code != SQLITE_OK)
        sim_break(sim, "the store can't be looked at: %s", sqlite3_errstr(code));
}

static void close_looker(struct sim_looker *looker)
{
    for (size_t i = 0; i < SIM_QUESTIONS; i++)
        sqlite3_finalize(looker->asked[i]);
    sqlite3_close(looker->db);
    *looker = (struct sim_looker){0};
}

void sim_ask(struct sim *sim, struct sim_looker *looker, enum sim_question question,
             void (*take)(struct sim *sim, sqlite3_stmt *row))
{
    int code = SQLITE_OK;
    sqlite3_stmt **row = &looker->asked[question];
    if (!*row)
        code = sqlite3_prepare_v2(looker->db, questions[question], -1, row, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW)
        if ((code = sqlite3_step(*row)) == SQLITE_ROW)
            take(sim, *row);
    if (code != SQLITE_DONE)
        sim_break(sim, "the store can't be read: %s", sqlite3_errmsg(looker->db));
    sqlite3_reset(*row);
}

static void take_written(struct sim *sim, sqlite3_stmt *row)
{
    sim->found_written = sqlite3_column_double(row, 0); /* NULL: 0 */
}

/* A group that was being written is there wholly, or not at all. When it is there it counts once the store is open:
 * of a commit that failed, or was cut off, the power may take even what was found before. */
static void look_for_group(struct sim *sim, struct sim_looker *looker)
{
    size_t count = sim->group;
    sim->found_written = -1;
    sim_ask(sim, looker, SIM_ASK_WRITTEN, take_written);
    if (*sim->broken || (count && sim->found_written == sim->unsettled[count - 1].time))
        return;
    if (sim->found_written != sim->written)
        sim_break(sim, "the last event of the store is of %.6f s, of what was committed of %.6f s", sim->found_written,
                  sim->written);
    else if (sim->group_is_written)
        sim_break(sim, "%zu events were committed, and are gone", count);
    sim->group = 0;
    sim_disk_lose(sim);
}

static void look_with(struct sim *sim, struct sim_looker *looker)
{
    if (*sim->broken)
        return;
    look_for_group(sim, looker);
    sim_compare_found(sim, looker);
}

/* By who starts now. */
static void look_at_copy(struct sim *sim, const char *path)
{
    static const char copy[] = "found.db";
    struct sim_looker looker = {0};
    ram_disk_copy(path, copy);
    open_looker(sim, &looker, copy, NULL);
    look_with(sim, &looker);
    close_looker(&looker);
}

/* By who was there before. */
static void look_again(struct sim *sim, struct sim_looker *looker, const char *path)
{
    ram_disk_look();
    if (looker->db)
        sqlite3_file_control(looker->db, "main", SQLITE_FCNTL_RESET_CACHE, NULL);
    else
        open_looker(sim, looker, path, RAM_DISK_LOOK);
    look_with(sim, looker);
    if (*sim->broken)
        close_looker(looker);
}

static bool has_journal(const char *path)
{
    struct buf bytes = {0};
    char *name = mem_format("%s-journal", path);
    bool has = ram_disk_get(name, &bytes) && bytes.length;
    buf_fini(&bytes);
    free(name);
    return has;
}

void sim_look(struct sim *sim, const char *path)
{
    static struct sim_looker lookers[2]; /* stores of worlds that judge by the best value are others */
    ram_disk_start();
    if (has_journal(path))
        look_at_copy(sim, path);
    else
        look_again(sim, &lookers[sim->profile.use_best], path);
}
