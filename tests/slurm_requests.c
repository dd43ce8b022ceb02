/* Requests to Slurm for tests; see slurm_requests.h. */
#include "tests/slurm_requests.h"

#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

static const char head[] = "version: 1\nname: x\ntrial: {%s}\nmetric: {name: val_loss, goal: minimize}\n"
                           "parameters: {lr: {min: 1e-4, max: 1e-1, log: true}}\n";

static const char *const variables[] = {"PATH=/bin",
                                        "HOME=/home/ada",
                                        "LC_ALL=C.UTF-8",
                                        "WANDB_API_KEY=s3cret",
                                        "SLURM_JOB_ID=9",
                                        "SLURM_CONF=/etc/x.conf",
                                        "GANNET_OWNER=1",
                                        "MINE=1",
                                        "OMP_PROC_BIND=1",
                                        "GANNET_SLURM_MODULE=/m.so",
                                        NULL};

struct spec *requests_spec(const char *keys)
{
    struct problems problems;
    struct buf shown = {0};
    bool command = strstr(keys, "resources: {nodes"); /* no kernel trains on several */
    char *start = mem_format(head, command ? "command: [./train, '${params.lr}']" : "kernel: mlp");
    char *text = mem_format("%s%s", start, keys);
    free(start);
    struct spec *spec = spec_read_text(text, strlen(text), "x.yaml", "/base", NULL, 0, &problems);
    problems_show(&problems, &shown);
    if (!spec)
        print_error("%s\n", buf_str(&shown));
    assert_non_null(spec);
    buf_fini(&shown);
    problems_fini(&problems);
    free(text);
    return spec;
}

struct slurm_order requests_order(const struct spec *spec)
{
    return (struct slurm_order){.spec = spec,
                                .rundir = "/runs/it's x",
                                .programs = "/opt/gannet/bin",
                                .comment = "gannet:x:1",
                                .variables = variables,
                                .now = REQUESTS_NOW};
}

struct slurm_request requests_make(const char *keys, enum slurm_role role, uint32_t elements, struct buf *notes)
{
    struct slurm_request request;
    struct err err = {""};
    struct spec *spec = requests_spec(keys);
    struct slurm_order order = requests_order(spec);
    assert_int_equal(slurm_settle(spec, REQUESTS_NOW, &err), 0);
    int failed = slurm_request_make(&order, role, elements, &request, notes, &err);
    if (failed)
        print_error("%s\n", err.text);
    assert_int_equal(failed, 0);
    spec_destroy(spec);
    return request;
}

struct slurm_request requests_make_job(const char *keys)
{
    return requests_make(keys, SLURM_ROLE_EXPERIMENT, 0, NULL);
}

bool requests_has(const struct slurm_request *request, const char *variable)
{
    for (uint32_t i = 0; i < request->environment_count; i++)
        if (strcmp(request->environment[i], variable) == 0)
            return true;
    return false;
}
