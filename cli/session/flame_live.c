/* Looking at a trial that runs; see flame_live.h. */
#include "cli/session/flame_live.h"
#include "cli/flame/write.h"
#include "cli/json.h"
#include "cli/status.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/path.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct pids {
    pid_t *items;
    size_t count, capacity;
};

enum { ENVIRONMENT_LARGEST = 4 << 20 };

/* Whether two names are the same directory. */
static bool is_same(const char *one, const char *other)
{
    struct stat a, b;
    return strcmp(one, other) == 0 ||
           (stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* Whether a process was started for the trial of that directory: its environment says so. */
static bool belongs_to(pid_t pid, const char *directory)
{
    static const char name[] = "GANNET_TRIAL_DIR=";
    struct buf text = {0};
    char *path = mem_format("/proc/%d/environ", (int)pid);
    bool found = false;
    if (path_read(path, &text, ENVIRONMENT_LARGEST, NULL) == 0)
        for (size_t at = 0; at < text.length && !found; at += strlen(text.data + at) + 1)
            found = strncmp(text.data + at, name, sizeof name - 1) == 0 &&
                    is_same(text.data + at + sizeof name - 1, directory);
    buf_fini(&text);
    free(path);
    return found;
}

static void find_processes(const char *directory, struct pids *out)
{
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        long pid = strtol(entry->d_name, NULL, 10);
        if (pid > 0 && belongs_to((pid_t)pid, directory)) {
            MEM_GROW(out->items, out->capacity, out->count + 1);
            out->items[out->count++] = (pid_t)pid;
        }
    }
    if (proc)
        closedir(proc);
}

/* Where a trial has to be to be looked at: here, now; -1 with a sentence. */
static int check_place(struct source *source, const json_t *trial, struct err *err)
{
    char here[NODE_SIZE];
    uint64_t number = (uint64_t)json_integer_value(json_object_get(trial, "trial"));
    const char *node = json_text(trial, "node");
    struct spec *spec = source_spec(source, NULL);
    bool kernel = spec && spec->trial.kernel;
    spec_destroy(spec);
    if (strcmp(json_text(trial, "state"), "running") != 0)
        return err_set(err,
                       "trial %" PRIu64
                       " does not run now; to sample it as it is trained again: gannet rerun %s/%" PRIu64
                       " --flame FILE",
                       number, source_dir(source)->path, number);
    if (kernel)
        return err_set(err,
                       "a built-in kernel can't be sampled from outside while it runs, since one process trains trial "
                       "after trial: gannet rerun %s/%" PRIu64 " --flame FILE",
                       source_dir(source)->path, number);
    if (*node && strcmp(node, node_name(here)) != 0)
        return err_set(err, "trial %" PRIu64 " runs on %s, and this is %s: run this command there", number, node, here);
    return 0;
}

static int sample_trial(struct console *console, const struct args *args, struct source *source, uint64_t number,
                        struct err *err)
{
    struct pids pids = {0};
    struct recording recording;
    char *directory = mem_format("%s/%06" PRIu64, source_dir(source)->trials, number);
    char *title = mem_format("%s/%" PRIu64, path_base(source_dir(source)->path), number);
    find_processes(directory, &pids);
    int failed = pids.count ? record_processes(pids.items, pids.count,
                                               (double)args_count(args, "seconds", FLAME_SECONDS), &recording, err)
                            : err_set(err,
                                      "no process of trial %" PRIu64 " is found here: it has just ended, is another "
                                      "user's, or a persistent program runs it; gannet rerun samples it apart",
                                      number);
    if (!failed) {
        failed = flame_write(console, args, title, &recording, err);
        recording_fini(&recording);
    }
    free(pids.items);
    free(directory);
    free(title);
    return failed;
}

int flame_live(struct console *console, const struct args *args, struct source *source, uint64_t trial, struct err *err)
{
    json_t *shown = NULL;
    if (flame_check(args, err))
        return STATUS_USAGE;
    int status = source_show(source, trial, &shown, err);
    if (!status && (check_place(source, shown, err) || sample_trial(console, args, source, trial, err)))
        status = STATUS_FAILED;
    json_decref(shown);
    return status;
}
