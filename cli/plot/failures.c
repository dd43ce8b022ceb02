/* Failures: attempts that failed or were lost, by reason and by node. */
#include "cli/plot/values.h"

#include "common/json.h"
#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 12 };

/* Attempts on a node. */
struct node_tally {
    const char *name;
    uint32_t failed, all;
};

struct failure_tally {
    uint32_t reasons[ENDINGS_COUNT];
    struct node_tally *nodes;
    size_t node_count;
    uint32_t failed, all;
};

static size_t find_node(struct failure_tally *tally, const char *name)
{
    for (size_t i = tally->node_count; i > 0; i--)
        if (strcmp(tally->nodes[i - 1].name, name) == 0)
            return i - 1;
    tally->nodes[tally->node_count].name = name;
    return tally->node_count++;
}

static void count_attempts(const struct slot_spans *spans, struct failure_tally *tally)
{
    size_t *node_of_slot = MEM_ARRAY(size_t, spans->slot_count + 1);
    for (size_t i = 0; i < spans->slot_count; i++)
        node_of_slot[i] = find_node(tally, spans->slots[i].node);
    for (size_t i = 0; i < spans->count; i++) {
        const struct slot_span *span = &spans->items[i];
        size_t node = node_of_slot[span->slot];
        if (span->reason < 0 || !span->first)
            continue;
        tally->all++;
        tally->nodes[node].all++;
        if (ending_state((enum ending)span->reason) != TRIAL_FAILED)
            continue;
        tally->failed++;
        tally->nodes[node].failed++;
        tally->reasons[span->reason]++;
    }
    free(node_of_slot);
}

static int compare_nodes(const void *a, const void *b)
{
    const struct node_tally *one = a, *other = b;
    if (one->failed != other->failed)
        return one->failed > other->failed ? -1 : 1;
    return strcmp(one->name, other->name);
}

static void add_bar(struct panel *panel, const char *name, uint32_t count, const char *more)
{
    double row = (double)panel->y.name_count + 0.5;
    char text[80];
    scale_name(&panel->y, name);
    panel_box(panel, INK_BAD, 0, row - 0.32, count, row + 0.32);
    snprintf(text, sizeof text, "%u%s", (unsigned)count, more);
    panel_text(panel, INK_QUIET, count, row, text);
}

static void finish_bars(struct panel *panel, uint32_t most)
{
    scale_set(&panel->x, (struct axis){0, most * 1.35, AXIS_LINEAR}, NULL);
    panel->x.bare = true;
    panel->height = 24.0 * (double)panel->y.name_count;
}

static json_t *add_reasons(const struct failure_tally *tally, struct picture *out, uint32_t *most)
{
    struct panel *panel = picture_panel(out, "by reason");
    json_t *list = json_array();
    for (uint32_t last = UINT32_MAX, next; last > 0; last = next) {
        next = 0;
        for (size_t i = 0; i < ENDINGS_COUNT; i++)
            next = tally->reasons[i] < last && tally->reasons[i] > next ? tally->reasons[i] : next;
        for (size_t i = 0; i < ENDINGS_COUNT && next; i++)
            if (tally->reasons[i] == next) {
                add_bar(panel, ending_name((enum ending)i), next, "");
                json_array_append_new(
                    list, json_pack("{s:s, s:i}", "reason", ending_name((enum ending)i), "attempts", (int)next));
                *most = next > *most ? next : *most;
            }
    }
    finish_bars(panel, *most);
    return list;
}

static json_t *add_nodes(struct failure_tally *tally, struct picture *out)
{
    struct panel *panel = picture_panel(out, "by node");
    json_t *list = json_array();
    qsort(tally->nodes, tally->node_count, sizeof *tally->nodes, compare_nodes);
    for (size_t i = 0; i < tally->node_count; i++) {
        json_array_append_new(list, json_pack("{s:o, s:i, s:i}", "node", json_of_text(tally->nodes[i].name), "failed",
                                              (int)tally->nodes[i].failed, "attempts", (int)tally->nodes[i].all));
        char more[40];
        snprintf(more, sizeof more, " of %u", (unsigned)tally->nodes[i].all);
        if (i < MOST_NODES)
            add_bar(panel, *tally->nodes[i].name ? tally->nodes[i].name : "unknown", tally->nodes[i].failed, more);
    }
    finish_bars(panel, tally->nodes[0].failed);
    if (tally->node_count > MOST_NODES)
        picture_note(out, "The %d nodes of most failures, of %zu.", MOST_NODES, tally->node_count);
    return list;
}

static int most_frequent(const struct failure_tally *tally)
{
    int most = 0;
    for (int i = 1; i < ENDINGS_COUNT; i++)
        most = tally->reasons[i] > tally->reasons[most] ? i : most;
    return most;
}

static int draw_failures(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct plot_subject *subject = &question->subjects[0];
    struct failure_tally tally = {0};
    uint32_t most = 0;
    tally.nodes = mem_zero(subject->spans.slot_count + 1, sizeof *tally.nodes);
    count_attempts(&subject->spans, &tally);
    int result = 0;
    if (!tally.failed)
        result = err_set(err, "no attempt of %s has failed", subject->data.name);
    else {
        picture_title(out, "Failures");
        out->columns = 2;
        json_t *reasons = add_reasons(&tally, out, &most);
        json_decref(out->numbers);
        out->numbers = json_pack("{s:i, s:i, s:o, s:o}", "failed", (int)tally.failed, "attempts", (int)tally.all,
                                 "reasons", reasons, "nodes", add_nodes(&tally, out));
        char all[VALUES_COUNT];
        picture_say(out, "%u of %s failed or %s lost, most often: %s.", (unsigned)tally.failed,
                    values_count(tally.all, "attempt", all), tally.failed == 1 ? "was" : "were",
                    ending_sentence((enum ending)most_frequent(&tally)));
    }
    free(tally.nodes);
    return result;
}

const struct plot_kind plot_failures = {.name = "failures",
                                        .summary = "attempts that failed or were lost, by reason and node",
                                        .needs = PLOT_SPANS,
                                        .draw = draw_failures};
