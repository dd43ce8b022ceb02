/* gannet and its libraries; cores, GPUs, files; see doctor.h. */
#include "cli/doctor/doctor.h"
#include "cli/data/sibling.h"
#include "cli/json.h"
#include "common/link.h"
#include "common/path.h"
#include "common/units.h"
#include "scheduler/store/db.h"
#include "scheduler/store/network_disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* --- gannet and its libraries --- */

static void look_at_gannet(struct doctor *doctor)
{
    struct utsname system = {0};
    char *directory = path_program_directory();
    uname(&system);
    doctor_add(doctor, HEALTH_OK, "gannet", NULL, GANNET_VERSION " in %s, on %s %s %s", directory, system.sysname,
               system.release, system.machine);
    free(directory);
}

static void look_at_zmq(struct doctor *doctor)
{
    struct err err;
    char version[32];
    link_version(version, sizeof version);
    struct link_context *context = link_context_create(&err);
    if (context)
        doctor_add(doctor, HEALTH_OK, "ZeroMQ", NULL, "%s with CURVE", version);
    else
        doctor_add(doctor, HEALTH_PROBLEM, "ZeroMQ", NULL, "%s", err.text);
    link_context_destroy(context);
}

static void look_at_sqlite(struct doctor *doctor)
{
    bool safe;
    const char *version = db_library(&safe);
    if (safe)
        doctor_add(doctor, HEALTH_OK, "SQLite", NULL, "%s", version);
    else
        doctor_add(doctor, HEALTH_NOTE, "SQLite", "don't write to a gannet.db with other programs while gannet runs",
                   "%s can damage a store that two connections write back at once (mended in 3.51.3); gannet has one",
                   version);
}

/* The trainer names the kernels when it starts, and it starts when its libraries are there. */
static void look_at_trainer(struct doctor *doctor)
{
    struct err err;
    json_t *kernels = catalog_read(&err);
#ifdef HAVE_ONEDNN
    const char *with = "with oneDNN";
#else
    const char *with = "without oneDNN: on plain loops";
#endif
    if (kernels)
        doctor_add(doctor, HEALTH_OK, "kernels", NULL, "%zu, %s", json_array_size(kernels), with);
    else
        doctor_add(doctor, HEALTH_PROBLEM, "kernels", "`ldd` on gannet-trainer shows which library is missing",
                   "gannet-trainer does not start: %s", err.text);
    json_decref(kernels);
}

void doctor_libraries(struct doctor *doctor)
{
    look_at_gannet(doctor);
    look_at_zmq(doctor);
    look_at_sqlite(doctor);
    look_at_trainer(doctor);
}

/* --- the machine --- */

static void look_at_slots(struct doctor *doctor, const json_t *shown)
{
    const json_t *topology = json_object_get(shown, "topology");
    const char *error = json_text(shown, "error");
    size_t cores = json_array_size(json_object_get(topology, "cores")),
           slots = json_array_size(json_object_get(shown, "slots"));
    char memory[32];
    units_show_size((uint64_t)json_integer_value(json_object_get(topology, "memory")), memory, sizeof memory);
    if (*error)
        doctor_add(doctor, HEALTH_PROBLEM, "slots", NULL, "%s", error);
    else
        doctor_add(doctor, HEALTH_OK, "slots", NULL, "%zu for trials of one core; %zu cores and %s may be used here",
                   slots, cores, memory);
}

/* The first line of what the kernel says of NVIDIA's driver; "" when it is not there. */
static void read_driver(char *out, size_t size)
{
    FILE *file = fopen("/proc/driver/nvidia/version", "re");
    if (!file || !fgets(out, (int)size, file))
        *out = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (file)
        fclose(file);
}

/* What keeps trials from a GPU, or from sharing it. */
static void look_at_mode(struct doctor *doctor, const json_t *gpu, bool mps)
{
    const char *mode = json_text(gpu, "mode");
    json_int_t index = json_integer_value(json_object_get(gpu, "index"));
    if (strcmp(mode, "nobody") == 0)
        doctor_add(doctor, HEALTH_NOTE, "GPU mode", "`nvidia-smi -c DEFAULT` lets programs compute",
                   "GPU %" JSON_INTEGER_FORMAT " is in the compute mode 'prohibited': no trial can use it", index);
    else if (strcmp(mode, "one") == 0 && !mps)
        doctor_add(
            doctor, HEALTH_NOTE, "GPU mode", "`nvidia-smi -c DEFAULT`, or `resources: {mps: true}`, for shares",
            "GPU %" JSON_INTEGER_FORMAT
            " is in the compute mode 'exclusive process': trials that ask for a part of it get all, one at a time",
            index);
}

