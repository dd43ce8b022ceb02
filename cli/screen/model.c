/* What a frame is drawn from; see model.h. */
#include "cli/screen/model.h"
#include "cli/screen/screen.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- plain structs as JSON: their members as rows --- */

enum model_member_type { MEMBER_TEXT, MEMBER_U64, MEMBER_U32, MEMBER_REAL, MEMBER_BOOL };

struct model_member {
    const char *name;
    enum model_member_type type;
    size_t offset, size;
};

#define MEMBER(structure, what, member, kind)                                                                          \
    {                                                                                                                  \
        .name = what, .type = MEMBER_##kind, .offset = offsetof(struct structure, member),                             \
        .size = sizeof((struct structure *)0)->member                                                                  \
    }

static const struct model_member view_members[] = {MEMBER(view, "order", order, TEXT),
                                                   MEMBER(view, "filter", filter, TEXT),
                                                   MEMBER(view, "columns", columns, TEXT),
                                                   MEMBER(view, "reverse", reverse, BOOL),
                                                   MEMBER(view, "trial", trial, U64),
                                                   MEMBER(view, "parameter", parameter, TEXT),
                                                   MEMBER(view, "metric", metric, TEXT),
                                                   MEMBER(view, "tab", tab, U32),
                                                   MEMBER(view, "from", from, REAL),
                                                   MEMBER(view, "to", to, REAL),
                                                   MEMBER(view, "holds", holds, BOOL),
                                                   MEMBER(view, "read_only", read_only, BOOL),
                                                   MEMBER(view, "search", search, TEXT),
                                                   MEMBER(view, "note", note, TEXT),
                                                   MEMBER(view, "several", several, BOOL),
                                                   MEMBER(view, "follows", follows, BOOL),
                                                   MEMBER(view, "helps", helps, BOOL),
                                                   MEMBER(view, "asked", asked, U32),
                                                   MEMBER(view, "asked_trial", asked_trial, U64),
                                                   MEMBER(view, "help_first", help_first, U32),
                                                   MEMBER(view, "question", question, TEXT),
                                                   MEMBER(view, "typed", typed, TEXT),
                                                   MEMBER(view, "caret", caret, U32),
                                                   MEMBER(view, "experiment", experiment, TEXT),
                                                   MEMBER(view, "unfolded", unfolded, TEXT)};

static const struct model_member wants_members[] = {
    MEMBER(wants, "sections", sections, U32),
    MEMBER(wants, "order", trials.order, TEXT),
    MEMBER(wants, "filter", trials.filter, TEXT),
    MEMBER(wants, "reverse", trials.reverse, BOOL),
    MEMBER(wants, "first", trials.first, U64),
    MEMBER(wants, "count", trials.count, U32),
    MEMBER(wants, "trial", trial, U64),
    MEMBER(wants, "workers_first", workers.first, U64),
    MEMBER(wants, "workers_count", workers.count, U32),
    MEMBER(wants, "unfolded", workers.unfolded, TEXT),
    MEMBER(wants, "from", timeline.from, REAL),
    MEMBER(wants, "to", timeline.to, REAL),
    MEMBER(wants, "slots_first", timeline.first, U64),
    MEMBER(wants, "slots_count", timeline.count, U32),
    MEMBER(wants, "slots_columns", timeline.columns, U32),
    MEMBER(wants, "parameter", parameter, TEXT),
    MEMBER(wants, "metric", metric, TEXT),
    MEMBER(wants, "events", events, U32),
};

static const struct model_member place_members[] = {MEMBER(list_place, "chosen", chosen, U64),
                                                    MEMBER(list_place, "first", first, U64),
                                                    MEMBER(list_place, "shown", shown, U32)};

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static json_t *encode_member(const struct model_member *member, const void *structure)
{
    const char *at = (const char *)structure + member->offset;
    switch (member->type) {
    case MEMBER_TEXT:
        return json_of_text(at);
    case MEMBER_U64:
        return json_of_u64(*(const uint64_t *)(const void *)at);
    case MEMBER_U32:
        return json_integer(*(const uint32_t *)(const void *)at);
    case MEMBER_REAL:
        return json_of_real(*(const double *)(const void *)at);
    case MEMBER_BOOL:
        return json_boolean(*(const bool *)(const void *)at);
    }
    return json_null();
}

/* What is missing, or of another type, stays as it is. */
static void decode_member(const struct model_member *member, const json_t *json, void *structure)
{
    char *at = (char *)structure + member->offset;
    uint64_t whole = json_integer_value(json) > 0 ? (uint64_t)json_integer_value(json) : 0;
    switch (member->type) {
    case MEMBER_TEXT:
        if (json_is_string(json))
            snprintf(at, member->size, "%s", json_string_value(json));
        break;
    case MEMBER_U64:
        *(uint64_t *)(void *)at = whole;
        break;
    case MEMBER_U32:
        *(uint32_t *)(void *)at = whole < UINT32_MAX ? (uint32_t)whole : UINT32_MAX;
        break;
    case MEMBER_REAL:
        json_to_real(json, (double *)(void *)at);
        break;
    case MEMBER_BOOL:
        *(bool *)(void *)at = json_is_true(json);
        break;
    }
}

static json_t *encode_members(const struct model_member *members, size_t count, const void *structure)
{
    json_t *out = json_object();
    for (size_t i = 0; i < count; i++)
        json_object_set_new(out, members[i].name, encode_member(&members[i], structure));
    return out;
}

