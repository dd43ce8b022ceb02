/* gannet doctor: what this machine is to gannet, and what is wrong with it. */
#include "cli/command.h"
#include "cli/doctor/doctor.h"

static void (*const checks[])(struct doctor *doctor) = {doctor_libraries, doctor_machine, doctor_network, doctor_slurm};

static int run_doctor(struct console *console, const struct args *args)
{
    struct doctor doctor = {.checks = json_array()};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        checks[i](&doctor);
    if (args_has(args, "calibrate"))
        doctor_limits(&doctor);
    if (args_has(args, "json")) {
        console_json(console, json_pack("{s:s, s:O}", "gannet", GANNET_VERSION, "checks", doctor.checks));
    } else {
        struct buf text = {0};
        doctor_draw(&doctor, &console->out_look, &text);
        console_print(console, &text);
    }
    int status = doctor.problem ? STATUS_FAILED : STATUS_OK;
    doctor_fini(&doctor);
    return status;
}

static const struct option options[] = {
    {.name = "calibrate",
     .help = "measure what this machine can do at most, and keep it for verdicts (docs/profile.md)"},
    OPTION_JSON("an object: gannet, checks (name, health, text, advice)"),
    {0}};

const struct command cmd_doctor = {
    .name = "doctor",
    .group = GROUP_ASK,
    .summary = "Looks at this machine: libraries, cores, GPUs, disk, network, Slurm",
    .text = "What to paste into a ticket. A note is worth knowing; a problem keeps something from\n"
            "working, and then the exit status is 1.",
    .options = options,
    .run = run_doctor};
