/* A libnvidia-ml.so.1 for tests: its GPUs are what a text file says, at each call anew, so that a test may change them
 * while a worker runs (by moving another file into its place). GANNET_FAKE_NVML names the file; a line each:
 *
 *     gpu GPU-1 name=NVIDIA_H100 memory=85899345920 used=5000 use=75 watts=200 clock=1500 most=2000
 *     mig MIG-1 of=GPU-1 name=NVIDIA_H100_MIG_1g.10gb memory=10737418240
 *     driver 580.65.06
 *     nvmlDeviceGetCount_v2 999      that function fails with this code; "hang": as long as the file says so
 *
 * Keys of a GPU: name (an underscore is a space), bus, memory, used (bytes), use (per cent), power (milliwatts), watts
 * (of the counter of energy), clock, most (MHz), reasons, mode (of computing), ecc (uncorrected errors), xid (an event
 * when it changes), error (what every function says of it). What is not there is not supported; a GPU whose line is
 * gone has fallen off the bus. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DONE = 0, INVALID = 2, UNSUPPORTED = 3, NOT_FOUND = 6, NO_EVENT = 10, LOST = 15, MOST = 32, NAP = 20000 };
enum { MEMORY, USED, USE, POWER, WATTS, CLOCK, MOST_CLOCK, REASONS, MODE, ECC, XID, ERROR, KEYS };
static const char *const keys[KEYS] = {"memory", "used",    "use",  "power", "watts", "clock",
                                       "most",   "reasons", "mode", "ecc",   "xid",   "error"};

/* What is said of a GPU, or of a part of one. */
struct fake {
    char uuid[80], name[80], of[80], bus[32];
    unsigned long long values[KEYS];
    bool has[KEYS], is_there, is_part;
};

/* A device as callers hold it: it stays when its line goes. */
struct device {
    char uuid[80];
    unsigned long long told; /* the event that was handed out last */
    bool is_watched;
};

static struct device devices[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the devices */

struct event {
    void *device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *out, unsigned size);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetUUID(void *device, char *out, unsigned size);
int nvmlDeviceGetName(void *device, char *out, unsigned size);
int nvmlDeviceGetPciInfo_v3(void *device, void *pci);
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3]);
int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending);
int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *count);
int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **part);
int nvmlDeviceGetUtilizationRates(void *device, unsigned use[2]);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *megahertz);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *megahertz);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
int nvmlDeviceGetComputeMode(void *device, unsigned *mode);
int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, unsigned long long *count);
int nvmlEventSetCreate(void **set);
int nvmlEventSetFree(void *set);
int nvmlDeviceRegisterEvents(void *device, unsigned long long types, void *set);
int nvmlEventSetWait_v2(void *set, struct event *event, unsigned milliseconds);

/* --- the file --- */

static void copy_text(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text);
    for (char *at = out; *at; at++)
        *at = *at == '_' ? ' ' : *at;
}

static void take_word(struct fake *fake, const char *word)
{
    const char *sign = strchr(word, '=');
    size_t length = sign ? (size_t)(sign - word) : 0;
    if (strncmp(word, "name=", 5) == 0)
        copy_text(fake->name, sizeof fake->name, word + 5);
    else if (strncmp(word, "of=", 3) == 0)
        snprintf(fake->of, sizeof fake->of, "%s", word + 3);
    else if (strncmp(word, "bus=", 4) == 0)
        snprintf(fake->bus, sizeof fake->bus, "%s", word + 4);
    for (int i = 0; i < KEYS; i++)
        if (length == strlen(keys[i]) && strncmp(word, keys[i], length) == 0) {
            fake->values[i] = strtoull(sign + 1, NULL, 0);
            fake->has[i] = true;
        }
}

static bool read_fake(char *line, struct fake *out)
{
    char *rest = NULL, *kind = strtok_r(line, " \n", &rest), *uuid = strtok_r(NULL, " \n", &rest);
    *out = (struct fake){.is_part = kind && strcmp(kind, "mig") == 0};
    if (!uuid || (!out->is_part && strcmp(kind, "gpu") != 0))
        return false;
    out->is_there = true;
    snprintf(out->uuid, sizeof out->uuid, "%s", uuid);
    for (char *word; (word = strtok_r(NULL, " \n", &rest));)
        take_word(out, word);
    return true;
}

