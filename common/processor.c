/* The kind of processor; see processor.h. */
#include "common/processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* The first "model name : AMD EPYC 7543" of the kernel's list; not every architecture has one. */
static bool find_model(char *out, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        found = colon && strncmp(line, "model name", strlen("model name")) == 0;
        if (found)
            snprintf(out, size, "%s", strtok(colon + 1 + strspn(colon + 1, " "), "\n"));
    }
    if (file)
        fclose(file);
    return found;
}

static const char *vector_name(const char *machine)
{
#ifdef __x86_64__
    (void)machine;
    return __builtin_cpu_supports("avx512f")                                 ? "avx512"
           : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "avx2"
           : __builtin_cpu_supports("avx")                                   ? "avx"
                                                                             : "sse2";
#else
    return machine;
#endif
}

void processor_here(struct processor *out, const char *kernels)
{
    struct utsname system = {0};
    uname(&system);
    if (!find_model(out->model, sizeof out->model))
        snprintf(out->model, sizeof out->model, "%.90s", system.machine);
    snprintf(out->vector, sizeof out->vector, "%.90s", vector_name(system.machine));
    snprintf(out->kernels, sizeof out->kernels, "%s", kernels);
    snprintf(out->gannet, sizeof out->gannet, "%s", GANNET_VERSION);
}

static bool has_word(char *words, const char *word)
{
    char *rest, *at = strtok_r(words, " \t\n", &rest);
    while (at && strcmp(at, word) != 0)
        at = strtok_r(NULL, " \t\n", &rest);
    return at;
}

bool processor_has(const char *cpuinfo, const char *flag)
{
    char *line = NULL;
    size_t capacity = 0;
    FILE *file = fopen(cpuinfo, "re");
    bool found = false;
    while (file && !found && getline(&line, &capacity, file) > 0) {
        char *colon = strchr(line, ':');
        found = colon && strncmp(line, "flags", strlen("flags")) == 0 && has_word(colon + 1, flag);
    }
    free(line);
    if (file)
        fclose(file);
    return found;
}
