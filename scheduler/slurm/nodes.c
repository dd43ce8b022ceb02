/* Lists of nodes; see nodes.h.
 *
 *     list    item, item ...
 *     item    text, with any number of brackets in it
 *     bracket [range, range ...]; what stands for it keeps the zeros in front: 08-10 is 08, 09, 10
 *     range   number, or number-number */
#include "scheduler/slurm/nodes.h"

#include "common/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* One range of a bracket. */
struct node_range {
    unsigned long first, last;
    int width; /* digits at least */
};

/* Reads the range at *at and goes behind it. */
static bool take_range(const char **at, struct node_range *out)
{
    enum { MOST_DIGITS = 9 };
    size_t digits = strspn(*at, "0123456789");
    if (!digits || digits > MOST_DIGITS)
        return false;
    out->width = (int)digits;
    out->first = out->last = strtoul(*at, NULL, 10);
    *at += digits;
    if (**at != '-')
        return true;
    digits = strspn(++*at, "0123456789");
    if (!digits || digits > MOST_DIGITS)
        return false;
    out->last = strtoul(*at, NULL, 10);
    *at += digits;
    return out->last >= out->first;
}

static int expand_item(const char *before, const char *item, struct texts *out);

/* Every number of a range, each with what stands before and behind the bracket. */
static int expand_range(const char *before, int length, const struct node_range *range, const char *behind,
                        struct texts *out)
{
    if (range->last - range->first >= NODES_MOST)
        return -1;
    int failed = 0;
    for (unsigned long number = range->first; number <= range->last && !failed; number++) {
        char *front = mem_format("%.*s%0*lu", length, before, range->width, number);
        failed = expand_item(front, behind, out);
        free(front);
    }
    return failed;
}

/* `before` stands for itself, `item` may have brackets. */
static int expand_item(const char *before, const char *item, struct texts *out)
{
    const char *open = strchr(item, '['), *close = open ? strchr(open, ']') : NULL;
    if (out->count >= NODES_MOST || (open && !close) || (!open && strchr(item, ']')))
        return -1;
    char *front = mem_format("%s%.*s", before, open ? (int)(open - item) : (int)strlen(item), item);
    if (!open) {
        texts_add(out, front);
        return 0;
    }
    struct node_range range;
    int failed = 0, length = (int)strlen(front);
    const char *at = open + 1;
    do {
        failed = !take_range(&at, &range) || (*at != ',' && at != close) ||
                 expand_range(front, length, &range, close + 1, out);
    } while (!failed && *at++ == ',');
    free(front);
    return failed ? -1 : 0;
}

/* The length of the item at `list`: up to a comma outside brackets. */
static size_t item_length(const char *list)
{
    size_t length = 0;
    for (bool inside = false; list[length] && (inside || list[length] != ','); length++)
        inside = list[length] == '[' || (inside && list[length] != ']');
    return length;
}

static bool is_plausible(const char *item)
{
    for (; *item; item++)
        if (!isalnum((unsigned char)*item) && !strchr("[]-,._", *item))
            return false;
    return true;
}

int nodes_read(const char *list, struct texts *out, struct err *err)
{
    for (const char *at = list; *at;) {
        size_t length = item_length(at);
        char *item = mem_text_n(at, length);
        int failed = !length || !is_plausible(item) || expand_item("", item, out);
        free(item);
        if (failed)
            return err_set(err, "'%.200s' is no list of nodes as Slurm writes them (n[1-4],login1)", list);
        at += length + (at[length] == ',');
    }
    return 0;
}

int nodes_read_cut(const char *list, size_t room, struct texts *out)
{
    char *whole = mem_text(list), *comma = strrchr(whole, ',');
    if (strlen(list) + 1 >= room && comma) { /* it was cut off, perhaps within a name or a bracket */
        *comma = '\0';
        char *open = strrchr(whole, '[');
        if (open && !strchr(open, ']'))
            strcpy(comma, "]");
    }
    int failed = nodes_read(whole, out, NULL);
    free(whole);
    return failed;
}

bool nodes_list_has(const char *list, size_t room, const char *node)
{
    struct texts nodes = {0};
    bool listed = nodes_read_cut(list, room, &nodes) || !nodes.count;
    for (size_t i = 0; i < nodes.count && !listed; i++)
        listed = strcmp(nodes.items[i], node) == 0;
    texts_fini(&nodes);
    return listed;
}
