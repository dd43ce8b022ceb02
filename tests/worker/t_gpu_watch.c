/* What runs on GPUs are told of them: from looks that are made up, and by the thread that looks. */
#include "common/clock.h"
#include "tests/claims.h"
#include "worker/profile/gpu_watch.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* --- a driver that is made up --- */

static struct fake_gpu {
    unsigned use, milliwatts, clock;
    unsigned long long reasons, millijoules, memory, errors;
    int code; /* of what it is asked for */
} gpu;        /* as all devices are */

static int fake_named(const char *uuid, void **device)
{
    *device = &gpu;
    return strcmp(uuid, "GPU-gone") == 0 ? 6 : 0;
}

static int fake_use(void *device, void *use)
{
    (void)device;
    ((struct nvml_use *)use)->gpu = gpu.use;
    return gpu.code;
}

static int fake_memory(void *device, void *memory)
{
    (void)device;
    ((struct nvml_memory *)memory)->used = gpu.memory;
    return 0;
}

static int fake_power(void *device, unsigned *milliwatts)
{
    (void)device;
    *milliwatts = gpu.milliwatts;
    return 0;
}

static int fake_clock(void *device, int type, unsigned *megahertz)
{
    (void)device;
    *megahertz = type == NVML_CLOCK_SM ? gpu.clock : 0;
    return 0;
}

static int fake_reasons(void *device, unsigned long long *reasons)
{
    (void)device;
    *reasons = gpu.reasons;
    return 0;
}

static int fake_energy(void *device, unsigned long long *millijoules)
{
    (void)device;
    *millijoules = gpu.millijoules;
    return 0;
}

static int not_supported(void *device, unsigned *milliwatts)
{
    (void)device;
    (void)milliwatts;
    return 3;
}

static int fake_errors(void *device, int type, int counter, unsigned long long *count)
{
    (void)device;
    *count = type == NVML_UNCORRECTED && counter == NVML_SINCE_RESET ? gpu.errors : 4711;
    return 0;
}

static int fake_create(void **events)
{
    *events = &gpu;
    return 0;
}

static int fake_register(void *device, unsigned long long types, void *events)
{
    return device == &gpu && events == &gpu && types == NVML_XID_EVENT ? 0 : 2;
}

/* One event, of a GPU that has fallen off the bus. */
static int fake_wait(void *events, struct nvml_event *event, unsigned milliseconds)
{
    static atomic_bool is_told;
    (void)milliseconds;
    *event = (struct nvml_event){.device = events, .type = NVML_XID_EVENT, .data = 79};
    return atomic_exchange(&is_told, true) ? 10 : 0;
}

static const struct nvml driver = {.device_named = fake_named,
                                   .device_use = fake_use,
                                   .device_memory = fake_memory,
                                   .device_power = fake_power,
                                   .device_clock = fake_clock,
                                   .device_clock_most = fake_clock,
                                   .device_reasons = fake_reasons,
                                   .device_energy = fake_energy,
                                   .device_errors = fake_errors};

static bool open_driver(struct nvml *nvml)
{
    *nvml = driver;
    return true;
}

static bool open_with_events(struct nvml *nvml)
{
    *nvml = driver;
    nvml->events_create = fake_create;
    nvml->device_events = fake_register;
    nvml->events_wait = fake_wait;
    return true;
}

static bool open_none(struct nvml *nvml)
{
    *nvml = (struct nvml){.library = NULL};
    return false;
}

/* A look `seconds` after the one before, which is told to the run's GPU `i`. */
static void look(const struct nvml *nvml, struct gpu_run *run, size_t i, double seconds, struct gpu_reading *reading)
{
    gpu_look(nvml, &gpu, seconds, reading);
    reading->at += seconds;
    gpu_run_add(run, i, reading);
}

/* --- a run --- */

