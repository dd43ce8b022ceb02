/* Slurm's error numbers in words. */
#include "scheduler/slurm/module/module.h"

#include <errno.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>

/* What a person can do about an error that is not about the job. */
struct slurm_advice {
    int number;
    bool unclear; /* the request may have arrived */
    const char *text;
};

#define DOWN   "is slurmctld running? `scontrol ping` says"
#define SILENT "slurmctld does not answer in time; try again when `scontrol ping` says that it does"
#define MUNGE  "is munged running here, with the key of the cluster? `munge -n | unmunge` says"
#define CLOSED                                                                                                         \
    "slurmctld closed the connection; is the key of munge here the cluster's? `munge -n | unmunge` there says"

/* An answer of no length. Headers from Slurm 24 on no longer name its number, an older library may still give it. */
enum { ZERO_LENGTH_ANSWER = 5000 };

static const struct slurm_advice advices[] = {
    {SLURM_COMMUNICATIONS_CONNECTION_ERROR, false, DOWN},
    {SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR, false, DOWN},
    {SLURM_COMMUNICATIONS_SEND_ERROR, true, SILENT},
    {SLURM_COMMUNICATIONS_RECEIVE_ERROR, true, SILENT},
    {SLURMCTLD_COMMUNICATIONS_SEND_ERROR, true, SILENT},
    {SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR, true, SILENT},
    {ZERO_LENGTH_ANSWER, true, CLOSED},
    {SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT, true, CLOSED},
    {SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT, true, SILENT},
    {SLURM_PROTOCOL_AUTHENTICATION_ERROR, false, MUNGE},
    {ESLURM_AUTH_CRED_INVALID, false, MUNGE},
    {SLURM_PROTOCOL_VERSION_ERROR, false, "this libslurm and the controller are of Slurms too far apart"},
};

int words_number(int returned)
{
    return returned == SLURM_ERROR ? errno : returned; /* slurm_get_errno is the same, where there is one */
}

int words_result(int returned, struct slurm_error *error)
{
    if (!returned)
        return 0;
    int number = words_number(returned);
    const struct slurm_advice *advice = NULL;
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].number == number)
            advice = &advices[i];
    error->number = number;
    error->unclear = advice && advice->unclear;
    snprintf(error->text, sizeof error->text, "%s%s%s", slurm_strerror(number), advice ? "; " : "",
             advice ? advice->text : "");
    return -1;
}
