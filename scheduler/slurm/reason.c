/* Slurm's reasons, in words; see reason.h. A row's word may end in '*': then it is the beginning of several. */
#include "scheduler/slurm/reason.h"

#include <fnmatch.h>
#include <stddef.h>

static const struct {
    const char *word, *sentence;
} rows[] = {
    /* its turn has not come */
    {"None", "the scheduler has not looked at it yet"},
    {"Priority", "jobs of higher priority come first; a shorter slurm.time lets it fill gaps"},
    {"Resources", "it is next when enough nodes are free; fewer nodes or a shorter slurm.time start sooner"},
    {"Nodes*required*", "the nodes it needs are down, drained or kept for others; fewer or other nodes start sooner"},
    {"Dependency", "it waits for the jobs that slurm.dependency names"},
    {"DependencyNeverSatisfied",
     "the job that slurm.dependency names ended in another way; cancel and submit without it"},
    {"BeginTime", "it is not to start before slurm.begin, or was just requeued and waits its two minutes"},
    {"Licenses", "the licences of slurm.licenses are in use"},
    {"BurstBuffer*", "its burst buffer is not ready"},
    {"Cleaning", "it was requeued and its first run is being cleared away"},
    {"Prolog", "its nodes are being prepared"},
    {"PowerUp*", "its nodes are being switched on"},
    {"JobArrayTaskLimit", "the array lets no more of its elements run at a time"},
    {"SchedDefer", "the scheduler is told to take its time"},

    /* somebody holds it */
    {"JobHeldUser", "it is held; gannet resume lets it go"},
    {"JobHeldAdmin", "an administrator holds it; ask them why"},
    {"JobHoldMaxRequeue", "it was requeued too often and is held; see its logs, then gannet resume"},
    {"JobLaunchFailure", "it could not be started on its nodes; see its logs and ask the administrator"},
    {"Reservation*", "it waits for the time of slurm.reservation, or that was removed"},
    {"Maintenance", "a maintenance is near: the nodes are kept free; a slurm.time that ends before it starts at once"},

    /* nodes are not there */
    {"ReqNodeNotAvail*",
     "nodes it needs are down or kept for a maintenance; a shorter slurm.time or other nodes start sooner"},
    {"NodeDown", "a node it needs is down; see slurm.nodelist"},
    {"PartitionDown", "the partition takes no jobs to run now; ask the administrator, or take another"},
    {"PartitionInactive", "the partition starts nothing now; ask the administrator, or take another"},
    {"BadConstraints", "no node has what it asks for; see slurm.constraint, slurm.gres and slurm.mem"},

    /* it asks for more than it may have, ever */
    {"PartitionTimeLimit", "slurm.time is longer than the partition allows: it will never start; submit with less"},
    {"PartitionNodeLimit",
     "slurm.nodes is more than the partition has or allows: it will never start; submit with fewer"},
    {"PartitionConfig", "it asks for what the partition does not allow; see sinfo"},
    {"AccountNotAllowed", "the partition is not for this account; see slurm.account and slurm.partition"},
    {"InvalidAccount", "there is no such account for you; see slurm.account"},
    {"InvalidQOS", "there is no such quality of service for you; see slurm.qos"},
    {"QOSNotAllowed", "the partition does not take this quality of service; see slurm.qos"},
    {"AccountingPolicy", "a limit of your account is reached; see sacctmgr show assoc"},
    {"MaxMemPerLimit", "it asks for more memory a node or processor than is allowed; see slurm.mem"},
    {"*WallDurationPer*", "slurm.time is longer than your limits allow; submit with less"},
    {"*MaxWallDuration*", "slurm.time is longer than your limits allow; submit with less"},

    /* limits that others' or our own jobs use up */
    {"QOSMaxJobsPer*", "as many jobs run as the quality of service allows; it starts when one ends"},
    {"QOSMaxSubmitJob*", "as many jobs are submitted as the quality of service allows"},
    {"QOSGrpNodeLimit", "the quality of service's nodes are in use; it starts when some are free"},
    {"QOSGrpCpu*", "the quality of service's processors are in use; it starts when some are free"},
    {"QOSGrpGRES*", "the quality of service's GPUs are in use; it starts when some are free"},
    {"QOSMax*PerUser*", "your jobs use as much as the quality of service allows a user; it starts when one ends"},
    {"QOSMax*", "it asks for more than the quality of service allows a job; see slurm.qos"},
    {"QOSGrp*", "a limit of the quality of service, shared by its users, is reached; it starts when it is not"},
    {"QOSUsageThreshold", "the quality of service's budget is used up"},
    {"QOSTimeLimit", "slurm.time is longer than the quality of service allows: it will never start; submit with less"},
    {"Assoc*TimeLimit", "slurm.time is longer than your account allows: it will never start; submit with less"},
    {"AssocGrp*Minutes*", "the account's budget of machine time is used up; see sshare, or take another account"},
    {"AssocGrp*", "your account's share of the machine is in use; it starts when its jobs end"},
    {"AssocMaxJobsLimit", "as many of your account's jobs run as it allows; it starts when one ends"},
    {"AssocMax*", "it asks for more than your account allows a job; see sacctmgr show assoc"},
    {"Assoc*", "a limit of your account is reached; see sacctmgr show assoc"},
};

const char *slurm_reason_sentence(const char *reason)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fnmatch(rows[i].word, reason, 0) == 0)
            return rows[i].sentence;
    return *reason ? "Slurm's manual explains it under `job reason codes`" : "Slurm has not said why";
}
