/* The list of commands. */
#include "cli/commands.h"

const struct command *const command_list[] = {
    /* running */
    &cmd_run, &cmd_submit, &cmd_check, &cmd_bench, &cmd_pause, &cmd_resume, &cmd_stop, &cmd_cancel, &cmd_wait, &cmd_ask,
    &cmd_tell,
    /* looking */
    &cmd_ls, &cmd_status, &cmd_trials, &cmd_show, &cmd_explain, &cmd_best, &cmd_importance, &cmd_logs, &cmd_replay,
    /* asking */
    &cmd_help, &cmd_doctor, &cmd_kernels, &cmd_strategies, &cmd_stoppers, &cmd_schema, &cmd_completion, &cmd_version,
    /* hidden */
    &cmd_coordinator, &cmd_job, &cmd_slurm_agent, &cmd_docs, NULL};
