/* A request as Slurm's job description. What is not given stays as module_begin_job leaves it. */
#include "scheduler/slurm/module/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Adds the items of "gpu:2,nic:1", each with its prefix and `name`; -1 when they have no room. */
static int add_gres(char *out, size_t size, const char *name, const char *items)
{
    while (items && *items) {
        size_t length = strcspn(items, ","), used = strlen(out);
        int written =
            snprintf(out + used, size - used, "%s" GRES_PREFIX "%s%.*s", used ? "," : "", name, (int)length, items);
        if (written < 0 || (size_t)written >= size - used)
            return -1;
        items += length + (items[length] == ',');
    }
    return 0;
}

/* BEGIN, END, ... to Slurm's bits; unknown words are told to the person by whoever read them. */
static uint16_t mail_bits(const char *words)
{
    static const struct {
        const char *name;
        uint16_t bits;
    } kinds[] = {
        {"BEGIN", MAIL_JOB_BEGIN},
        {"END", MAIL_JOB_END},
        {"FAIL", MAIL_JOB_FAIL},
        {"REQUEUE", MAIL_JOB_REQUEUE},
        {"TIME_LIMIT", MAIL_JOB_TIME100},
        {"TIME_LIMIT_90", MAIL_JOB_TIME90},
        {"TIME_LIMIT_80", MAIL_JOB_TIME80},
        {"TIME_LIMIT_50", MAIL_JOB_TIME50},
        {"ARRAY_TASKS", MAIL_ARRAY_TASKS},
        {"INVALID_DEPEND", MAIL_INVALID_DEPEND},
        {"ALL", MAIL_JOB_BEGIN | MAIL_JOB_END | MAIL_JOB_FAIL | MAIL_JOB_REQUEUE | MAIL_INVALID_DEPEND},
    };
    uint16_t bits = 0;
    for (const char *at = words; *at; at += strcspn(at, ","), at += *at == ',')
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strncasecmp(at, kinds[i].name, strcspn(at, ",")) == 0 && !kinds[i].name[strcspn(at, ",")])
                bits |= kinds[i].bits;
    return bits;
}

static void describe_place(const struct slurm_request *request, job_desc_msg_t *job)
{
    job->name = request->name;
    job->comment = request->comment;
    job->script = request->script;
    job->work_dir = request->directory;
    job->std_in = (char *)"/dev/null";
    job->std_out = request->output;
    job->open_mode = OPEN_MODE_APPEND; /* a requeued job keeps what it wrote */
    job->environment = request->environment;
    job->env_size = request->environment_count;
    job->user_id = getuid();
    job->group_id = getgid();
}

static void describe_queue(const struct slurm_request *request, job_desc_msg_t *job)
{
    job->partition = request->partition;
    job->account = request->account;
    job->qos = request->qos;
    job->reservation = request->reservation;
    job->dependency = request->dependency;
    job->licenses = request->licenses;
    job->array_inx = request->array;
    job->mail_user = request->mail_user;
    job->requeue = request->requeue;
    job->kill_on_node_fail = !request->no_kill;
    if (request->mail_type)
        job->mail_type = mail_bits(request->mail_type);
    if (request->begin)
        job->begin_time = (time_t)strtoll(request->begin, NULL, 10);
    if (request->nice != SLURM_UNSET)
        job->nice = NICE_OFFSET + request->nice;
    if (request->hold)
        job->priority = 0;
}

static void describe_time(const struct slurm_request *request, job_desc_msg_t *job)
{
    if (request->minutes != SLURM_UNSET)
        job->time_limit = request->minutes;
    if (request->minutes_least != SLURM_UNSET)
        job->time_min = request->minutes_least;
    if (request->warn_signal != SLURM_UNSET) {
        job->warn_signal = (uint16_t)request->warn_signal;
        job->warn_time = request->warn_seconds < 0xfffe ? (uint16_t)request->warn_seconds : 0xfffd;
        job->warn_flags = KILL_JOB_BATCH;
    }
}

static void describe_nodes(const struct slurm_request *request, job_desc_msg_t *job)
{
    bool tasks = request->tasks_per_node != SLURM_UNSET, cpus = request->cpus_per_task != SLURM_UNSET;
    uint32_t nodes = request->nodes != SLURM_UNSET ? request->nodes : 1;
    job->features = request->constraint;
    job->req_nodes = request->nodelist;
    job->exc_nodes = request->exclude;
    job->min_nodes = job->max_nodes = nodes;
    if (tasks) {
        job->ntasks_per_node = (uint16_t)request->tasks_per_node;
        job->num_tasks = nodes * request->tasks_per_node;
    }
    if (cpus)
        job->cpus_per_task = (uint16_t)request->cpus_per_task;
    if (tasks || cpus)
        job->min_cpus = nodes * (tasks ? request->tasks_per_node : 1) * (cpus ? request->cpus_per_task : 1);
    if (request->memory != SLURM_UNSET)
        job->pn_min_memory = request->memory;
    if (request->memory_per_cpu != SLURM_UNSET)
        job->pn_min_memory = request->memory_per_cpu | MEM_PER_CPU;
    if (request->exclusive)
        job->shared = JOB_SHARED_NONE;
}