static FILE *open_file(void)
{
    const char *name = getenv("GANNET_FAKE_NVML");
    return name ? fopen(name, "re") : NULL;
}

/* The N-th GPU, or part of `of`; or the one of that UUID. */
static struct fake find_fake(const char *uuid, const char *of, unsigned index)
{
    char line[1024];
    struct fake fake = {.is_there = false};
    FILE *file = open_file();
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        if (read_fake(line, &fake))
            found = uuid ? strcmp(fake.uuid, uuid) == 0
                         : fake.is_part == (of != NULL) && (!of || strcmp(fake.of, of) == 0) && index-- == 0;
    if (file)
        fclose(file);
    return found ? fake : (struct fake){.is_there = false};
}

/* The word behind another that begins a line; "" when there is none. */
static void find_word(const char *first, char *out, size_t size)
{
    char line[1024];
    FILE *file = open_file();
    *out = '\0';
    while (file && !*out && fgets(line, sizeof line, file)) {
        char *rest = NULL, *word = strtok_r(line, " \n", &rest), *next = strtok_r(NULL, " \n", &rest);
        if (word && next && strcmp(word, first) == 0)
            snprintf(out, size, "%s", next);
    }
    if (file)
        fclose(file);
}

/* What the file says that a function does; returns when it hangs no more. */
static int play(const char *function)
{
    char said[32];
    for (find_word(function, said, sizeof said); strcmp(said, "hang") == 0; find_word(function, said, sizeof said))
        usleep(NAP);
    return atoi(said);
}

/* The same of one of a device, of which the caller is to say more. */
static int begin(const char *function, void *device, struct fake *out)
{
    int said = play(function);
    if (!device)
        return INVALID;
    *out = find_fake(((struct device *)device)->uuid, NULL, 0);
    if (said || out->values[ERROR])
        return said ? said : (int)out->values[ERROR];
    return out->is_there ? DONE : LOST;
}

static int begin_with(const char *function, void *device, int key, unsigned long long *value)
{
    struct fake fake;
    int said = begin(function, device, &fake);
    if (said == DONE && !fake.has[key])
        return UNSUPPORTED;
    if (said == DONE)
        *value = fake.values[key];
    return said;
}

static int begin_with_number(const char *function, void *device, int key, unsigned *value)
{
    unsigned long long wide = 0;
    int said = begin_with(function, device, key, &wide);
    if (said == DONE)
        *value = (unsigned)wide;
    return said;
}

static int hold(const struct fake *fake, void **out)
{
    int i = 0;
    if (!fake->is_there)
        return NOT_FOUND;
    if (fake->values[ERROR])
        return (int)fake->values[ERROR];
    pthread_mutex_lock(&lock);
    while (i < MOST - 1 && *devices[i].uuid && strcmp(devices[i].uuid, fake->uuid) != 0)
        i++;
    snprintf(devices[i].uuid, sizeof devices[i].uuid, "%s", fake->uuid);
    pthread_mutex_unlock(&lock);
    *out = &devices[i];
    return DONE;
}

/* --- the library --- */

int nvmlInit_v2(void)
{
    return play(__func__);
}

int nvmlShutdown(void)
{
    return play(__func__);
}

int nvmlSystemGetDriverVersion(char *out, unsigned size)
{
    int said = play(__func__);
    if (said == DONE)
        find_word("driver", out, size);
    return said;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    int said = play(__func__);
    char word[32];
    find_word("count", word, sizeof word);
    *count = (unsigned)strtoul(word, NULL, 0);
    while (!*word && find_fake(NULL, NULL, *count).is_there)
        ++*count;
    return said;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    struct fake fake = find_fake(NULL, NULL, index);
    int said = play(__func__);
    return said ? said : hold(&fake, device);
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    struct fake fake = find_fake(uuid, NULL, 0);
    int said = play(__func__);
    return said ? said : hold(&fake, device);
}

int nvmlDeviceGetUUID(void *device, char *out, unsigned size)
{
    struct fake fake;
    int said = begin(__func__, device, &fake);
    if (said == DONE)
        snprintf(out, size, "%s", fake.uuid);
    return said;
}

int nvmlDeviceGetName(void *device, char *out, unsigned size)
{
    struct fake fake;
    int said = begin(__func__, device, &fake);
    if (said == DONE)
        snprintf(out, size, "%s", fake.name);
    return said;
}

