/* The commands, each in the file of its name. */
#ifndef GANNET_CLI_COMMANDS_H
#define GANNET_CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command cmd_run, cmd_submit, cmd_check, cmd_bench, cmd_pause, cmd_resume, cmd_stop, cmd_cancel,
    cmd_wait, cmd_ask, cmd_tell;
extern const struct command cmd_ls, cmd_status, cmd_trials, cmd_show, cmd_explain, cmd_best, cmd_importance, cmd_logs,
    cmd_replay;
extern const struct command cmd_doctor, cmd_kernels, cmd_strategies, cmd_stoppers, cmd_schema, cmd_help, cmd_version;
extern const struct command cmd_coordinator, cmd_job, cmd_slurm_agent, cmd_docs, cmd_completion;

#endif
