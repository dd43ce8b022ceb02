/* The types that keys have. */
#ifndef GANNET_SCHEDULER_SPEC_TYPE_H
#define GANNET_SCHEDULER_SPEC_TYPE_H

#include "scheduler/spec/key.h"

/* Numbers (type_number.c). */
extern const struct key_type type_whole;    /* uint32_t or, when the row's max is larger, uint64_t */
extern const struct key_type type_gpus;     /* uint32_t how many, and a double: the part of one; type_gpus.c */
extern const struct key_type type_mps;      /* enum mps_rule; type_gpus.c */
extern const struct key_type type_number;   /* double, finite */
extern const struct key_type type_duration; /* double, in seconds */
extern const struct key_type type_bound;    /* the same as type_number; of a parameter */
extern const struct key_type type_positive; /* the same, above 0 */
extern const struct key_type type_size;     /* uint64_t, in bytes */
extern const struct key_type type_memory;   /* uint64_t, in bytes, or 0 for all there is; a flag says it was given */

/* How much more comes next (type_growth.c): struct growth. */
extern const struct key_type type_more_memory;
extern const struct key_type type_more_time;

/* Words (type_text.c). */
extern const struct key_type type_version; /* 1; not stored */
extern const struct key_type type_text;    /* char * */
extern const struct key_type type_name;    /* char *, fit for a directory's name */
extern const struct key_type type_path;    /* char *, made absolute */
extern const struct key_type type_label;  /* char *: a word, number or text as it is written; a list joined by commas */
extern const struct key_type type_switch; /* bool */
extern const struct key_type type_flag;   /* the same; written where it is true */
extern const struct key_type type_word;   /* an enum: the word's place in the row's words */
extern const struct key_type type_either; /* bool: whether it is the second of two words */
extern const struct key_type type_interface; /* char *: the name of one, or a subnet; type_network.c */
extern const struct key_type type_ports;     /* struct spec_ports; type_network.c */

/* Several (type_list.c). */
extern const struct key_type type_texts;    /* char **, and a uint32_t count */
extern const struct key_type type_command;  /* the same: argv; a text is given to the shell */
extern const struct key_type type_settings; /* struct setting *, and a uint32_t count */
extern const struct key_type type_object;   /* json_t * */

/* Sections (type_section.c, and where the work is done). */
extern const struct key_type type_section;
extern const struct key_type type_metric;     /* a section, or a list of such: type_section.c */
extern const struct key_type type_strategy;   /* a section, or a text: its name */
extern const struct key_type type_early_stop; /* json_t *: a name, or a map of a name and its options; type_stop.c */
extern const struct key_type type_checkpoint; /* enum checkpoint_rule: true, false or auto; type_stop.c */
extern const struct key_type
    type_metrics_from; /* json_t *: "stdout", or a map of file and pattern; type_metrics_from.c */
extern const struct key_type type_operations;  /* json_t *: names of operations; type_profile.c */
extern const struct key_type type_steps;       /* struct spec_steps; type_profile.c */
extern const struct key_type type_persistent;  /* struct spec_persistent; type_persistent.c */
extern const struct key_type type_config;      /* json_t *: a map, or the name of a file with one; type_config.c */
extern const struct key_type type_later;       /* anything; for rows that are KEY_LATER */
extern const struct key_type type_parameters;  /* the space; parameters.c */
extern const struct key_type type_constraints; /* of the space */
extern const struct key_type type_start;       /* char **, and a uint32_t count: JSON objects */
extern const struct key_type type_sources;     /* struct spec_source *, and a uint32_t count; type_sources.c */

/* Keys of a parameter (type_param.c); owner: struct draft. */
extern const struct key_type type_scalar;  /* any value: node only */
extern const struct key_type type_scalars; /* a list of values: node only */
extern const struct key_type type_weights; /* a list of numbers: node only */
extern const struct key_type type_when;    /* a map of parameters to values: node only */

/* The longest name of an experiment; it names a directory, too. */
enum { TYPE_LONGEST_NAME = 63 };

/* Of values that are texts with a count, or JSON: what types have in common. */
void type_fini_text(const struct key *key, void *owner);
void type_fini_texts(const struct key *key, void *owner);
void type_fini_object(const struct key *key, void *owner);
void type_set_object(const struct key *key, void *owner, json_t *object);  /* takes it over; frees the one before */
json_t *type_json_of_map(struct reading *reading, const struct node *map); /* NULL: a problem was reported */
#define TEXTS_SCHEMA "{'type': 'array', 'items': {'type': 'string'}}"

#endif
