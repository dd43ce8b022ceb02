/* The keys of an experiment file: one table (key_table.c) that the reader, the checks, the suggestions, the schema, the
 * documentation and spec_write all go by. A row has a path, a type, a range or words, a default and a help text; what a
 * type reads, writes and says about itself is in type_*.c. */
#ifndef GANNET_SCHEDULER_SPEC_KEY_H
#define GANNET_SCHEDULER_SPEC_KEY_H

#include "scheduler/spec/tree.h"

#include <jansson.h>

struct key;

/* A file on its way to become a spec. */
struct reading {
    struct problems *problems;
    struct spec *spec;
    const struct node *root;
    const char *base;         /* the file's directory, absolute: where a relative `base:` starts */
    struct source_mark place; /* of the key whose value is being read */
    const char *parameter;    /* while the keys of a parameter are read: its name ... */
    const struct node *map;   /* ... and its map */
};

/* The nodes that a type looks at; all others are refused with a sentence. */
enum key_takes {
    TAKES_NULL = 1 << SCALAR_NULL,
    TAKES_SWITCH = 1 << SCALAR_BOOL,
    TAKES_NUMBER = 1 << SCALAR_INT | 1 << SCALAR_REAL,
    TAKES_TEXT = 1 << SCALAR_TEXT,
    TAKES_LIST = TAKES_TEXT << 1,
    TAKES_MAP = TAKES_TEXT << 2,
    TAKES_ANY = (TAKES_TEXT << 3) - 1
};

/* A kind of value. `owner` is the struct that key->offset counts in: struct spec, or struct draft for the keys of a
 * parameter. */
struct key_type {
    const char *words; /* for sentences: "a whole number" */
    unsigned takes;    /* enum key_takes */
    /* Stores the value of `node`, or reports why it can't. */
    void (*read)(struct reading *reading, const struct key *key, const struct node *node, void *owner);
    /* Adds the value as YAML on one line; false, and nothing added, when none is stored. NULL: it is
     * a section, or says nothing. */
    bool (*write)(const struct key *key, const void *owner, struct buf *out);
    const char *schema; /* what a JSON Schema says about it, without description and default, as JSON with ' for " */
    json_t *(*make_schema)(const struct key *key); /* the same where the row or other tables matter; `schema` is NULL */
    const char *hint;                              /* of reals: what to write instead of another number */
    void (*fini)(const struct key *key, void *owner); /* frees the value; NULL: it owns nothing */
};

enum key_flags {
    KEY_REQUIRED = 1,
    KEY_ON_RESUME = 2, /* may differ when an experiment is resumed */
    KEY_LATER = 4,     /* its work comes later: refused, with the sentence in `later` */
    /* Which forms of a parameter have the key. */
    KEY_IN_RANGE = 8,
    KEY_IN_CHOICE = 16,
    KEY_IN_NORMAL = 32,
    KEY_IN_CONSTANT = 64,
    KEY_IN_ANY = KEY_IN_RANGE | KEY_IN_CHOICE | KEY_IN_NORMAL | KEY_IN_CONSTANT
};

struct key {
    const char *path; /* "limits.max_trials"; of a parameter's keys: "parameters.*.min" */
    const struct key_type *type;
    unsigned flags;
    size_t offset;             /* where the value is stored, or KEY_NOWHERE */
    size_t also;               /* of a flag that says it was given, or of a count; or KEY_NOWHERE */
    double min, max;           /* whole numbers, durations, sizes: the range; texts: the least bytes */
    const char *const *words;  /* the valid ones, NULL at the end */
    const char *default_value; /* the default, as YAML; NULL: none */
    const char *default_words; /* the default in words, where it depends on something */
    const char *later;         /* what comes later, as a sentence after "...: " */
    const char *help;          /* for the schema and the documentation */
};

/* The first member of either owner is not a key's. */
#define KEY_NOWHERE                         ((size_t)0)
#define KEY_AT(key_owner, key_offset, type) ((type *)(void *)((char *)(key_owner) + (key_offset)))
#define KEY_AT_CONST(key_owner, key_offset, type)                                                                      \
    ((type const *)(const void *)((const char *)(key_owner) + (key_offset)))

extern const struct key key_table[];
extern const size_t key_count;

/* The section of a key ("limits", "" for keys at the top, "parameters.*") as a length of its path, and its last part.
 */
size_t key_section_length(const struct key *key);
const char *key_name(const struct key *key);

/* Whether a key stands in a section, and whether it belongs to one of these forms of a parameter (0: to any). */
bool key_is_in(const struct key *key, const char *section);
bool key_applies(const struct key *key, unsigned forms);

/* The next key of a section behind `before` (NULL: the first); NULL at the end. */
const struct key *key_next(const char *section, const struct key *before);

/* The key of that name in a section, or of that whole path; or NULL. */
const struct key *key_find(const char *section, const char *name);
const struct key *key_of_path(const char *path);

/* How a sentence calls a key: "'limits.max_trials'", "'min' of 'lr'". */
struct key_shown {
    char text[160];
};
struct key_shown key_show(const struct reading *reading, const struct key *key);

/* Reports that a node is not what the key takes. */
void key_refuse(struct reading *reading, const struct key *key, const struct node *node);

/* Reads a value by its type, if that takes such a node. */
void key_read(struct reading *reading, const struct key *key, const struct node *node, void *owner);

/* Reads a map by the rows of a section: each key by its type, defaults for those that are missing, problems for those
 * that don't exist, come later or are missing and required. `map` may be NULL: nothing was given; `place` is where to
 * report what is missing. `forms`: of a parameter, the KEY_IN_ flags that apply; 0 otherwise. */
void key_read_map(struct reading *reading, const char *section, unsigned forms, const struct node *map,
                  struct source_mark place, void *owner);

/* Reports two keys of a section of which only one can be given. */
void key_exclude(struct reading *reading, const char *section, const char *one, const char *other, const char *sentence,
                 const char *hint);

/* What a JSON Schema says about a key, without description and default. Caller: json_decref. */
json_t *key_schema(const struct key *key);

json_t *key_schema_of_words(const char *const *words); /* {"enum": words} */

/* The object schema of a section, from the rows of its keys. `forms`: of a parameter, the KEY_IN_ flag. */
json_t *key_schema_of_section(const char *section, unsigned forms);

/* Frees what the values of all keys of a spec own. */
void key_fini_all(struct spec *spec);

#endif