static void what_lies_between_two_looks_is_the_run_s(void **state)
{
    (void)state;
    struct gpu_run run;
    struct gpu_reading reading = {.at = 10};
    struct run_counters counters;
    run_counters_clear(&counters);
    gpu_run_begin(&run, 11);
    gpu = (struct fake_gpu){.use = 90, .milliwatts = 400000, .clock = 1980, .millijoules = 5000000, .memory = 77};
    look(&driver, &run, 0, 0, &reading); /* before it began */
    look(&driver, &run, 0, 1, &reading);
    gpu = (struct fake_gpu){.use = 50, .milliwatts = 300000, .clock = 1500, .millijoules = 5250000, .memory = 99};
    gpu.reasons = NVML_HARD_HEAT;
    look(&driver, &run, 0, 1, &reading);
    gpu = (struct fake_gpu){.use = 100, .milliwatts = 300000, .clock = 1700, .millijoules = 5600000, .memory = 88};
    gpu.reasons = NVML_POWER_CAP;
    look(&driver, &run, 0, 3, &reading);
    gpu_run_end(&run, 1, 1, 8, &counters);
    assert_true(fabs(counters.values[COUNT_GPU_USE] - 0.875) < 1e-9);
    assert_true(counters.values[COUNT_GPU_POWER] == 150); /* 600 joules in 4 seconds: as the driver counted */
    assert_true(counters.values[COUNT_ENERGY_GPUS] == 1200);
    assert_true(counters.values[COUNT_GPU_CLOCK] == 1650 && counters.values[COUNT_GPU_CLOCK_MOST] == 1700);
    assert_true(counters.values[COUNT_GPU_MEMORY] == 99);
    assert_true(counters.values[COUNT_GPU_HOT] == 2 && counters.values[COUNT_GPU_CAPPED] == 6);
}

static void of_several_gpus_joules_are_added_and_of_shared_ones_divided(void **state)
{
    (void)state;
    struct gpu_run run;
    struct gpu_reading one = {.at = 10}, other = {.at = 10};
    struct run_counters counters;
    struct nvml old = driver;
    old.device_energy = NULL; /* as before Volta: looks at the power */
    gpu = (struct fake_gpu){.milliwatts = 100000, .use = 100};
    run_counters_clear(&counters);
    gpu_run_begin(&run, 10);
    look(&old, &run, 0, 0, &one);
    look(&old, &run, 1, 0, &other);
    look(&old, &run, 0, 1, &one);
    gpu_run_end(&run, 2, 1, 2, &counters);
    assert_false(run_counters_any(&counters)); /* one of them was not looked at twice */
    look(&old, &run, 1, 1, &other);
    gpu_run_end(&run, 2, 1, 2, &counters);
    assert_true(counters.values[COUNT_GPU_POWER] == 200 && counters.values[COUNT_ENERGY_GPUS] == 400);
    gpu_run_end(&run, 1, 4, 2, &counters);
    assert_true(counters.values[COUNT_ENERGY_GPUS] == 50);
}

static void what_a_gpu_does_not_say_is_unknown(void **state)
{
    (void)state;
    struct gpu_run run;
    struct gpu_reading reading = {.at = 10};
    struct run_counters counters;
    struct nvml poor = {.device_power = not_supported}; /* the rest is missing in its library */
    run_counters_clear(&counters);
    gpu_run_begin(&run, 0);
    gpu_run_end(&run, 1, 1, 1, &counters);
    look(&poor, &run, 0, 1, &reading);
    look(&poor, &run, 0, 1, &reading);
    gpu_run_end(&run, 1, 1, 1, &counters);
    gpu_run_end(&run, 0, 0, 1, &counters);
    gpu_run_end(&run, GPU_MOST + 1, 0, 1, &counters);
    assert_false(run_counters_any(&counters));
}

/* --- what is wrong with a GPU --- */

static void assert_fault(const struct gpu_reading *reading, enum gpu_sign sign, unsigned number)
{
    struct gpu_fault fault = gpu_reading_fault(reading);
    assert_int_equal(fault.sign, sign);
    assert_int_equal(fault.number, number);
}

static void errors_of_memory_are_a_fault_until_the_gpu_was_reset(void **state)
{
    (void)state;
    struct gpu_reading reading = {.at = 0};
    gpu = (struct fake_gpu){.errors = 7};
    gpu_look(&driver, &gpu, 0, &reading);
    assert_fault(&reading, GPU_SIGN_NONE, 0); /* they were there before */
    reading.at = 1;
    gpu.errors = 10;
    gpu_look(&driver, &gpu, 1, &reading);
    assert_fault(&reading, GPU_SIGN_ECC, 3);
    gpu_look(&driver, &gpu, 1, &reading);
    assert_fault(&reading, GPU_SIGN_ECC, 3);
    gpu.errors = 0;
    gpu_look(&driver, &gpu, 1, &reading);
    assert_fault(&reading, GPU_SIGN_NONE, 0);
}

