/* slurm.json; see slurm_record.h.
 *
 * The command and the coordinator may both write it, on two machines: every change reads, changes and writes under a
 * lock of its own, on a file beside it, since the file itself is replaced at each write. Readers need no lock. */
#include "scheduler/slurm/slurm_record.h"
#include "scheduler/slurm/slurm_agent.h"

#include "common/buf.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Some 600 bytes a submission, and few are kept that have ended. */
enum { LARGEST = 16 << 20 };

static const char *const role_names[] = {"experiment", "coordinator", "worker"};
enum { ROLES = sizeof role_names / sizeof *role_names };

const char *slurm_role_name(enum slurm_role role)
{
    return role_names[role];
}

/* --- the file --- */

static char *path_of(const struct rundir *dir, const char *name)
{
    return path_join(dir->path, name);
}

static json_t *submission_json(const struct slurm_submission *one)
{
    return json_pack("{s:I, s:s, s:I, s:b, s:o, s:o, s:o}", "id", (json_int_t)one->id, "role", role_names[one->role],
                     "count", (json_int_t)one->count, "array", (int)one->array, "submitted",
                     json_of_real(one->submitted), "looked", json_of_real(one->looked), "seen",
                     slurm_job_json(&one->seen));
}

static int record_write(const char *path, const struct slurm_record *record, struct err *err)
{
    json_t *jobs = json_array();
    for (uint32_t i = 0; i < record->count; i++)
        json_array_append_new(jobs, submission_json(&record->items[i]));
    json_t *json =
        json_pack("{s:o, s:b, s:o, s:o, s:o}", "comment", json_of_text(record->comment), "paused", (int)record->paused,
                  "asked", json_of_real(record->asked), "note", json_of_text(record->note), "jobs", jobs);
    if (record->unsure > 0) {
        json_object_set_new(json, "unsure", json_of_real(record->unsure));
        json_object_set_new(json, "unsure_role", json_string(role_names[record->unsure_role]));
    }
    char *text = json_dumps(json, JSON_INDENT(1));
    int failed = path_write(path, text, strlen(text), share_mode(path), err);
    free(text);
    json_decref(json);
    return failed;
}

static int role_named(const char *name)
{
    for (int i = 0; name && i < ROLES; i++)
        if (strcmp(role_names[i], name) == 0)
            return i;
    return -1;
}

static bool read_number(const json_t *json, const char *name, uint32_t *out)
{
    const json_t *number = json_object_get(json, name);
    json_int_t value = json_integer_value(number);
    *out = (uint32_t)value;
    return json_is_integer(number) && value >= 0 && value < SLURM_UNSET;
}

static bool submission_read(const json_t *json, struct slurm_submission *out)
{
    enum { MOST_ELEMENTS = 4000001 }; /* Slurm's own largest MaxArraySize */
    int role = role_named(json_string_value(json_object_get(json, "role")));
    out->array = json_is_true(json_object_get(json, "array"));
    out->role = role < 0 ? SLURM_ROLE_WORKER : (enum slurm_role)role;
    return role >= 0 && read_number(json, "id", &out->id) && read_number(json, "count", &out->count) &&
           out->count <= MOST_ELEMENTS && json_to_finite(json_object_get(json, "submitted"), &out->submitted) &&
           json_to_finite(json_object_get(json, "looked"), &out->looked) &&
           slurm_job_read(json_object_get(json, "seen"), &out->seen) == 0;
}

static struct slurm_submission *next_free(struct slurm_record *record)
{
    size_t capacity = record->capacity;
    MEM_GROW(record->items, capacity, record->count + 1);
    record->capacity = (uint32_t)capacity;
    return &record->items[record->count];
}

static bool record_decode(const json_t *json, struct slurm_record *out)
{
    const json_t *jobs = json_object_get(json, "jobs");
    const char *comment = json_string_value(json_object_get(json, "comment"));
    const char *note = json_string_value(json_object_get(json, "note"));
    if (!comment || snprintf(out->comment, sizeof out->comment, "%s", comment) >= (int)sizeof out->comment ||
        !json_is_array(jobs))
        return false;
    out->paused = json_is_true(json_object_get(json, "paused"));
    int role = role_named(json_string_value(json_object_get(json, "unsure_role")));
    out->unsure_role = role < 0 ? SLURM_ROLE_EXPERIMENT : (enum slurm_role)role;
    json_to_finite(json_object_get(json, "unsure"), &out->unsure);
    json_to_finite(json_object_get(json, "asked"), &out->asked);
    snprintf(out->note, sizeof out->note, "%s", note ? note : "");
    for (size_t i = 0; i < json_array_size(jobs); i++, out->count++) {
        struct slurm_submission *one = next_free(out);
        *one = (struct slurm_submission){0};
        if (!submission_read(json_array_get(jobs, i), one))
            return false;
    }
    return true;
}

