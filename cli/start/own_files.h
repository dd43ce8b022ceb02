/* Files that a program writes where its options say: trials run side by side and one after the other, so each is to
 * write its own, in its directory. */
#ifndef GANNET_CLI_START_OWN_FILES_H
#define GANNET_CLI_START_OWN_FILES_H

#include "common/texts.h"

#include <jansson.h>

/* What a program's words become, as texts of an experiment file. */
struct own_files {
    struct texts words;  /* of the command */
    struct texts places; /* "${trial.dir}/model.pt": no two options have the same file */
    struct texts said;   /* "--out model.pt": what was another place, in the same order */
    struct texts filled; /* those of them where something lies already, which the program might read */
    struct texts kept;   /* "--log-file app.log": what lies there already and stays, since it may be an input */
};

void own_files_fini(struct own_files *files); /* {0} is fine */

/* Adds the words that a person typed; those that say where the program writes are changed. `options` (user_program.h)
 * tell what is a switch, whose next word is no value of it. */
void own_files_add(struct own_files *files, const struct texts *words, const json_t *options);

/* Adds the options (user_program.h) that are not among the words and whose default is a file that the program writes.
 */
void own_files_add_defaults(struct own_files *files, const struct texts *words, const json_t *options);

#endif
