/* What the files of the screen trials share. */
#ifndef GANNET_CLI_SCREEN_TRIALS_PARTS_H
#define GANNET_CLI_SCREEN_TRIALS_PARTS_H

#include "cli/screen/screen.h"
#include "cli/view/columns.h"

/* Rows above the table's first: what is listed, and the heads of the columns. */
enum { TRIALS_ABOVE = 2, TITLES_MOST = 64 };

/* Titles of columns in their order: "trial", "param.lr"; "left" and "trend" are columns of ours. */
struct titles {
    char *items[TITLES_MOST];
    size_t count;
};

/* Those that are shown: chosen ones, else the usual ones and all parameters. */
void titles_find(const struct model *model, struct titles *out);
void titles_fini(struct titles *titles);

/* "param.lr" as a column; its name is that of the title. */
struct trial_column title_column(const char *title);

/* The title of a name that was typed, among those that there are: as it is, or behind a prefix. NULL: there is none. */
const char *title_named(const struct model *model, const char *name);

/* Whether trials may be ordered by it, and whether they are. */
bool title_may_order(const char *title);
bool title_is_order(const struct view *view, const char *title);

/* The trial of a row, borrowed; NULL: it has not come. How many rows there are. The number of the chosen one. */
json_t *trials_row(const struct model *model, uint64_t row);
uint64_t trials_count(const struct model *model);
uint64_t trials_chosen(const struct model *model);

void trials_draw(struct model *model, struct canvas *canvas, struct area area);

#endif
