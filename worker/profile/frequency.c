/* Clocks of cores; see frequency.h. */
#include "worker/profile/frequency.h"
#include "common/clock.h"
#include "worker/profile/held_file.h"
#include "worker/profile/proc_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_LARGEST = 64 };

static double read_number(const char *sys, uint32_t cpu, const char *name)
{
    char path[128], text[NUMBER_LARGEST];
    snprintf(path, sizeof path, "devices/system/cpu/cpu%u/%s", cpu, name);
    return proc_text_value(held_file_read_once(sys, path, text, sizeof text));
}

/* MHz: Intel's driver says kHz, the firmware's tables (CPPC) MHz. */
static double read_base(const char *sys, uint32_t cpu)
{
    double kilohertz = read_number(sys, cpu, "cpufreq/base_frequency"), most = kilohertz / 1000;
    return isnan(most) ? read_number(sys, cpu, "acpi_cppc/nominal_freq") : most;
}

void frequency_init(struct frequency_watch *watch, const uint32_t *cpus, size_t count)
{
    *watch =
        (struct frequency_watch){.count = count < FREQUENCY_CORES ? (uint32_t)count : FREQUENCY_CORES, .base = NAN};
    for (uint32_t i = 0; i < watch->count; i++)
        watch->cores[i].cpu = cpus[i * count / watch->count];
}

void frequency_begin(struct frequency_watch *watch)
{
    watch->sum = 0;
    watch->looks = 0;
}

/* Its clock in MHz; notes its heat. */
static double look_at(struct frequency_core *core, const char *sys, bool is_first)
{
    core->hot = read_number(sys, core->cpu, "thermal_throttle/core_throttle_total_time_ms");
    core->package = read_number(sys, core->cpu, "thermal_throttle/package_throttle_total_time_ms");
    if (is_first) {
        core->hot_before = core->hot;
        core->package_before = core->package;
    }
    return read_number(sys, core->cpu, "cpufreq/scaling_cur_freq") / 1000;
}

void frequency_look(struct frequency_watch *watch, const char *sys, double now)
{
    static const double share = 0.005, least = 0.5;
    if (!watch->count || (watch->at > 0 && now - watch->at < fmax(watch->cost / share, least)))
        return;
    double began = clock_monotonic(), fastest = NAN;
    if (!(watch->at > 0))
        watch->base = read_base(sys, watch->cores[0].cpu);
    for (uint32_t i = 0; i < watch->count; i++)
        fastest = fmax(fastest, look_at(&watch->cores[i], sys, !watch->looks)); /* NaN loses */
    watch->sum += fastest;
    watch->looks++;
    watch->at = clock_monotonic();
    watch->cost = watch->at - began;
}

void frequency_end(const struct frequency_watch *watch, struct run_counters *out)
{
    double hottest = NAN;
    if (!watch->looks)
        return;
    for (uint32_t i = 0; i < watch->count; i++) {
        const struct frequency_core *core = &watch->cores[i];
        hottest = fmax(hottest, fmax(core->hot - core->hot_before, core->package - core->package_before));
    }
    out->values[COUNT_FREQUENCY] = watch->sum / watch->looks;
    out->values[COUNT_FREQUENCY_BASE] = watch->base;
    out->values[COUNT_THROTTLED_HEAT] = hottest / 1000;
}

void frequency_why(const char *sys, void (*why)(void *context, enum run_counter counter, const char *sentence),
                   void *context)
{
    static const char rest[] = "virtual machines do not say it, nor do many processors";
    char sentence[300];
    if (isnan(read_number(sys, 0, "cpufreq/scaling_cur_freq"))) {
        snprintf(sentence, sizeof sentence, "%s/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq is not there; %s", sys,
                 rest);
        why(context, COUNT_FREQUENCY, sentence);
    }
    if (isnan(read_base(sys, 0))) {
        snprintf(sentence, sizeof sentence, "%s/devices/system/cpu/cpu0 has no base_frequency and no nominal_freq; %s",
                 sys, rest);
        why(context, COUNT_FREQUENCY_BASE, sentence);
    }
    if (isnan(read_number(sys, 0, "thermal_throttle/package_throttle_total_time_ms"))) {
        snprintf(sentence, sizeof sentence, "%s/devices/system/cpu/cpu0/thermal_throttle is not there; %s", sys, rest);
        why(context, COUNT_THROTTLED_HEAT, sentence);
    }
}
