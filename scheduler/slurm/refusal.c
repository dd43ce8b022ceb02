/* Slurm's reasons and refusals; see refusal.h. */
#include "scheduler/slurm/refusal.h"

#include "common/suggest.h"

#include <fnmatch.h>
#include <string.h>

/* --- why a job waits --- */

/* A row's word may end in '*': then it is the beginning of several. */
static const struct {
    const char *word, *sentence;
} reasons[] = {
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
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (fnmatch(reasons[i].word, reason, 0) == 0)
            return reasons[i].sentence;
    return *reason ? "Slurm's manual explains it under `job reason codes`" : "Slurm has not said why";
}

/* --- why a job was refused --- */

/* The numbers are those of slurm_errno.h, which have stayed the same since Slurm 15; they are not its names, so that
 * gannet needs no header of Slurm's. */
struct refusal {
    int number;
    const char *key; /* under `slurm:`; "": none of them */
    const char *advice;
};

static const struct refusal refusals[] = {
    {1800, "", "slurmctld does not answer: `sinfo` says the same as long as it is away; try again later"},
    {1007, "", "munge did not let us in: is munged running here, with the key of the cluster?"},
    {2000, "partition", "there is no such partition"},
    {2001, "partition", "this cluster has no default partition: name one"},
    {2002, "partition", "you may not use it this way: ask those who run the cluster, or take another"},
    {2003, "partition", "it is for certain groups of users, and you are in none of them"},
    {2004, "nodelist", "these nodes are not in the partition"},
    {2005, "", "the partition does not have so many processors: look at nodes and cpus_per_task"},
    {2006, "nodes", "the partition does not have, or not allow, so many nodes: ask for fewer"},
    {2012, "setup", "the batch script is too long"},
    {2014, "",
     "no node of the partition has what is asked for: look at gres, gpus_per_node, cpus_per_task, mem and "
     "constraint (`sinfo -o '%P %c %m %G %f'` shows what there is)"},
    {2015, "", "the partition does not allow what is asked for: look at nodes and time (`sinfo -o '%P %l %D'`)"},
    {2018, "nodelist", "there is no such node"},
    {2029, "constraint", "no node has such a feature (`sinfo -o '%f'` lists them)"},
    {2038, "dependency", "write afterok:JOB or another of sbatch's forms, of a job that exists"},
    {2044, "mem", "no node has so much memory, or the site sets a limit: ask for less"},
    {2045, "account", "you are in no such account (`sacctmgr show associations user=$USER` lists yours)"},
    {2048, "licenses", "there are no such licences (`scontrol show licenses`)"},
    {2050, "", "a limit of your account or quality of service: ask for less, or wait until other jobs have ended"},
    {2051, "time",
     "the partition's limit is shorter (`sinfo -o '%P %l'`): ask for less; the search goes on in the next "
     "job by itself"},
    {2052, "reservation", "you may not use it"},
    {2053, "reservation", "there is no such reservation, or it has ended (`scontrol show reservations`)"},
    {2066, "qos", "there is no such quality of service for you (`sacctmgr show qos`)"},
    {2069, "cpus_per_task", "no node can give so many processors: ask for fewer"},
    {2070, "partition", "it takes no jobs at present: take another"},
    {2072, "gres", "there are no such resources (`sinfo -o '%G'` lists them)"},
    {2074, "qos", "it allows no more for one user or job: ask for less"},
    {2101, "partition", "it is down: take another"},
    {2105, "", "the cluster takes no jobs at present: try again later"},
    {2114, "constraint", "the batch node can't have these features"},
    {2115, "gres", "write gpu:2, or gpu:TYPE:2"},
    {2119, "gres", "there is no such type of them (`sinfo -o '%G'` lists them)"},
    {2124, "time_min", "it is longer than the time, or than the partition allows"},
    {2134, "gres", "the job can't have so many: ask for fewer"},
    {8000, "time", "this site wants a time limit: give one"},
};

static const struct refusal *find_refusal(int number)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (refusals[i].number == number)
            return &refusals[i];
    return NULL;
}

bool refusal_is_of_partition(int number)
{
    const struct refusal *row = find_refusal(number);
    return row && strcmp(row->key, "partition") == 0;
}

bool refusal_is_final(int number)
{
    static const int passing[] = {1800, 1007, 2050, 2070, 2074, 2101, 2105};
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (passing[i] == number)
            return false;
    return find_refusal(number);
}

/* --- the value of a key in the request --- */

static void add_text(struct buf *out, const char *text)
{
    if (text)
        buf_format(out, " (%s)", text);
}

static void add_number(struct buf *out, uint32_t number)
{
    if (number != SLURM_UNSET)
        buf_format(out, " (%u)", number);
}

static void add_switch(struct buf *out, bool on)
{
    buf_text(out, on ? " (true)" : " (false)");
}

#define ADD_TEXT   add_text
#define ADD_NUMBER add_number
#define ADD_SWITCH add_switch

static void add_value(const struct slurm_request *request, const char *wanted, struct buf *out)
{
#define X(type, name, key, help)                                                                                       \
    if (strcmp(key, wanted) == 0)                                                                                      \
        ADD_##type(out, request->name);
    SLURM_REQUEST(X)
#undef X
}

/* --- suggestions --- */

static void add_partitions(const char *asked, const char *const *names, size_t count, struct buf *out)
{
    const char *nearest = asked ? suggest_nearest(asked, names, count) : NULL;
    if (nearest)
        buf_format(out, "; did you mean '%s'?", nearest);
    buf_text(out, nearest ? " The partitions: " : ". The partitions: ");
    suggest_list(out, names, count);
}

void refusal_explain(int number, const struct slurm_request *request, const char *const *partitions, size_t count,
                     struct buf *out)
{
    const struct refusal *row = find_refusal(number);
    if (!row)
        return;
    if (*row->key) {
        buf_format(out, "slurm.%s", row->key);
        add_value(request, row->key, out);
        buf_text(out, ": ");
    }
    buf_text(out, row->advice);
    if (count && refusal_is_of_partition(number))
        add_partitions(request->partition, partitions, count, out);
}
