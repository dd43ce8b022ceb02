/* What the keys of `resources` mean together, and what is given more when a trial is tried again; see read.h. */
#include "scheduler/spec/read.h"
#include "common/gpu_share.h"

/* Processes share the cores of their trial, and each is to have one; the GPUs they choose by their number. */
static void check_ranks(struct reading *reading)
{
    const struct spec_resources *resources = &reading->spec->resources;
    const struct node *map = node_find(reading->root, "resources");
    const struct entry *ranks = node_entry(map, "ranks");
    reading->spec->resources.ranks_given = ranks != NULL;
    if (!ranks || resources->ranks < 2)
        return;
    if (reading->spec->trial.persistent.on)
        problem_say(reading->problems, PROBLEM_CONFLICT, ranks->mark, "leave it out, or trial.persistent",
                    "a persistent program is one process: 'trial.persistent' and %u ranks exclude each other",
                    resources->ranks);
    else if (resources->cpus && resources->ranks > resources->cpus)
        problem_hint(problem_add(reading->problems, PROBLEM_CONFLICT, ranks->mark,
                                 "%u processes can't share %u core%s: each is to have one", resources->ranks,
                                 resources->cpus, resources->cpus == 1 ? "" : "s"),
                     "write cpus: %u, or fewer ranks", resources->ranks);
}

/* What trials that train together can't be, or have. */
static const char *fuse_excludes(const struct spec *spec, const struct node *map)
{
    const struct spec_resources *resources = &spec->resources;
    bool on_core = !resources->gpus; /* a GPU's trials may have more than one */
    return !spec->trial.kernel                ? "a command"
           : resources->ranks > 1             ? "'resources.ranks'"
           : resources->nodes > 1             ? "'resources.nodes'"
           : resources->gpus > 1              ? "more than one of 'resources.gpus'"
           : on_core && resources->cpus > 1   ? "more than one of 'resources.cpus'"
           : on_core && resources->sockets    ? "'resources.sockets'"
           : on_core && resources->per_socket ? "'resources.trials_per_socket'"
           : node_entry(map, "on_oom")        ? "'resources.on_oom'"
                                              : NULL;
}

static void check_fuse(struct reading *reading)
{
    const struct node *map = node_find(reading->root, "resources");
    const struct entry *fuse = node_entry(map, "fuse");
    const char *excluded = fuse_excludes(reading->spec, map);
    if (fuse && reading->spec->resources.fuse > 1 && excluded)
        problem_say(reading->problems, PROBLEM_CONFLICT, fuse->mark, "leave one of them out",
                    "'resources.fuse' and %s exclude each other: such trials of a kernel train in one process on one "
                    "core or GPU",
                    excluded);
}

/* Jobs of several nodes have them at the same time. One node is what is asked for when nothing is said. */
static void check_slurm_nodes(struct reading *reading, const struct entry *nodes)
{
    const struct spec *spec = reading->spec;
    const struct entry *slurm = node_entry(node_find(reading->root, "slurm"), "nodes");
    if (spec->slurm.shape != SHAPE_JOB)
        problem_say(
            reading->problems, PROBLEM_CONFLICT, nodes->mark, "write slurm.shape: job",
            "a trial on %u nodes needs them at the same time, and with this 'slurm.shape' each worker has a job "
            "of its own, which Slurm starts when and where it likes",
            spec->resources.nodes);
    else if (slurm && spec->slurm.nodes > 1 && spec->slurm.nodes < spec->resources.nodes)
        problem_say(reading->problems, PROBLEM_CONFLICT, slurm->mark, "leave it out, or give as many or more",
                    "'slurm.nodes' is %u, and a trial takes a slot on each of %u (resources.nodes)", spec->slurm.nodes,
                    spec->resources.nodes);
}