/* --- reading --- */

/* Two experiments of one name, and one that was made anew, are told apart by the number. */
static void name_record(const struct rundir *dir, struct slurm_record *record)
{
    unsigned number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        number = (unsigned)getpid();
    snprintf(record->comment, sizeof record->comment, "gannet:%.63s:%08x", path_base(dir->path), number);
}

bool slurm_record_exists(const struct rundir *dir)
{
    char *path = path_of(dir, "slurm.json");
    bool exists = path_exists(path);
    free(path);
    return exists;
}

int slurm_record_read(const struct rundir *dir, struct slurm_record *out, struct err *err)
{
    *out = (struct slurm_record){0};
    char *path = path_of(dir, "slurm.json");
    struct buf text = {0};
    int failed = 0;
    if (!path_exists(path)) {
        name_record(dir, out);
    } else if ((failed = path_read(path, &text, LARGEST, err)) == 0) {
        json_t *json = json_loadb(buf_str(&text), text.length, 0, NULL);
        if (!record_decode(json, out)) {
            slurm_record_fini(out);
            failed = err_set(err, "%s is damaged; remove it when none of the experiment's jobs is in the queue", path);
        }
        json_decref(json);
    }
    buf_fini(&text);
    free(path);
    return failed;
}

/* --- changing --- */

/* Whoever has the lock is done in milliseconds, so it is looked at again for a while; one that is stopped must not stop
 * everybody. -1 with errno. */
static int await_lock(int fd)
{
    enum { LOOKS = 1000 }; /* ten seconds in all */
    static const struct timespec between = {.tv_nsec = 10 * 1000 * 1000};
    for (int look = 0; look < LOOKS; look++) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
            return 0;
        if (errno != EAGAIN && errno != EACCES)
            return -1;
        nanosleep(&between, NULL);
    }
    errno = EAGAIN;
    return -1;
}

/* The lock: a descriptor to close, or -1 with a sentence. */
static int take_lock(const struct rundir *dir, struct err *err)
{
    char *path = path_of(dir, "slurm.lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        err_write_errno(err, "can't open %s", path);
    if (fd >= 0 && await_lock(fd)) {
        err_write_errno(err, "can't lock %s", path);
        close(fd);
        fd = -1;
    }
    free(path);
    return fd;
}

int slurm_record_change(const struct rundir *dir, void (*change)(void *context, struct slurm_record *record),
                        void *context, struct err *err)
{
    struct slurm_record record;
    int lock = take_lock(dir, err);
    if (lock < 0)
        return -1;
    int failed = slurm_record_read(dir, &record, err);
    if (!failed) {
        char *path = path_of(dir, "slurm.json");
        change(context, &record);
        failed = record_write(path, &record, err);
        slurm_record_fini(&record);
        free(path);
    }
    close(lock);
    return failed;
}

struct slurm_submission *slurm_record_add(struct slurm_record *record, uint32_t id, enum slurm_role role)
{
    for (uint32_t i = record->count; i-- > 0;)
        if (record->items[i].id == id && !slurm_state_is_end(record->items[i].seen.state)) {
            record->items[i].role = role;
            return &record->items[i];
        }
    struct slurm_submission *one = next_free(record);
    record->count++;
    *one = (struct slurm_submission){
        .id = id, .role = role, .count = 1, .submitted = clock_wall(), .seen = {.id = id, .element = SLURM_UNSET}};
    return one;
}

void slurm_record_settle(struct slurm_record *record, const struct slurm_job *job)
{
    uint32_t id = job->array ? job->array : job->id;
    bool known = !(record->unsure > 0);
    for (uint32_t i = 0; i < record->count; i++)
        known |= record->items[i].id == id;
    if (known)
        return;
    slurm_record_add(record, id, record->unsure_role)->submitted = record->unsure;
    record->unsure = 0;
}

static bool is_over(const struct slurm_submission *one)
{
    return one->role == SLURM_ROLE_WORKER && one->looked > 0 && slurm_state_is_end(one->seen.state);
}

void slurm_record_trim(struct slurm_record *record)
{
    enum { KEPT = 100 };
    uint32_t over = 0, kept = 0;
    for (uint32_t i = 0; i < record->count; i++)
        over += is_over(&record->items[i]);
    for (uint32_t i = 0; i < record->count; i++) {
        bool forget = over > KEPT && is_over(&record->items[i]);
        over -= forget;
        if (!forget)
            record->items[kept++] = record->items[i];
    }
    record->count = kept;
}

void slurm_record_fini(struct slurm_record *record)
{
    free(record->items);
    *record = (struct slurm_record){0};
}
