/* Joules by RAPL; see energy.h. A zone is a directory: `name` says of what ("package-0", "dram", ...), energy_uj counts
 * microjoules and begins anew behind max_energy_range_uj. What lies within a package (core, uncore), and the platform
 * around it (psys), counts again what packages have. */
#include "worker/profile/energy.h"
#include "common/mem.h"
#include "worker/profile/proc_text.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_LARGEST = 64, ZONES_MOST = 256 };

struct energy_zone {
    char name[64]; /* of its directory */
    bool is_memory, is_known;
    struct held_file file;
    double last, range; /* microjoules */
};

static const char place[] = "class/powercap";

/* Reads one of a zone's files that is read once. */
static void read_once(const char *sys, const char *zone, const char *name, char *text, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s/%s", place, zone, name);
    held_file_read_once(sys, path, text, size);
}

static void add_zone(struct energy_watch *watch, const char *sys, const char *name)
{
    char text[NUMBER_LARGEST];
    struct energy_zone zone = {.is_known = false};
    if (strlen(name) >= sizeof zone.name)
        return;
    read_once(sys, name, "name", text, sizeof text);
    zone.is_memory = strncmp(text, "dram", 4) == 0;
    if (!zone.is_memory && strncmp(text, "package", 7) != 0)
        return;
    strcpy(zone.name, name);
    read_once(sys, name, "max_energy_range_uj", text, sizeof text);
    zone.range = proc_text_value(text);
    watch->zones = mem_resize(watch->zones, watch->count + 1, sizeof *watch->zones);
    watch->zones[watch->count++] = zone;
}

static void find_zones(struct energy_watch *watch, const char *sys)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", sys, place);
    DIR *zones = opendir(path);
    for (struct dirent *entry; zones && watch->count < ZONES_MOST && (entry = readdir(zones));)
        if (strncmp(entry->d_name, "intel-rapl:", 11) == 0)
            add_zone(watch, sys, entry->d_name);
    if (zones)
        closedir(zones);
    watch->has_looked = true;
    watch->processors = watch->memory = 0;
}

/* The joules since its last reading. A counter that went down without a known range has begun anew somewhere. */
static double read_zone(struct energy_zone *zone, const char *sys)
{
    char text[NUMBER_LARGEST], path[256];
    snprintf(path, sizeof path, "%s/%s/energy_uj", place, zone->name);
    double now = proc_text_value(held_file_read(&zone->file, sys, path, text, sizeof text));
    double grown = !zone->is_known ? now * 0 : now >= zone->last ? now - zone->last : now - zone->last + zone->range;
    zone->is_known = !isnan(now);
    zone->last = now;
    return grown >= 0 ? grown * 1e-6 : NAN;
}

/* Half of the truth is none: a sum with a zone that can't be read stays unknown. */
void energy_read(struct energy_watch *watch, const char *sys)
{
    size_t counts[2] = {0};
    if (!watch->has_looked)
        find_zones(watch, sys);
    for (size_t i = 0; i < watch->count; i++) {
        struct energy_zone *zone = &watch->zones[i];
        *(zone->is_memory ? &watch->memory : &watch->processors) += read_zone(zone, sys);
        counts[zone->is_memory]++;
    }
    watch->processors = counts[0] ? watch->processors : NAN;
    watch->memory = counts[1] ? watch->memory : NAN;
}

void energy_why(const struct energy_watch *watch, const char *sys, bool of_memory, char *out, size_t size)
{
    const struct energy_zone *zone = NULL;
    for (size_t i = 0; i < watch->count && !zone; i++)
        if (watch->zones[i].is_memory == of_memory && !watch->zones[i].is_known)
            zone = &watch->zones[i];
    if (zone && (zone->file.error == EACCES || zone->file.error == EPERM))
        snprintf(out, size,
                 "%s/%s/%s/energy_uj: %s; since Linux 5.10 only root may read it: docs/admin.md has what an "
                 "administrator can do",
                 sys, place, zone->name, strerror(zone->file.error));
    else if (zone)
        snprintf(out, size, "%s/%s/%s/energy_uj can't be read here: %s", sys, place, zone->name,
                 zone->file.error ? strerror(zone->file.error) : "it has no number");
    else if (of_memory && watch->count)
        snprintf(out, size, "this processor does not measure its memory apart (%s/%s has no dram)", sys, place);
    else
        snprintf(out, size,
                 "this machine does not measure it: %s/%s has no intel-rapl zone of a processor; virtual machines and "
                 "many processors have none",
                 sys, place);
}

void energy_close(struct energy_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        held_file_close(&watch->zones[i].file);
    free(watch->zones);
    *watch = (struct energy_watch){0};
}
