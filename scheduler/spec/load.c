/* libyaml's events to a tree; see load.h. Open lists and maps are frames on a stack, so nothing here recurses; finished
 * nodes wait on a second stack until the frame they belong to is closed. */
#include "scheduler/spec/load.h"
#include "scheduler/spec/text.h"
#include "common/hash.h"
#include "common/map.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* A list or map that is still open. */
struct open_node {
    struct node *node;    /* what it will be */
    size_t line;          /* on which it begins, from 0 */
    size_t counted;       /* nodes before it */
    size_t first;         /* its entries on the stack of waiting ones */
    size_t anchor;        /* its place among the anchors plus 1; 0: it has none */
    bool has_key;         /* MAP: the next node is a value */
    struct entry pending; /* MAP: the key of the next value; its text is NULL when the entry is to be dropped */
};

struct yaml_anchor {
    const char *name;
    struct node *node; /* NULL while it is open */
};

/* A character of the text and where it stands, all from 0. */
struct load_place {
    size_t index, offset; /* in characters and in bytes */
    uint32_t line, column;
};

struct loader {
    yaml_parser_t parser;
    const char *text;
    size_t length;
    struct load_place last; /* the one that was asked for last: the next one is behind it, nearly always */
    struct load_source source;
    struct tree *tree;
    struct problems *problems;
    struct open_node frames[LOAD_DEPTH];
    size_t depth;
    struct entry *waiting;
    size_t waiting_count, waiting_capacity;
    struct yaml_anchor *anchors;
    size_t anchor_count, anchor_capacity;
    size_t nodes;    /* so far, aliases filled in */
    bool incomplete; /* something was left out of the tree: checking it would only find what follows from that */
};

/* libyaml's own count of lines knows line ends that others don't (text.h). */
static struct load_place place_at(struct loader *loader, yaml_mark_t mark)
{
    struct load_place at = loader->last;
    if (mark.index < at.index)
        at = (struct load_place){0};
    for (size_t size; at.index < mark.index && at.offset < loader->length; at.index++, at.offset += size) {
        const char *character = loader->text + at.offset;
        bool ends = text_ends_line(character);
        text_character(character, loader->length - at.offset, &size);
        at.line += ends;
        at.column = ends ? 0 : at.column + 1;
    }
    loader->last = at;
    if (at.offset == loader->length && at.column && !mark.column) /* the end, which it has on a line of its own */
        at = (struct load_place){at.index, at.offset, at.line + 1, 0};
    return at;
}

static struct source_mark mark_of(struct loader *loader, yaml_mark_t start, yaml_mark_t end)
{
    const char *option = loader->source.option;
    struct load_place at = place_at(loader, start);
    struct source_mark mark = {
        .line = option ? 0 : at.line + 1, .column = at.column + 1 + loader->source.column_shift, .option = option};
    bool spans = end.line == start.line && end.column > start.column;
    mark.end_column = mark.column + (spans ? (uint32_t)(end.column - start.column) : 1);
    return mark;
}

/* --- nodes --- */

static struct node *new_node(struct loader *loader, enum node_kind kind, const yaml_event_t *event)
{
    struct node *node = arena_zero(&loader->tree->memory, 1, sizeof *node);
    node->kind = kind;
    node->mark = mark_of(loader, event->start_mark, event->end_mark);
    node->weight = 1;
    return node;
}

static void refuse_tag(struct loader *loader, const unsigned char *tag, struct source_mark mark)
{
    if (!tag)
        return;
    loader->incomplete = true;
    problem_say(loader->problems, PROBLEM_TAG, mark, "leave it out; quotes make a text",
                "explicit types ('!...') are not used here");
}

static void warn_of_older_yaml(struct loader *loader, const struct node *node)
{
    if (!node->plain || node->kind != NODE_SCALAR)
        return;
    if (scalar_was_switch(node->text))
        problem_hint(problem_add(loader->problems, PROBLEM_WORD_NOT_SWITCH, node->mark,
                                 "'%s' is a text here, not true or false", node->text),
                     "write true or false, or \"%s\" in quotes if the text is meant", node->text);
    else if (scalar_was_octal(node->text))
        problem_say(loader->problems, PROBLEM_LEADING_ZERO, node->mark,
                    "leave the zero out; octal numbers begin with 0o",
                    "'%s' is decimal here; older YAML reads it as octal", node->text);
}

/* Remembers an anchor; a later one of the same name hides it, as YAML has it. Its place plus 1, or 0 without name. */
static size_t remember_anchor(struct loader *loader, const unsigned char *name, struct node *node)
{
    if (!name)
        return 0;
    MEM_GROW(loader->anchors, loader->anchor_capacity, loader->anchor_count + 1);
    loader->anchors[loader->anchor_count++] =
        (struct yaml_anchor){arena_text(&loader->tree->memory, (const char *)name), node};
    return loader->anchor_count;
}

