/* See rank_watch.h. A rank that is stopped in the middle of a wait still says that it waits: there its process's state
 * decides. Time in which nobody looked, since the worker was stopped itself, and its ranks perhaps with it, is no time
 * in which they stood still. */
#include "worker/program/rank_watch.h"

#include "common/mem.h"
#include "common/proc_stat.h"
#include "common/rank_board.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_SECONDS 1.0
#define LATE_SECONDS 5.0

/* When a rank was seen to move last, since then the seconds in which it could not, and the longest time that it took
 * to do so in this run when it could. */
struct rank_seen {
    uint32_t moves;
    double since, hindered, longest;
};

struct rank_watch {
    pid_t trainer;
    const struct rank_board *board; /* NULL: not found (yet) */
    size_t size;                    /* bytes of it */
    uint32_t ranks;
    struct rank_seen *seen; /* [ranks] */
    double looked;
};

struct rank_watch *rank_watch_create(pid_t trainer)
{
    struct rank_watch *watch = MEM_NEW(struct rank_watch);
    watch->trainer = trainer;
    return watch;
}

void rank_watch_destroy(struct rank_watch *watch)
{
    if (!watch)
        return;
    if (watch->board)
        munmap((void *)(uintptr_t)watch->board, watch->size);
    free(watch->seen);
    free(watch);
}

/* --- the board --- */

/* Whether this open file of the trainer's is the memory that its ranks share. */
static bool is_board(const char *link)
{
    static const char name[] = "/memfd:" RANK_BOARD_NAME;
    char target[64];
    ssize_t length = readlink(link, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    return strncmp(target, name, sizeof name - 1) == 0;
}

/* Opens it; -1: there is none, or it may not be looked at. */
static int open_board(pid_t trainer)
{
    char *path = mem_format("/proc/%ld/fd", (long)trainer);
    DIR *directory = opendir(path);
    struct dirent *entry;
    int fd = -1;
    while (directory && fd < 0 && (entry = readdir(directory))) {
        char *link = mem_format("%s/%s", path, entry->d_name);
        if (is_board(link))
            fd = open(link, O_RDONLY | O_CLOEXEC);
        free(link);
    }
    if (directory)
        closedir(directory);
    free(path);
    return fd;
}

/* What stands there is another process's: no more is read than the file has. */
static void map_board(struct rank_watch *watch, int fd)
{
    struct stat about;
    if (fstat(fd, &about) || (size_t)about.st_size < sizeof(struct rank_board))
        return;
    size_t size = rank_board_size(RANK_BOARD_MOST);
    size = (size_t)about.st_size < size ? (size_t)about.st_size : size;
    void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return;
    const struct rank_board *board = at;
    uint32_t ranks = board->ranks;
    if (!ranks || ranks > RANK_BOARD_MOST || rank_board_size(ranks) > size) {
        munmap(at, size);
        return;
    }
    watch->board = board;
    watch->size = size;
    watch->ranks = ranks;
    watch->seen = MEM_ARRAY(struct rank_seen, ranks);
}

static bool find_board(struct rank_watch *watch)
{
    int fd = watch->board ? -1 : open_board(watch->trainer);
    if (fd >= 0) {
        map_board(watch, fd);
        close(fd);
    }
    return watch->board;
}

/* --- looking --- */

static bool has_running_thread(pid_t pid)
{
    char *path = mem_format("/proc/%ld/task", (long)pid);
    DIR *threads = opendir(path);
    struct dirent *entry;
    bool runs = false;
    while (threads && !runs && (entry = readdir(threads)))
        runs = proc_stat_read((pid_t)atoi(entry->d_name)).state == 'R';
    if (threads)
        closedir(threads);
    free(path);
    return runs;
}

/* 'X': it is gone. A process whose first thread waits for its others computes. */
static char state_of(pid_t pid)
{
    char state = proc_stat_read(pid).state;
    return state == 'S' && has_running_thread(pid) ? 'R' : state;
}

const char *rank_stall_cause(char state)
{
    switch (state) {
    case 'T':
        return "its process is stopped (SIGSTOP); SIGCONT lets it go on";
    case 't':
        return "its process is stopped by a debugger";
    case 'D':
        return "its process waits for a disk, a file server or a device that does not answer";
    case 'R':
        return "its process computes, and has not come to the next sum";
    case 'S':
        return "its process sleeps, and waits for something that is none of the other ranks";
    default:
        return "its process is not to be seen";
    }
}

void rank_watch_begin(struct rank_watch *watch, double now)
{
    for (uint32_t rank = 0; rank < watch->ranks; rank++) {
        watch->seen[rank].since = now;
        watch->seen[rank].hindered = watch->seen[rank].longest = 0;
    }
    watch->looked = now;
}

static bool is_held(char state)
{
    return state == 'T' || state == 't' || state == 'D';
}

/* Whether a process in this state stands still when it has had so long to move. */
static bool is_still(const struct rank_seen *seen, char state, double seconds)
{
    double least = state == 'R' ? RANK_COMPUTES_SECONDS : RANK_STILL_SECONDS;
    return is_held(state) || (seconds >= least && seconds >= 3 * seen->longest);
}

/* It has not moved in the last `seconds`: when it is stopped, or waits for others, that tells nothing of its pace. */
static void add_hindered(const struct rank_sign *sign, double seconds, struct rank_seen *seen)
{
    if (atomic_load(&sign->waits) || is_held(proc_stat_read(atomic_load(&sign->pid)).state))
        seen->hindered += seconds;
}

/* The seconds that it has had to move since it did so last. */
static double count_own(const struct rank_seen *seen, double now)
{
    return now - seen->since - seen->hindered;
}

/* Of one that has not moved for too long. */
static void add_still(const struct rank_watch *watch, uint32_t rank, double now, struct rank_stall *out)
{
    const struct rank_sign *sign = &watch->board->signs[rank];
    const struct rank_seen *seen = &watch->seen[rank];
    char state = state_of(atomic_load(&sign->pid));
    double seconds = now - seen->since;
    if (atomic_load(&sign->waits) && !is_held(state)) {
        out->waiting++;
        return;
    }
    if (!is_still(seen, state, count_own(seen, now)))
        return;
    if (!out->still++ || seconds > out->seconds) {
        out->rank = rank;
        out->seconds = seconds;
        out->state = state;
    }
}

bool rank_watch_look(struct rank_watch *watch, double now, struct rank_stall *out)
{
    *out = (struct rank_stall){0};
    if (now - watch->looked < LOOK_SECONDS)
        return false;
    double late = now - watch->looked > LATE_SECONDS ? now - watch->looked - LOOK_SECONDS : 0;
    double passed = now - watch->looked - late;
    watch->looked = now;
    bool is_new = !watch->board;
    if (!find_board(watch))
        return false;
    for (uint32_t rank = 0; rank < watch->ranks; rank++) {
        struct rank_seen *seen = &watch->seen[rank];
        uint32_t moves = atomic_load(&watch->board->signs[rank].moves);
        seen->since += late;
        if (is_new || moves != seen->moves) {
            *seen = (struct rank_seen){moves, now, 0, is_new ? 0 : fmax(seen->longest, count_own(seen, now))};
            continue;
        }
        add_hindered(&watch->board->signs[rank], passed, seen);
        if (now - seen->since >= RANK_STILL_SECONDS)
            add_still(watch, rank, now, out);
    }
    return true;
}
