/* Leading the Slurm of tests; see fake_slurm.h. */
#include "tests/fake_slurm.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

/* A file of the build directory; tests run in build/tests/ROOM. */
static char *built(const char *name)
{
    const char *given = getenv("GANNET_BUILD");
    char *directory = path_program_directory();
    char *path = given ? mem_format("%s/%s", given, name) : mem_format("%s/../../%s", directory, name);
    free(directory);
    return path;
}

char *fake_slurm_program(void)
{
    return built("bin/gannet");
}

char *fake_slurm_module(const char *name)
{
    char *base = mem_format("tests/%s", name), *path = built(base);
    free(base);
    return path;
}

void fake_slurm_use(const char *directory)
{
    char *module = fake_slurm_module("slurm_fake.so");
    setenv("GANNET_SLURM_MODULE", module, 1);
    setenv("GANNET_SLURM_FAKE", directory, 1);
    free(module);
}

/* Replaced at once: the fake may be reading it. */
static void write_json(const char *directory, const char *name, const char *text)
{
    char *path = path_join(directory, name), *json = mem_text(text);
    struct err err;
    for (char *quote; (quote = strchr(json, '\''));)
        *quote = '"';
    if (path_write(path, json, strlen(json), 0600, &err))
        fail_msg("%s", err.text);
    free(json);
    free(path);
}

void fake_slurm_script(const char *directory, const char *script)
{
    write_json(directory, "script.json", script);
}

void fake_slurm_jobs(const char *directory, const char *jobs)
{
    write_json(directory, "jobs.json", jobs);
}

size_t fake_slurm_calls(const char *directory, const char *call)
{
    char *path = path_join(directory, "calls");
    struct buf text = {0};
    size_t count = 0, length = strlen(call);
    if (path_exists(path) && path_read(path, &text, 64 << 20, NULL) == 0)
        for (const char *at = buf_str(&text); at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
            count += strncmp(at, call, length) == 0 && strchr(" \n", at[length]) != NULL;
    buf_fini(&text);
    free(path);
    return count;
}
