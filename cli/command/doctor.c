/* gannet doctor: what this machine is to gannet, and what is wrong with it. */
#include "cli/command.h"
#include "cli/doctor/doctor.h"

static void (*const checks[])(struct doctor *doctor) = {doctor_libraries, doctor_machine, doctor_network, doctor_slurm};

static int run_doctor(struct console *console, const struct args *args)
{
    struct doctor doctor = {.checks = json_array()};
    struct err err;
    const char *what = args_rest(args, 0);
    int failed = what ? doctor_experiment(&doctor, console, what, &err) : STATUS_OK;
    if (failed) {
        doctor_fini(&doctor);
        return console_fail(console, failed, &err);
    }
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

static const struct argument arguments[] = {
    {"EXP", "an experiment: its coordinator, its workers and the nodes of its jobs are looked at first; default: none",
     false},
    {0}};
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
            "working, and then the exit status is 1. Of an experiment that runs it says which nodes\n"
            "have no worker and why, and which workers are silent, of another version of gannet or\n"
            "have a clock that is off.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet doctor\ngannet doctor digits",
    .run = run_doctor};
