/* The cores that a job has on each of its nodes. libslurm says it up to Slurm 24.05; later ones keep it to themselves,
 * and there `scontrol` is asked. */
#include "scheduler/slurm/module/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not in the headers of later versions; NULL where the library has none. */
extern int slurm_job_cpus_allocated_str_on_node_id(char *cpus, size_t cpus_len, job_resources_t *resources, int node)
    __attribute__((weak));

/* Not processors: without the nodes' records libslurm takes each core for one thread. */
static void write_by_library(const slurm_job_info_t *info, FILE *out)
{
    char cores[1024];
    for (uint32_t i = 0; i < info->num_nodes; i++) {
        if (slurm_job_cpus_allocated_str_on_node_id(cores, sizeof cores, info->job_resrcs, (int)i))
            *cores = '\0';
        fprintf(out, "%s%s", i ? ";" : "", cores);
    }
}

/* The threads that each core of a node has; 1 when Slurm does not say. */
static unsigned long count_threads(const char *node)
{
    node_info_msg_t *found = NULL;
    unsigned long threads = 1;
    if (slurm_load_node_single(&found, (char *)node, SHOW_ALL) == 0 && found->record_count &&
        found->node_array[0].threads)
        threads = found->node_array[0].threads;
    if (found)
        slurm_free_node_info_msg(found);
    return threads;
}

/* Writes processors such as "0-3,8" as the cores that they belong to. */
static void write_cores(const char *processors, unsigned long threads, FILE *out)
{
    for (const char *at = processors; *at >= '0' && *at <= '9';) {
        char *end;
        fprintf(out, "%lu", strtoul(at, &end, 10) / threads);
        if (*end != '-' && *end != ',')
            return;
        fputc(*end, out);
        at = end + 1;
    }
}

/* Writes one group of nodes, whose processors have the same numbers, as scontrol prints it: "Nodes=n[1-2] CPU_IDs=0-3
 * ". */
static void write_group(const char *nodes, const char *processors, const char *between, FILE *out)
{
    __typeof__(slurm_hostlist_create(nodes)) list =
        slurm_hostlist_create(nodes); /* hostlist_t is the pointer up to 23.02 */
    for (char *node; list && (node = slurm_hostlist_shift(list)); between = ";") {
        fputs(between, out);
        write_cores(processors, count_threads(node), out);
        free(node);
    }
    if (list)
        slurm_hostlist_destroy(list);
}

static void write_by_scontrol(uint32_t id, FILE *out)
{
    char command[96], *line = NULL;
    size_t size = 0;
    snprintf(command, sizeof command, "scontrol --details --oneliner show job %u 2>/dev/null", (unsigned)id);
    FILE *in = popen(command, "r");
    const char *between = "";
    if (in && getline(&line, &size, in) > 0)
        for (char *at = line; (at = strstr(at, " Nodes=")); between = ";") {
            char *nodes = at + strlen(" Nodes="), *processors = strstr(nodes, " CPU_IDs=");
            if (!processors)
                break;
            *processors = '\0';
            at = processors + strlen(" CPU_IDs=");
            write_group(nodes, at, between, out);
        }
    free(line);
    if (in)
        pclose(in);
}

/* Each question to scontrol is one more for the controller, and only the job itself wants to know its cores. */
static bool is_own(uint32_t id)
{
    const char *own = getenv("SLURM_JOB_ID");
    return own && strtoul(own, NULL, 10) == id;
}

char *module_cores(const slurm_job_info_t *info)
{
    char *all = NULL;
    size_t size;
    FILE *out = info->job_resrcs ? open_memstream(&all, &size) : NULL;
    if (!out)
        return NULL;
    if (slurm_job_cpus_allocated_str_on_node_id)
        write_by_library(info, out);
    else if (is_own(JOB_NUMBER_OF(info)))
        write_by_scontrol(JOB_NUMBER_OF(info), out);
    fclose(out);
    if (*all)
        return all;
    free(all);
    return NULL;
}
