/* An experiment file that gannet writes for a person to go on from: what was found out about a program, or what another
 * tool's files say, with a comment wherever the person should look. What could not be taken over stays in the file as a
 * comment. */
#ifndef GANNET_CLI_START_SKETCH_H
#define GANNET_CLI_START_SKETCH_H

#include "common/buf.h"
#include "common/texts.h"

#include <jansson.h>
#include <stdbool.h>

/* The texts and JSON values are its own. */
struct sketch {
    char *name;          /* of the experiment, and of its file: NAME.yaml */
    char *made_by;       /* "gannet init --from train.py" */
    char *base;          /* the directory that its paths start from; NULL: that of the file */
    json_t *trial;       /* the keys of `trial` */
    struct texts *aside; /* comments behind `trial`, `metric` and the limits, by enum sketch_place */
    json_t *metric;      /* an object, or an array of such */
    json_t *parameters;  /* an array of {name, keys, comment}: `keys` as the file has them, `comment` a text or none */
    json_t *more;        /* further keys of the file: limits, start, strategy ... */
    struct texts moved;  /* "--out model.pt: ${trial.dir}/model.pt": files that each trial writes for itself */
    struct texts kept;   /* "--log-file app.log": files that are there, which the program may read or write */
    struct texts left;   /* sentences about what the person's other file or program has, and this file has not */
};

enum sketch_place { SKETCH_TRIAL, SKETCH_METRIC, SKETCH_MORE, SKETCH_PLACES };

/* A sketch of nothing, its name made of `called`: a path or any text. */
void sketch_init(struct sketch *sketch, const char *called, const char *made_by);
void sketch_fini(struct sketch *sketch); /* {0} is fine */

/* Adds a parameter; takes over `keys` (an object of the parameter's keys, or an array of choices). False when there is
 * one of that name, or of one that differs in marks only; then it is left. */
bool sketch_add(struct sketch *sketch, const char *name, json_t *keys, const char *comment);

/* Adds a comment behind a part of the file; and a sentence about something left out, as the end of the file has them.
 */
void sketch_say(struct sketch *sketch, enum sketch_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sketch_leave(struct sketch *sketch, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The experiment file as YAML with comments. */
void sketch_write(const struct sketch *sketch, struct buf *out);

/* A text as the name of a parameter or an experiment: what no name may have becomes '_'. free() it. */
char *sketch_parameter_name(const char *text);
char *sketch_experiment_name(const char *text);

#endif
