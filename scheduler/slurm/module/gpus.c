/* The GPUs that a job has on each of its nodes, which need not be as many everywhere (salloc --gpus=3). */
#include "scheduler/slurm/module/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of GPUs in a list of generic resources such as "gpu:a100:2(IDX:0,3),shard:8(2/4)". */
static unsigned long count_gpus(const char *list)
{
    unsigned long sum = 0;
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ",("), digits = 0;
        while (digits < length && at[length - 1 - digits] >= '0' && at[length - 1 - digits] <= '9')
            digits++;
        if (strncmp(at, "gpu:", 4) == 0)
            sum += strtoul(at + length - digits, NULL, 10);
        at += length;
        at += *at == '(' ? strcspn(at, ")") : 0;
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return sum;
}

char *module_gpus(const slurm_job_info_t *info)
{
    char *all = NULL;
    size_t size;
    bool known = info->gres_detail_cnt && info->gres_detail_cnt == info->num_nodes;
    FILE *out = known ? open_memstream(&all, &size) : NULL;
    for (uint32_t i = 0; out && i < info->num_nodes; i++)
        fprintf(out, "%s%lu", i ? ";" : "", count_gpus(info->gres_detail_str[i]));
    if (out)
        fclose(out);
    return all;
}
