/* The list of commands. */
#include "cli/commands.h"

const struct command *const command_list[] = {&cmd_help,
                                              &cmd_schema,
                                              &cmd_completion,
                                              &cmd_version, /* asking */
                                              &cmd_coordinator,
                                              &cmd_docs, /* hidden */
                                              NULL};
