/* gannet itself and its libraries; see doctor.h. */
#include "cli/data/catalog.h"
#include "cli/doctor/doctor.h"
#include "common/link.h"
#include "common/path.h"
#include "scheduler/store/reader.h"

#include <stdlib.h>
#include <sys/utsname.h>

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
    const char *version = reader_library(&safe);
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