static struct node *scalar_node(struct loader *loader, const yaml_event_t *event)
{
    struct node *node = new_node(loader, NODE_SCALAR, event);
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(text, '\0', length)) {
        loader->incomplete = true;
        problem_say(loader->problems, PROBLEM_BAD_TEXT, node->mark, "remove the \\0", "a text can't hold a zero byte");
    }
    refuse_tag(loader, event->data.scalar.tag, node->mark);
    remember_anchor(loader, event->data.scalar.anchor, node);
    node->text = arena_text(&loader->tree->memory, text);
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->scalar = node->plain ? scalar_resolve(node->text) : (struct scalar){.kind = SCALAR_TEXT};
    bool in_block =
        event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE || event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE;
    size_t quotes = node->plain ? 0 : 2;
    node->on_one_line = !in_block && event->start_mark.line == event->end_mark.line &&
                        event->end_mark.index - event->start_mark.index == text_characters(text, length) + quotes;
    return node;
}

static struct node *node_of_alias(struct loader *loader, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    struct source_mark mark = mark_of(loader, event->start_mark, event->end_mark);
    for (size_t i = loader->anchor_count; i-- > 0;) {
        if (strcmp(loader->anchors[i].name, name) != 0)
            continue;
        if (loader->anchors[i].node)
            return loader->anchors[i].node;
        problem_add(loader->problems, PROBLEM_BAD_ALIAS, mark, "'*%s' stands inside what it names", name);
        return NULL;
    }
    problem_say(loader->problems, PROBLEM_BAD_ALIAS, mark, "a text that begins with '*' needs quotes",
                "there is no anchor '&%s' before this alias", name);
    return NULL;
}

/* --- putting nodes together --- */

/* Counts the nodes that come with a node; false when the tree gets too deep or too large. */
static bool within_limits(struct loader *loader, const struct node *node)
{
    loader->nodes += node->weight;
    if (loader->depth + node->height >= LOAD_DEPTH)
        problem_add(loader->problems, PROBLEM_TOO_MUCH, node->mark, "this is nested more than %d levels deep",
                    LOAD_DEPTH);
    else if (loader->nodes > LOAD_NODES)
        problem_add(loader->problems, PROBLEM_TOO_MUCH, node->mark,
                    "from here on the file holds more than %d values, aliases filled in", LOAD_NODES);
    else if (loader->anchor_count > LOAD_ANCHORS)
        problem_add(loader->problems, PROBLEM_TOO_MUCH, node->mark, "the file has more than %d anchors", LOAD_ANCHORS);
    else
        return true;
    return false;
}

static void refuse_key(struct loader *loader, const struct node *node)
{
    loader->incomplete = true;
    if (node->kind != NODE_SCALAR)
        problem_hint(
            problem_add(loader->problems, PROBLEM_BAD_KEY, node->mark, "%s can't be a key", node_show(node).text),
            "a text that begins with '%c' needs quotes", node->kind == NODE_LIST ? '[' : '{');
    else if (!*node->text)
        problem_add(loader->problems, PROBLEM_BAD_KEY, node->mark, "a key can't be empty");
    else
        problem_say(loader->problems, PROBLEM_BAD_KEY, node->mark,
                    "write the keys out, or let an alias stand for a whole map",
                    "merge keys ('<<') are not part of YAML 1.2 and not used here");
}

static void place_key(struct loader *loader, struct open_node *frame, const struct node *node)
{
    frame->has_key = true;
    frame->pending = (struct entry){.mark = node->mark};
    if (node->kind != NODE_SCALAR || !*node->text || (node->plain && strcmp(node->text, "<<") == 0))
        refuse_key(loader, node);
    else
        frame->pending.key = node->text;
}

static void place_value(struct loader *loader, struct open_node *frame, struct node *node)
{
    bool is_map = frame->node->kind == NODE_MAP;
    warn_of_older_yaml(loader, node);
    frame->has_key = false;
    if (is_map && !frame->pending.key)
        return;
    struct entry entry = is_map ? frame->pending : (struct entry){.mark = node->mark};
    entry.node = node;
    MEM_GROW(loader->waiting, loader->waiting_capacity, loader->waiting_count + 1);
    loader->waiting[loader->waiting_count++] = entry;
    if (frame->node->height < node->height + 1)
        frame->node->height = node->height + 1;
}

/* Gives a finished node to the frame around it, or makes it the root. */
static void place_node(struct loader *loader, struct node *node)
{
    struct open_node *frame = loader->depth ? &loader->frames[loader->depth - 1] : NULL;
    if (!frame)
        loader->tree->root = node;
    else if (frame->node->kind == NODE_MAP && !frame->has_key)
        place_key(loader, frame, node);
    else
        place_value(loader, frame, node);
}

static bool open_frame(struct loader *loader, const yaml_event_t *event)
{
    bool is_map = event->type == YAML_MAPPING_START_EVENT;
    struct node *node = new_node(loader, is_map ? NODE_MAP : NODE_LIST, event);
    const unsigned char *anchor = is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    refuse_tag(loader, is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag, node->mark);
    if (!within_limits(loader, node))
        return false;
    loader->frames[loader->depth++] = (struct open_node){.node = node,
                                                         .line = event->start_mark.line,
                                                         .counted = loader->nodes,
                                                         .first = loader->waiting_count,
                                                         .anchor = remember_anchor(loader, anchor, NULL)};
    return true;
}