/* "NVIDIA H100 (80 GiB)"; "..., a part of GPU 0". */
static void add_gpu(const json_t *gpu, struct buf *out)
{
    char size[32];
    const json_t *whole = json_object_get(gpu, "partition_of");
    uint64_t memory = (uint64_t)json_integer_value(json_object_get(gpu, "memory"));
    buf_format(out, "%s%s", out->length ? ", " : "", json_text(gpu, "name"));
    if (memory)
        buf_format(out, " (%s)", units_show_size(memory, size, sizeof size));
    if (json_is_integer(whole))
        buf_format(out, " as a part of GPU %" JSON_INTEGER_FORMAT " (MIG)", json_integer_value(whole));
}

static void look_at_gpus(struct doctor *doctor, const json_t *shown)
{
    const json_t *topology = json_object_get(shown, "topology"), *gpu, *note;
    const json_t *gpus = json_object_get(topology, "gpus");
    bool mps = json_is_true(json_object_get(shown, "mps"));
    const char *version = json_text(topology, "driver");
    struct buf names = {0};
    char driver[256];
    size_t index;
    json_array_foreach(gpus, index, gpu) add_gpu(gpu, &names);
    read_driver(driver, sizeof driver);
    if (names.length)
        doctor_add(doctor, HEALTH_OK, "GPUs", NULL, "%s%s%s%s", buf_str(&names), *version ? "; driver " : "", version,
                   mps ? "; MPS runs" : "");
    else if (*driver || *version)
        doctor_add(doctor, HEALTH_NOTE, "GPUs", "`nvidia-smi` lists the driver's; CUDA_VISIBLE_DEVICES may hide them",
                   "none may be used here, though there is a driver: %s", *driver ? driver : version);
    else
        doctor_add(doctor, HEALTH_OK, "GPUs", NULL, "none");
    json_array_foreach(json_object_get(topology, "gpu_notes"), index, note)
        doctor_add(doctor, HEALTH_NOTE, "GPU", "`nvidia-smi -q` and the kernel's log (`dmesg`) say more", "%s",
                   json_string_value(note));
    json_array_foreach(gpus, index, gpu) look_at_mode(doctor, gpu, mps);
    buf_fini(&names);
}

/* What trains kernels on them: gannet-trainer-cuda, whose first backend is that of GPUs. */
static void look_at_gpu_trainer(struct doctor *doctor, bool gpus)
{
    static const char *const arguments[] = {"--backends", NULL};
    struct err err;
    char *here = path_program_directory(), *program = path_join(here, "gannet-trainer-cuda");
    bool there = path_exists(program);
    json_t *backends = there ? sibling_ask("gannet-trainer-cuda", arguments, &err) : NULL,
           *first = json_array_get(backends, 0);
    enum health health = gpus ? HEALTH_NOTE : HEALTH_OK;
    if (!there)
        doctor_add(doctor, health, "GPU kernels", gpus ? "docs/cuda.md says how it is built" : NULL,
                   "gannet-trainer-cuda is not installed: kernels train on processors");
    else if (!backends)
        doctor_add(doctor, HEALTH_PROBLEM, "GPU kernels", "`ldd` on gannet-trainer-cuda shows which library is missing",
                   "gannet-trainer-cuda does not start: %s", err.text);
    else if (strcmp(json_text(first, "name"), "cuda") != 0)
        doctor_add(doctor, HEALTH_PROBLEM, "GPU kernels", NULL,
                   "gannet-trainer-cuda has no backend cuda: it is another program");
    else if (json_is_true(json_object_get(first, "works")))
        doctor_add(doctor, HEALTH_OK, "GPU kernels", NULL, "gannet-trainer-cuda finds its GPU");
    else
        doctor_add(doctor, health, "GPU kernels", NULL, "gannet-trainer-cuda is installed; %s",
                   json_text(first, "why"));
    json_decref(backends);
    free(program);
    free(here);
}

