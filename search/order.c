/* Parents before children: the order in which parameters can be decided. */
#include "search/tables.h"
#include "common/mem.h"

#include <stdlib.h>

/* Whether all parents of an entry are placed. */
static bool is_ready(const struct space_entry *entry, const bool *placed)
{
    for (uint32_t i = 0; i < entry->param.condition_count; i++)
        if (!placed[entry->param.conditions[i].parent])
            return false;
    return true;
}

static uint32_t unplaced_parent(const struct space_entry *entry, const bool *placed)
{
    uint32_t i = 0;
    while (placed[entry->param.conditions[i].parent])
        i++;
    return entry->param.conditions[i].parent;
}

/* From a parameter that could not be placed every step to an unplaced parent finds another one: after P steps we are on
 * the circle. Once around it again for the sentence. */
static int report_circle(const struct space *space, const bool *placed, uint32_t from, uint32_t *culprit,
                         struct err *err)
{
    uint32_t on = from;
    for (size_t i = 0; i < space->count; i++)
        on = unplaced_parent(&space->entries[on], placed);
    *culprit = on;
    struct buf circle = {0};
    uint32_t at = on;
    do {
        uint32_t parent = unplaced_parent(&space->entries[at], placed);
        buf_format(&circle, "%s'%s' needs '%s'", at == on ? "" : ", ", space->entries[at].param.name,
                   space->entries[parent].param.name);
        at = parent;
    } while (at != on);
    err_write(err, "the conditions run in a circle: %s", buf_str(&circle));
    buf_fini(&circle);
    return -1;
}

/* Always the first one that can be placed, so that parameters stay in the order declared where they may. */
int space_sort(struct space *space, uint32_t *culprit, struct err *err)
{
    bool *placed = MEM_ARRAY(bool, space->count);
    int result = 0;
    for (size_t n = 0; n < space->count && result == 0; n++) {
        uint32_t at = 0, first_left = (uint32_t)space->count;
        while (at < space->count && (placed[at] || !is_ready(&space->entries[at], placed))) {
            if (!placed[at] && first_left == space->count)
                first_left = at;
            at++;
        }
        if (at == space->count) {
            result = report_circle(space, placed, first_left, culprit, err);
        } else {
            placed[at] = true;
            space->order[n] = at;
        }
    }
    free(placed);
    return result;
}
