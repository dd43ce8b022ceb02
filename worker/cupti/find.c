/* Finds CUPTI; see cupti.h. Two copies of it in one process are in each other's way, so a loaded one is taken as it is:
 * PyTorch and TensorFlow bring their own. */
#include "worker/cupti/cupti.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By the CUDA that they are of, newest first: a driver runs programs of its own CUDA and of older ones. */
static const struct {
    int cuda; /* as cuDriverGetVersion says it */
    const char *file;
} files[] = {
    {13000, "libcupti.so.13"},   {12000, "libcupti.so.12"},   {11080, "libcupti.so.11.8"}, {11070, "libcupti.so.11.7"},
    {11060, "libcupti.so.11.6"}, {11050, "libcupti.so.11.5"}, {11040, "libcupti.so.11.4"}, {11030, "libcupti.so.11.3"},
    {11020, "libcupti.so.11.2"}, {11010, "libcupti.so.11.1"}, {11000, "libcupti.so.11.0"},
};

enum { FILES = sizeof files / sizeof *files };

/* Below where a toolkit is installed. */
static const char *const folders[] = {"extras/CUPTI/lib64", "lib64", "lib"};

/* Which function goes where in struct cupti. */
static const struct {
    const char *name;
    size_t offset;
    bool optional;
} functions[] = {
    {"cuptiActivityRegisterCallbacks", offsetof(struct cupti, register_callbacks), false},
    {"cuptiActivityEnable", offsetof(struct cupti, enable), false},
    {"cuptiActivityGetNextRecord", offsetof(struct cupti, next_record), false},
    {"cuptiActivityFlushAll", offsetof(struct cupti, flush), false},
    {"cuptiActivityFlushPeriod", offsetof(struct cupti, flush_period), true},
    {"cuptiActivityGetNumDroppedRecords", offsetof(struct cupti, dropped), true},
    {"cuptiGetResultString", offsetof(struct cupti, result_text), true},
};

/* The CUDA of the driver that is loading us, 12040 say; 0: not known. */
static int driver_version(void)
{
    int version = 0;
    int (*ask)(int *version) = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *function = driver ? dlsym(driver, "cuDriverGetVersion") : NULL;
    memcpy(&ask, &function, sizeof ask);
    if (ask && ask(&version) != 0)
        version = 0;
    if (driver)
        dlclose(driver);
    return version;
}

static void *open_loaded(void)
{
    void *library = NULL;
    for (int i = 0; i < FILES && !library; i++)
        library = dlopen(files[i].file, RTLD_LAZY | RTLD_NOLOAD);
    return library;
}

/* In a toolkit that a variable names, or the usual one. */
static void *open_below(const char *root, const char *file)
{
    char path[1024];
    void *library = NULL;
    for (size_t i = 0; root && *root && i < sizeof folders / sizeof *folders && !library; i++)
        if (snprintf(path, sizeof path, "%s/%s/%s", root, folders[i], file) < (int)sizeof path)
            library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    return library;
}

static void *open_file(const char *file)
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        library = open_below(getenv("CUDA_HOME"), file);
    if (!library)
        library = open_below(getenv("CUDA_PATH"), file);
    return library ? library : open_below("/usr/local/cuda", file);
}

static void *open_installed(int driver)
{
    void *library = NULL;
    for (int i = 0; i < FILES && !library; i++)
        if (!driver || files[i].cuda / 1000 <= driver / 1000)
            library = open_file(files[i].file);
    return library;
}

static bool find_functions(void *library, struct cupti *out)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function && !functions[i].optional)
            return false;
        memcpy((char *)out + functions[i].offset, &function, sizeof function);
    }
    return true;
}

bool cupti_find(struct cupti *out, char *why, size_t size)
{
    *out = (struct cupti){0};
    int driver = driver_version();
    void *library = open_loaded();
    if (!library)
        library = open_installed(driver);
    if (!library)
        snprintf(why, size,
                 "no libcupti.so of CUDA 11 to 13 that the driver knows was found: set CUDA_HOME or LD_LIBRARY_PATH");
    else if (find_functions(library, out))
        return true;
    else
        snprintf(why, size, "the libcupti.so that was found lacks functions");
    return false;
}

void cupti_explain(const struct cupti *cupti, int result, char *out, size_t size)
{
    static const struct {
        int result;
        const char *words;
    } meanings[] = {
        {2, "CUPTI does not know the device"},
        {14, "CUPTI does not fit the driver"},
        {15, "CUPTI could not be started with this driver"},
        {23, "profiling is switched off"},
        {27, "CUPTI does not support this device"},
        {35, "the driver lets administrators alone profile (NVreg_RestrictProfilingToAdminUsers=0 allows it to all)"},
        {39, "another profiler has CUPTI"},
        {40, "the virtual machine's administrator does not allow profiling"},
    };
    const char *text = NULL;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].result == result) {
            snprintf(out, size, "%s", meanings[i].words);
            return;
        }
    if (!cupti->result_text || cupti->result_text(result, &text) != 0 || !text)
        text = "an unknown error";
    snprintf(out, size, "CUPTI says %.80s (%d)", text, result);
}