static void a_gpu_that_does_not_answer_is_at_fault_until_it_does(void **state)
{
    (void)state;
    struct gpu_reading reading = {.at = 1, .event = {GPU_SIGN_XID, 62}};
    gpu = (struct fake_gpu){.code = 16};
    gpu_look(&driver, &gpu, 1, &reading);
    assert_fault(&reading, GPU_SIGN_XID, 62); /* the cause is the better sentence */
    assert_int_equal(reading.said.number, 16);
    gpu.code = 0;
    gpu_look(&driver, &gpu, 1, &reading);
    assert_fault(&reading, GPU_SIGN_NONE, 0);
    gpu.code = 999; /* says nothing of this GPU */
    gpu_look(&driver, &gpu, 1, &reading);
    assert_fault(&reading, GPU_SIGN_NONE, 0);
    gpu.code = 15;
    gpu_look(&driver, &gpu, 1, &reading);
    assert_fault(&reading, GPU_SIGN_CODE, 15);
}

static void a_gpu_is_no_worse_for_what_a_program_did(void **state)
{
    (void)state;
    const struct gpu_reading reading = {.at = 1, .event = {GPU_SIGN_XID, 31}},
                             contained = {.event = {GPU_SIGN_XID, 94}};
    assert_fault(&reading, GPU_SIGN_NONE, 0);
    assert_fault(&contained, GPU_SIGN_NONE, 0);
}

/* --- the thread --- */

/* Whether GPU `i` was looked at after that time. */
static bool was_seen(struct gpu_watch *watch, size_t i, double after)
{
    struct gpu_reading reading;
    gpu_watch_want(watch);
    gpu_watch_read(watch, i, &reading);
    return reading.at > after;
}

static void wait_for_look(struct gpu_watch *watch, size_t i, double after)
{
    static const struct timespec moment = {.tv_nsec = 10000000};
    for (double began = clock_monotonic(); !was_seen(watch, i, after); nanosleep(&moment, NULL))
        if (clock_monotonic() - began > 60)
            fail_msg("GPU %zu was not looked at within a minute", i);
}

static void the_thread_looks_while_that_is_wanted(void **state)
{
    (void)state;
    static const char *const uuids[] = {"GPU-1", "GPU-gone", "GPU-2"};
    struct gpu_watch *watch = gpu_watch_create(uuids, 3, open_driver);
    struct gpu_reading reading;
    gpu_watch_read(watch, 0, &reading);
    assert_true(reading.at == 0); /* nothing was opened yet */
    wait_for_look(watch, 0, 0);
    wait_for_look(watch, 2, 0);
    gpu_watch_read(watch, 0, &reading);
    wait_for_look(watch, 0, reading.at);
    wait_for_look(watch, 1, 0);
    gpu_watch_read(watch, 1, &reading);
    assert_fault(&reading, GPU_SIGN_CODE, 6);
    assert_true(isnan(reading.memory) && isnan(reading.energy));
    gpu_watch_destroy(watch);
}

static void the_thread_hears_of_events(void **state)
{
    (void)state;
    static const char *const uuids[] = {"GPU-1"};
    struct gpu_watch *watch = gpu_watch_create(uuids, 1, open_with_events);
    struct gpu_reading reading;
    double before = clock_monotonic();
    gpu = (struct fake_gpu){.use = 1};
    wait_for_look(watch, 0, 0);
    gpu_watch_read(watch, 0, &reading);
    assert_fault(&reading, GPU_SIGN_XID, 79);
    assert_true(reading.event_at >= before && reading.event_at <= clock_monotonic());
    gpu_watch_destroy(watch);
}

static void without_a_driver_nothing_is_known_and_nothing_waits(void **state)
{
    (void)state;
    static const char *const uuids[] = {"GPU-1"};
    struct gpu_watch *watch = gpu_watch_create(uuids, 1, open_none);
    assert_false(was_seen(watch, 0, 0));
    gpu_watch_destroy(watch);
    watch = gpu_watch_create(uuids, 1, open_none);
    gpu_watch_destroy(watch); /* never wanted */
    gpu_watch_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_between_two_looks_is_the_run_s),
        cmocka_unit_test(of_several_gpus_joules_are_added_and_of_shared_ones_divided),
        cmocka_unit_test(what_a_gpu_does_not_say_is_unknown),
        cmocka_unit_test(errors_of_memory_are_a_fault_until_the_gpu_was_reset),
        cmocka_unit_test(a_gpu_that_does_not_answer_is_at_fault_until_it_does),
        cmocka_unit_test(a_gpu_is_no_worse_for_what_a_program_did),
        cmocka_unit_test(the_thread_looks_while_that_is_wanted),
        cmocka_unit_test(the_thread_hears_of_events),
        cmocka_unit_test(without_a_driver_nothing_is_known_and_nothing_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