/* Cores and GPUs that searches on this machine use; a holder's stand behind each other. */
static void look_at_searches(struct doctor *doctor, const json_t *shown)
{
    const json_t *in_use = json_object_get(shown, "in_use"), *row;
    struct buf words = {0};
    const char *before = NULL;
    size_t index;
    json_array_foreach(in_use, index, row)
    {
        const char *by = json_text(row, "by");
        if (before && strcmp(by, before) != 0)
            buf_format(&words, " by %s; ", before);
        else if (before)
            buf_text(&words, ", ");
        buf_text(&words, json_text(row, "what"));
        before = by;
    }
    if (before)
        doctor_add(doctor, HEALTH_NOTE, "in use", "a search that is started now takes what is free; --share takes all",
                   "%s by %s", buf_str(&words), before);
    buf_fini(&words);
}

/* What a worker that is started here would offer. */
static void look_at_worker(struct doctor *doctor)
{
    static const char *const arguments[] = {"--show-slots", "--json", NULL};
    struct err err;
    json_t *shown = sibling_ask("gannet-worker", arguments, &err);
    if (shown) {
        look_at_slots(doctor, shown);
        look_at_gpus(doctor, shown);
        look_at_gpu_trainer(doctor, json_array_size(json_object_get(json_object_get(shown, "topology"), "gpus")) > 0);
        look_at_searches(doctor, shown);
    } else {
        doctor_add(doctor, HEALTH_PROBLEM, "slots", "`ldd` on gannet-worker shows which library is missing",
                   "gannet-worker does not start: %s", err.text);
    }
    json_decref(shown);
}

static void look_at_kind(struct doctor *doctor, const char *path)
{
    struct err err;
    bool network;
    if (network_disk_check(path, &network, &err))
        doctor_add(doctor, HEALTH_PROBLEM, "filesystem", NULL, "%s", err.text);
    else if (network)
        doctor_add(doctor, HEALTH_NOTE, "filesystem",
                   "`gannet run --dir` on a local disk is faster; for workers on other nodes it must be one they see",
                   "%s is on a network: the coordinator keeps its store to itself", path);
    else
        doctor_add(doctor, HEALTH_OK, "filesystem", NULL, "%s is on a disk of this machine; other nodes don't see it",
                   path);
}

/* A search of a million trials needs a few hundred MiB. */
static void look_at_room(struct doctor *doctor, const char *path)
{
    static const uint64_t little = 1u << 30;
    struct statvfs fs;
    char free_text[32];
    uint64_t capacity = statvfs(path, &fs) ? little : (uint64_t)fs.f_bavail * fs.f_frsize;
    units_show_size(capacity, free_text, sizeof free_text);
    if (access(path, W_OK))
        doctor_add(doctor, HEALTH_PROBLEM, "room", "change to a directory of yours, or give `--dir`",
                   "nothing can be written to %s", path);
    else
        doctor_add(doctor, capacity < little ? HEALTH_NOTE : HEALTH_OK, "room", NULL, "%s are free in %s", free_text,
                   path);
}

/* Each worker and each program on a trial needs a few. */
static void look_at_open_files(struct doctor *doctor)
{
    static const rlim_t few = 4096;
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= few)
        doctor_add(doctor, HEALTH_OK, "open files", NULL, "at most %llu", (unsigned long long)limit.rlim_max);
    else
        doctor_add(doctor, HEALTH_NOTE, "open files", "raise the hard limit (`ulimit -Hn`, limits.conf)",
                   "at most %llu, which is enough for about %llu workers", (unsigned long long)limit.rlim_max,
                   (unsigned long long)limit.rlim_max / 4);
}

void doctor_machine(struct doctor *doctor)
{
    char *here = path_exists("runs") ? path_absolute("runs") : getcwd(NULL, 0);
    look_at_worker(doctor);
    if (here) {
        look_at_kind(doctor, here);
        look_at_room(doctor, here);
    } else {
        doctor_add(doctor, HEALTH_PROBLEM, "filesystem", "change to another directory", "this one is gone");
    }
    look_at_open_files(doctor);
    free(here);
}