int nvmlDeviceGetPciInfo_v3(void *device, void *pci)
{
    enum { BUS_AT = 36 }; /* behind a text of 16 bytes and five numbers */
    struct fake fake;
    int said = begin(__func__, device, &fake);
    if (said == DONE && !*fake.bus)
        return UNSUPPORTED;
    if (said == DONE)
        memcpy((char *)pci + BUS_AT, fake.bus, sizeof fake.bus);
    return said;
}

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3])
{
    struct fake fake;
    int said = begin(__func__, device, &fake);
    if (said == DONE && !fake.has[MEMORY])
        return UNSUPPORTED;
    if (said == DONE) {
        memory[0] = fake.values[MEMORY];
        memory[1] = memory[0] - fake.values[USED];
        memory[2] = fake.values[USED];
    }
    return said;
}

int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending)
{
    struct fake fake;
    int said = begin(__func__, device, &fake);
    if (said == DONE)
        *current = *pending = find_fake(NULL, fake.uuid, 0).is_there;
    return said;
}

int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *count)
{
    struct fake fake;
    int said = begin(__func__, device, &fake);
    *count = 7; /* as that of an H100 */
    return said;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **part)
{
    struct fake fake;
    int said = begin(__func__, device, &fake);
    if (said)
        return said;
    fake = find_fake(NULL, fake.uuid, index);
    return hold(&fake, part);
}

/* As NVML does, it says nothing of parts. */
int nvmlDeviceGetUtilizationRates(void *device, unsigned use[2])
{
    use[1] = 10;
    return begin_with_number(__func__, device, USE, use);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    return begin_with_number(__func__, device, POWER, milliwatts);
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *megahertz)
{
    (void)type;
    return begin_with_number(__func__, device, CLOCK, megahertz);
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *megahertz)
{
    (void)type;
    return begin_with_number(__func__, device, MOST_CLOCK, megahertz);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    return begin_with(__func__, device, REASONS, reasons);
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    struct timespec at;
    unsigned long long watts;
    int said = begin_with(__func__, device, WATTS, &watts);
    clock_gettime(CLOCK_MONOTONIC, &at);
    if (said == DONE)
        *millijoules = (unsigned long long)(((double)at.tv_sec * 1e3 + (double)at.tv_nsec * 1e-6) * (double)watts);
    return said;
}

int nvmlDeviceGetComputeMode(void *device, unsigned *mode)
{
    return begin_with_number(__func__, device, MODE, mode);
}

int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, unsigned long long *count)
{
    return type == 1 && counter == 0 ? begin_with(__func__, device, ECC, count) : UNSUPPORTED;
}

/* --- events: there is one set --- */

int nvmlEventSetCreate(void **set)
{
    static char one;
    *set = &one;
    return play(__func__);
}

int nvmlEventSetFree(void *set)
{
    (void)set;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST; i++)
        devices[i].is_watched = false;
    pthread_mutex_unlock(&lock);
    return play(__func__);
}

int nvmlDeviceRegisterEvents(void *device, unsigned long long types, void *set)
{
    struct fake fake;
    int said = begin(__func__, device, &fake);
    (void)types;
    (void)set;
    pthread_mutex_lock(&lock);
    if (said == DONE)
        ((struct device *)device)->is_watched = true;
    pthread_mutex_unlock(&lock);
    return said;
}

/* Hands out what has changed at one of the devices. */
static bool has_event(struct event *event)
{
    enum { XID_EVENT = 8 };
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST && !found; i++) {
        struct fake fake = {.is_there = false};
        if (devices[i].is_watched)
            fake = find_fake(devices[i].uuid, NULL, 0);
        found = fake.is_there && fake.values[XID] && fake.values[XID] != devices[i].told;
        if (fake.is_there)
            devices[i].told = fake.values[XID];
        if (found)
            *event = (struct event){.device = &devices[i], .type = XID_EVENT, .data = fake.values[XID]};
    }
    pthread_mutex_unlock(&lock);
    return found;
}

int nvmlEventSetWait_v2(void *set, struct event *event, unsigned milliseconds)
{
    int said = play(__func__);
    (void)set;
    if (said)
        return said;
    for (unsigned waited = 0; waited <= milliseconds; waited += NAP / 1000) {
        if (has_event(event))
            return DONE;
        if (milliseconds)
            usleep(NAP);
    }
    return NO_EVENT;
}