static void decode_members(const struct model_member *members, size_t count, const json_t *json, void *structure)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(json, members[i].name);
        if (value)
            decode_member(&members[i], value, structure);
    }
}

/* --- the model --- */

void screen_model_fini(struct model *model)
{
    for (enum section i = 0; i < SECTIONS_COUNT; i++)
        section_value_fini(&model->sections[i]);
    free(model->name);
    free(model->handle);
    free(model->directory);
    free(model->output.command);
    buf_fini(&model->output.text);
    free(model->programs);
    *model = (struct model){0};
}

void model_add_handle(const struct model *model, struct buf *out)
{
    const char *name = model->name ? model->name : "";
    format_shell(model->handle && *model->handle ? model->handle : name, out);
}

json_t *model_get(const struct model *model, enum section section, const char *name)
{
    return json_object_get(model->sections[section].value, name);
}

static json_t *encode_view(const struct view *view)
{
    json_t *out = encode_members(view_members, COUNT(view_members), view), *places = json_object();
    json_object_set_new(out, "screen", json_string(screen_name(view->screen)));
    json_object_set_new(out, "before", json_string(screen_name(view->before)));
    json_object_set_new(out, "prompt", json_integer(view->prompt));
    for (enum screen i = 0; i < SCREENS_COUNT; i++)
        json_object_set_new(places, screen_name(i),
                            encode_members(place_members, COUNT(place_members), &view->places[i]));
    json_object_set_new(out, "places", places);
    return out;
}

static json_t *encode_output(const struct command_output *output)
{
    return json_pack("{s:o, s:o, s:b, s:i}", "command", json_of_text(output->command), "text",
                     json_of_text(buf_str(&output->text)), "runs", (int)output->runs, "status", output->status);
}

json_t *model_encode(const struct model *model)
{
    json_t *sections = json_object();
    for (enum section i = 0; i < SECTIONS_COUNT; i++) {
        const struct section_value *section = &model->sections[i];
        json_t *value = section->value ? section->value : json_null();
        json_object_set_new(sections, section_name(i),
                            json_pack("{s:O, s:o, s:o, s:o}", "value", value, "read", json_of_real(section->read),
                                      "wants", encode_members(wants_members, COUNT(wants_members), &section->wants),
                                      "trouble", json_of_text(section->trouble)));
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "gannet.screen/1", "now",
                     json_of_real(model->now), "name", json_of_text(model->name), "handle", json_of_text(model->handle),
                     "programs", json_of_text(model->programs), "directory", json_of_text(model->directory), "output",
                     encode_output(&model->output), "view", encode_view(&model->view), "sections", sections);
}

static void decode_view(const json_t *json, struct view *view)
{
    decode_members(view_members, COUNT(view_members), json, view);
    json_t *places = json_object_get(json, "places");
    for (enum screen i = 0; i < SCREENS_COUNT; i++) {
        if (strcmp(json_text(json, "screen"), screen_name(i)) == 0)
            view->screen = i;
        if (strcmp(json_text(json, "before"), screen_name(i)) == 0)
            view->before = i;
        decode_members(place_members, COUNT(place_members), json_object_get(places, screen_name(i)), &view->places[i]);
    }
    json_int_t prompt = json_integer_value(json_object_get(json, "prompt"));
    view->prompt = prompt > 0 && prompt < PROMPTS_COUNT ? (enum prompt)prompt : PROMPT_NONE;
    size_t typed = strlen(view->typed);
    view->caret = view->caret < typed ? view->caret : (uint32_t)typed;
}

static void decode_section(json_t *json, struct section_value *out)
{
    json_t *value = json_object_get(json, "value");
    *out = (struct section_value){.value = value && !json_is_null(value) ? json_incref(value) : NULL};
    json_to_real(json_object_get(json, "read"), &out->read);
    decode_members(wants_members, COUNT(wants_members), json_object_get(json, "wants"), &out->wants);
    snprintf(out->trouble, sizeof out->trouble, "%s", json_text(json, "trouble"));
}

static void decode_output(const json_t *json, struct command_output *out)
{
    out->command = mem_text(json_string_value(json_object_get(json, "command")));
    buf_text(&out->text, json_text(json, "text"));
    out->runs = json_is_true(json_object_get(json, "runs"));
    out->status = (int)json_integer_value(json_object_get(json, "status"));
}

int model_decode(const json_t *json, struct model *out, struct err *err)
{
    *out = (struct model){0};
    if (strcmp(json_text(json, "schema"), "gannet.screen/1") != 0)
        return err_set(err, "it is no model of a screen: its schema is not gannet.screen/1");
    json_to_real(json_object_get(json, "now"), &out->now);
    out->name = mem_text(json_text(json, "name"));
    out->handle = mem_text(json_text(json, "handle"));
    out->programs = mem_text(json_text(json, "programs"));
    out->directory = mem_text(json_string_value(json_object_get(json, "directory")));
    decode_output(json_object_get(json, "output"), &out->output);
    decode_view(json_object_get(json, "view"), &out->view);
    for (enum section i = 0; i < SECTIONS_COUNT; i++)
        decode_section(json_object_get(json_object_get(json, "sections"), section_name(i)), &out->sections[i]);
    return 0;
}
