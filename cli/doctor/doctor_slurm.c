/* Slurm: the module, its library, the controller; see doctor.h. */
#include "cli/doctor/doctor.h"
#include "cli/json.h"
#include "common/clock.h"
#include "common/path.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/client.h"

#include <stdlib.h>

/* libslurm gives a silent controller 10 s a call where nothing else is configured. */
static const double patience = 20;

/* Whether somebody meant this machine to have Slurm; where nobody did, its absence is no problem. */
static bool is_wanted(void)
{
    return getenv("SLURM_CONF") || getenv("SLURM_JOB_ID") || path_exists("/etc/slurm/slurm.conf") ||
           path_exists("/run/slurm/conf/slurm.conf");
}

/* Adds the module; false when there is none that works. */
static bool look_at_module(struct doctor *doctor)
{
    struct err err;
    char *path = slurm_agent_module_path();
    json_t *about = path_exists(path) ? slurm_ask_now(slurm_ask_about(), patience, NULL, &err) : NULL;
    if (about)
        doctor_add(doctor, HEALTH_OK, "Slurm", NULL, "module %s, built for Slurm %s; libslurm %s", path,
                   json_text(about, "built_for"), json_text(about, "library"));
    else if (path_exists(path))
        doctor_add(doctor, HEALTH_PROBLEM, "Slurm", NULL, "%s", err.text);
    else
        doctor_add(doctor, is_wanted() ? HEALTH_PROBLEM : HEALTH_NOTE, "Slurm",
                   "only `gannet submit` needs it: install libslurm's headers (Debian: libslurm-dev) and build again",
                   "gannet's module for Slurm is not here: %s", path);
    bool works = about != NULL;
    json_decref(about);
    free(path);
    return works;
}

/* Adds the controller; false when it does not answer. */
static bool look_at_controller(struct doctor *doctor)
{
    struct err err;
    double start = clock_monotonic();
    json_t *answer = slurm_ask_now(slurm_ask_ping(), patience, NULL, &err);
    if (answer)
        doctor_add(doctor, HEALTH_OK, "controller", NULL, "answers; with the start of the agent in %.0f ms",
                   (clock_monotonic() - start) * 1000);
    else if (is_wanted())
        doctor_add(doctor, HEALTH_PROBLEM, "controller", NULL, "%s", err.text);
    else
        doctor_add(doctor, HEALTH_NOTE, "controller", "only `gannet submit` needs it", "%s", err.text);
    json_decref(answer);
    return answer != NULL;
}

static void look_at_partitions(struct doctor *doctor)
{
    struct err err;
    struct buf names = {0};
    size_t index;
    const json_t *name;
    json_t *answer = slurm_ask_now(slurm_ask_partitions(), patience, NULL, &err);
    json_array_foreach(json_object_get(answer, "partitions"), index, name)
        buf_format(&names, "%s%s", index ? ", " : "", json_string_value(name));
    if (answer)
        doctor_add(doctor, HEALTH_OK, "partitions", NULL, "%s", buf_str(&names));
    else
        doctor_add(doctor, HEALTH_PROBLEM, "partitions", NULL, "%s", err.text);
    json_decref(answer);
    buf_fini(&names);
}

static void look_at_job(struct doctor *doctor)
{
    const char *job = getenv("SLURM_JOB_ID"), *node = getenv("SLURMD_NODENAME");
    if (job)
        doctor_add(doctor, HEALTH_OK, "job", NULL, "this is in job %s%s%s", job, node ? ", on node " : "",
                   node ? node : "");
}

void doctor_slurm(struct doctor *doctor)
{
    look_at_job(doctor);
    if (look_at_module(doctor) && look_at_controller(doctor))
        look_at_partitions(doctor);
}
