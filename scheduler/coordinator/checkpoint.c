/* Checkpoints that are needed no more; see checkpoint.h. */
#include "scheduler/coordinator/checkpoint.h"

#include "common/actor.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* "checkpoint" itself, and "checkpoint.ANYTHING" beside it. */
static bool is_part(const char *name)
{
    static const char own[] = "checkpoint";
    size_t length = sizeof own - 1;
    return strncmp(name, own, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static void remove_part(const char *directory, const char *name)
{
    struct err err;
    char *path = path_join(directory, name);
    if (path_remove_tree(path, &err))
        log_warning("a checkpoint that is needed no more stays: %s", err.text);
    free(path);
}

void checkpoint_drop(const struct rundir *dir, uint64_t trial)
{
    char *directory = mem_format("%s/%06llu", dir->trials, (unsigned long long)trial);
    DIR *files = opendir(directory); /* most trials of built-in kernels have none */
    for (struct dirent *entry; files && (entry = readdir(files));)
        if (is_part(entry->d_name))
            remove_part(directory, entry->d_name);
    if (files)
        closedir(files);
    free(directory);
}

/* --- the thread --- */

/* Trials that ended, sent there and back: they gather for a while, and while the thread looks at others, so that it is
 * not woken for each. */
struct removals {
    struct message message;
    uint64_t *trials;
    size_t count, capacity;
};

static const double gather_seconds = 0.05;

struct checkpoint_remover {
    struct loop *loop;
    struct loop_watch *due; /* until then the next ones gather; NULL: there is none */
    struct actor *actor;
    struct removals lists[2];
    struct removals *gathering, *resting; /* resting: NULL while the thread has it */
    bool stopping;
};

/* A directory of two names has no directory in it. (Where names are not counted it has one.) */
static bool has_no_directories(const char *path)
{
    struct stat info;
    return stat(path, &info) ? errno == ENOENT : info.st_nlink == 2;
}

static struct message *remove_all(void *state, struct message *messages)
{
    const struct rundir *dir = state;
    bool none = has_no_directories(dir->trials);
    for (struct message *message = messages; message; message = message->next) {
        struct removals *removals = (struct removals *)message;
        for (size_t i = 0; !none && i < removals->count; i++)
            checkpoint_drop(dir, removals->trials[i]);
        removals->count = 0;
    }
    return messages;
}

static void send_gathered(struct checkpoint_remover *remover)
{
    struct removals *removals = remover->gathering;
    remover->gathering = remover->resting;
    remover->resting = NULL;
    actor_send(remover->actor, &removals->message);
}

static void receive_list(void *context, struct message *message)
{
    struct checkpoint_remover *remover = context;
    struct removals *back = (struct removals *)message;
    if (!remover->gathering)
        remover->gathering = back;
    else
        remover->resting = back;
    if (!remover->stopping && !remover->due && remover->resting && remover->gathering->count)
        send_gathered(remover);
}

struct checkpoint_remover *checkpoint_remover_start(struct loop *loop, const struct rundir *dir, struct err *err)
{
    struct checkpoint_remover *remover = MEM_NEW(struct checkpoint_remover);
    remover->loop = loop;
    remover->gathering = &remover->lists[0];
    remover->resting = &remover->lists[1];
    remover->actor = actor_start(loop, "remover", remove_all, (void *)dir, receive_list, remover, err);
    if (remover->actor)
        return remover;
    free(remover);
    return NULL;
}

static void end_gathering(void *context)
{
    struct checkpoint_remover *remover = context;
    remover->due = NULL;
    if (remover->resting)
        send_gathered(remover);
}

void checkpoint_remover_drop(struct checkpoint_remover *remover, uint64_t trial)
{
    struct removals *removals = remover->gathering;
    MEM_GROW(removals->trials, removals->capacity, removals->count + 1);
    removals->trials[removals->count++] = trial;
    if (!remover->due && remover->resting)
        remover->due = loop_timer(remover->loop, gather_seconds, end_gathering, remover);
}

void checkpoint_remover_stop(struct checkpoint_remover *remover)
{
    if (!remover)
        return;
    remover->stopping = true;
    loop_remove(remover->due);
    if (remover->gathering->count)
        send_gathered(remover);
    actor_stop(remover->actor);
    for (size_t i = 0; i < 2; i++)
        free(remover->lists[i].trials);
    free(remover);
}

/* --- at the start --- */

static int by_number(const void *a, const void *b)
{
    const struct memory_trial *left = a, *right = b;
    return (left->trial > right->trial) - (left->trial < right->trial);
}

static bool is_live(const struct memory *memory, uint64_t trial)
{
    struct memory_trial key = {.trial = trial};
    return memory->trial_count && bsearch(&key, memory->trials, memory->trial_count, sizeof key, by_number);
}

int checkpoint_sweep(const struct rundir *dir, struct reader *reader, const struct memory *memory, struct err *err)
{
    /* A commit has the ends of a few milliseconds. A thousand is more than any, and a second on a slow filesystem. */
    enum { MOST = 1000 };
    json_t *numbers =
        reader_numbers(reader, &(struct trial_query){.order = "ended", .reverse = true, .limit = MOST}, err);
    if (!numbers)
        return -1;
    size_t index;
    json_t *number;
    json_array_foreach(numbers, index, number)
    {
        uint64_t trial = (uint64_t)json_integer_value(number);
        if (!is_live(memory, trial))
            checkpoint_drop(dir, trial);
    }
    json_decref(numbers);
    return 0;
}