enum { GRES_ROOM = 1024 };

/* slurm_init_job_desc_msg of 24.11 leaves a 0 that would keep the cluster's TaskPluginParam=OOMKillStep from the job.
 */
void module_begin_job(job_desc_msg_t *job)
{
    slurm_init_job_desc_msg(job);
#if SLURM_HAS(24, 11)
    job->oom_kill_step = NO_VAL16;
#endif
}

/* A description with what it points to. */
struct description {
    job_desc_msg_t job;
    char gres[GRES_ROOM];
    char task_share[32];          /* what a task has, as sbatch says it beside the number of processors */
    struct further_memory memory; /* to be freed after use, also after a failure */
};

static int describe_job(const struct slurm_request *request, struct description *out, struct slurm_error *error)
{
    job_desc_msg_t *job = &out->job;
    char *gres = out->gres;
    *gres = '\0';
    module_begin_job(job);
    if (module_further(request->further, job, &out->memory, error))
        return -1;
    describe_place(request, job);
    describe_queue(request, job);
    describe_time(request, job);
    describe_nodes(request, job);
    if (add_gres(gres, GRES_ROOM, "", request->gres) || add_gres(gres, GRES_ROOM, "gpu:", request->gpus_per_node)) {
        snprintf(error->text, sizeof error->text, "the list of generic resources is too long");
        return -1;
    }
    if (*gres)
        job->tres_per_node = gres;
    if (SLURM_HAS(24, 11) && request->cpus_per_task != SLURM_UNSET) {
        snprintf(out->task_share, sizeof out->task_share, "cpu=%u", request->cpus_per_task);
        job->tres_per_task = out->task_share;
    }
    return 0;
}

/* In every library, in no header. */
extern void slurm_free_will_run_response_msg(will_run_response_msg_t *msg) __attribute__((weak));

int module_check(const struct slurm_request *request, struct slurm_error *error)
{
    struct description description;
    will_run_response_msg_t *answer = NULL;
    int failed = describe_job(request, &description, error) ||
                 words_result(slurm_job_will_run2(&description.job, &answer), error);
    if (answer && slurm_free_will_run_response_msg)
        slurm_free_will_run_response_msg(answer);
    module_further_fini(&description.memory);
    return failed ? -1 : 0;
}

/* A component has the first one's environment: the controller takes none without. */
static int describe_component(const struct slurm_request *first, uint32_t which, struct description *out,
                              struct slurm_error *error)
{
    int failed = describe_job(which ? &first->components[which - 1] : first, out, error);
    out->job.environment = first->environment;
    out->job.env_size = first->environment_count;
    return failed;
}

/* Submits the descriptions of a heterogeneous job's components, of which the first one has the script. */
static int submit_list(struct description *descriptions, uint32_t count, submit_response_msg_t **answer,
                       struct slurm_error *error)
{
    __typeof__(slurm_list_create(NULL)) list = slurm_list_create(NULL); /* List is a name of its own up to 23.02 */
    for (uint32_t i = 0; i < count; i++)
        slurm_list_append(list, &descriptions[i].job);
    int failed = words_result(slurm_submit_batch_het_job(list, answer), error);
    slurm_list_destroy(list);
    return failed;
}

static int submit_components(const struct slurm_request *request, submit_response_msg_t **answer,
                             struct slurm_error *error)
{
    uint32_t count = request->component_count + 1, made = 0;
    struct description *descriptions = calloc(count, sizeof *descriptions);
    int failed = 0;
    if (!descriptions)
        abort();
    for (; made < count && !failed; made++)
        failed = describe_component(request, made, &descriptions[made], error);
    failed = failed || submit_list(descriptions, count, answer, error);
    for (uint32_t i = 0; i < made; i++)
        module_further_fini(&descriptions[i].memory);
    free(descriptions);
    return failed;
}

static int submit_one(const struct slurm_request *request, submit_response_msg_t **answer, struct slurm_error *error)
{
    struct description description;
    int failed = describe_job(request, &description, error) ||
                 words_result(slurm_submit_batch_job(&description.job, answer), error);
    module_further_fini(&description.memory);
    return failed;
}

int module_submit(const struct slurm_request *request, uint32_t *id, struct slurm_error *error)
{
    submit_response_msg_t *answer = NULL;
    int failed =
        request->component_count ? submit_components(request, &answer, error) : submit_one(request, &answer, error);
    if (failed)
        return -1;
    *id = JOB_NUMBER_OF(answer);
    slurm_free_submit_response_response_msg(answer);
    return 0;
}