/* The nodes of a trial are alike, and none takes memory from its neighbours. */
static void check_nodes(struct reading *reading)
{
    const struct spec_resources *resources = &reading->spec->resources;
    const struct node *map = node_find(reading->root, "resources");
    const struct entry *nodes = node_entry(map, "nodes"), *on_oom = node_entry(map, "on_oom");
    if (!nodes || resources->nodes < 2)
        return;
    if (reading->spec->trial.persistent.on)
        problem_say(reading->problems, PROBLEM_CONFLICT, nodes->mark, "leave it out, or trial.persistent",
                    "a persistent program is one process: 'trial.persistent' and %u nodes exclude each other",
                    resources->nodes);
    else if (on_oom)
        problem_say(reading->problems, PROBLEM_CONFLICT, on_oom->mark, "leave it out, and give resources.memory more",
                    "'resources.on_oom' is of trials on one node: a trial on %u takes the same memory on each",
                    resources->nodes);
    check_slurm_nodes(reading, nodes);
}

/* A worker starts the service, or looks for one, for slots that share a GPU alone. */
static void check_mps(struct reading *reading)
{
    const struct spec_resources *resources = &reading->spec->resources;
    const struct entry *mps = node_entry(node_find(reading->root, "resources"), "mps");
    if (mps && resources->mps == MPS_ON && (!resources->gpus || gpu_share_slots(resources->gpu_share) < 2))
        problem_say(reading->problems, PROBLEM_LONE_MPS, mps->mark,
                    "write resources: {gpus: 0.5} to have two trials share a GPU, or leave it out",
                    "'resources.mps: true' changes nothing: no two trials share a GPU");
}

void resources_check(struct reading *reading)
{
    key_exclude(reading, "resources", "trials_per_socket", "cpus", "'resources' has both trials_per_socket and cpus",
                "write one of them: trials_per_socket gives each trial its part of a socket's cores");
    key_exclude(reading, "resources", "trials_per_socket", "sockets",
                "'resources' has both trials_per_socket and sockets", "write one of them");
    key_exclude(reading, "resources", "cpus", "sockets", "'resources' counts both cpus and sockets",
                "write one of them: a socket is all of its cores");
    check_ranks(reading);
    check_fuse(reading);
    check_nodes(reading);
    check_mps(reading);
}

/* --- more for the next attempt --- */

/* Of what is given more, there has to be a limit first; a most that is no more would never be given; and who has no
 * retries is given none. */
static void check_growth(struct reading *reading, const char *section, const char *grows, const char *most_name,
                         const char *base_name, double base, double most)
{
    const struct node *map = node_find(reading->root, section);
    const struct entry *growth = node_entry(map, grows), *limit = node_entry(map, most_name);
    if (growth && base <= 0)
        problem_hint(problem_add(reading->problems, PROBLEM_MISSING_KEY, growth->mark, "'%s.%s' needs '%s.%s'", section,
                                 grows, section, base_name),
                     "say what the first attempt is given");
    else if (growth && !reading->spec->trial.retries)
        problem_say(reading->problems, PROBLEM_CONFLICT, growth->mark, "write trial: {retries: 2}",
                    "'%s.%s' is about further attempts, and 'trial.retries' is 0", section, grows);
    else if (growth && limit && most <= base)
        problem_say(reading->problems, PROBLEM_BAD_RANGE, limit->mark, "it has to be above it",
                    "'%s.%s' is not above '%s.%s'", section, most_name, section, base_name);
    else if (!growth && limit)
        problem_say(reading->problems, PROBLEM_MISSING_KEY, limit->mark, "write x2 for twice as much",
                    "'%s.%s' needs '%s.%s'", section, most_name, section, grows);
}

void growths_check(struct reading *reading)
{
    const struct spec_resources *resources = &reading->spec->resources;
    const struct spec_limits *limits = &reading->spec->limits;
    check_growth(reading, "resources", "on_oom", "memory_max", "memory", (double)resources->memory,
                 (double)resources->memory_max);
    check_growth(reading, "limits", "on_timeout", "trial_time_max", "trial_time", limits->trial_time,
                 limits->trial_time_max);
}