static void report_duplicate(struct loader *loader, const struct entry *entry, const struct entry *first)
{
    struct problem *problem =
        problem_add(loader->problems, PROBLEM_DUPLICATE_KEY, entry->mark, "'%s' is given twice", entry->key);
    if (first->mark.option)
        problem_hint(problem, "the first is at column %u", first->mark.column);
    else
        problem_hint(problem, "the first is at line %u, column %u", first->mark.line, first->mark.column);
}

/* Drops keys that were given before in the same map. (Two different keys of one hash are taken as different, so at
 * worst a duplicate goes unseen and its first value counts.) */
static void drop_duplicates(struct loader *loader, struct open_node *frame)
{
    struct map seen = {0};
    size_t kept = frame->first;
    for (size_t i = frame->first; i < loader->waiting_count; i++) {
        struct entry entry = loader->waiting[i];
        const struct entry *first = map_get(&seen, hash_text(entry.key));
        if (first && strcmp(first->key, entry.key) == 0) {
            report_duplicate(loader, &entry, first);
            continue;
        }
        loader->waiting[kept] = entry;
        map_put(&seen, hash_text(entry.key), &loader->waiting[kept++]);
    }
    loader->waiting_count = kept;
    map_fini(&seen);
}

static void close_frame(struct loader *loader, const yaml_event_t *event)
{
    struct open_node *frame = &loader->frames[--loader->depth];
    struct node *node = frame->node;
    if (node->kind == NODE_MAP)
        drop_duplicates(loader, frame);
    node->weight = 1 + loader->nodes - frame->counted;
    node->count = (uint32_t)(loader->waiting_count - frame->first);
    if (node->count)
        node->entries =
            arena_copy(&loader->tree->memory, &loader->waiting[frame->first], node->count * sizeof(struct entry));
    loader->waiting_count = frame->first;
    if (event->end_mark.line == frame->line)
        node->mark.end_column = (uint32_t)event->end_mark.column + 1 + loader->source.column_shift;
    if (frame->anchor)
        loader->anchors[frame->anchor - 1].node = node;
    place_node(loader, node);
}

static bool take_leaf(struct loader *loader, struct node *node)
{
    if (!node || !within_limits(loader, node))
        return false;
    place_node(loader, node);
    return true;
}

static bool open_document(struct loader *loader, const yaml_event_t *event)
{
    if (!loader->tree->root)
        return true;
    problem_say(loader->problems, PROBLEM_SECOND_DOCUMENT, mark_of(loader, event->start_mark, event->end_mark),
                "one file holds one experiment", "a second document begins here");
    return false;
}

/* One event. False: the tree is not to be had. */
static bool take_event(struct loader *loader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return open_document(loader, event);
    case YAML_SCALAR_EVENT:
        return take_leaf(loader, scalar_node(loader, event));
    case YAML_ALIAS_EVENT:
        return take_leaf(loader, node_of_alias(loader, event));
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return open_frame(loader, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_frame(loader, event);
        return true;
    default:
        return true;
    }
}

/* The byte at a place is '\0' behind the text's end. */
static struct syntax_place place_of(struct loader *loader, const char *what, yaml_mark_t mark)
{
    return (struct syntax_place){.what = what ? what : "",
                                 .mark = mark_of(loader, mark, mark),
                                 .byte = loader->text[place_at(loader, mark).offset]};
}

static bool read_events(struct loader *loader)
{
    yaml_event_t event;
    for (bool more = true; more;) {
        if (!yaml_parser_parse(&loader->parser, &event)) {
            const yaml_parser_t *parser = &loader->parser;
            if (parser->error == YAML_MEMORY_ERROR)
                mem_fail("libyaml");
            syntax_report(loader->problems, place_of(loader, parser->problem, parser->problem_mark),
                          place_of(loader, parser->context, parser->context_mark));
            return false;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        bool fine = take_event(loader, &event);
        yaml_event_delete(&event);
        if (!fine)
            return false;
    }
    return true;
}

bool load_tree(const char *text, size_t length, struct load_source source, struct tree *tree, struct problems *problems)
{
    struct loader *loader = MEM_NEW(struct loader);
    loader->text = text;
    loader->length = length;
    loader->source = source;
    loader->tree = tree;
    loader->problems = problems;
    if (!yaml_parser_initialize(&loader->parser))
        mem_fail("libyaml"); /* it fails for nothing else */
    yaml_parser_set_encoding(&loader->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&loader->parser, (const unsigned char *)text, length);
    bool fine = read_events(loader) && !loader->incomplete;
    yaml_parser_delete(&loader->parser);
    free(loader->waiting);
    free(loader->anchors);
    free(loader);
    return fine;
}
