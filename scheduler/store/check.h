/* Whether a store holds what a search can go on from. */
#ifndef GANNET_SCHEDULER_STORE_CHECK_H
#define GANNET_SCHEDULER_STORE_CHECK_H

#include "scheduler/store/reader_state.h"

/* Looks through the checks of check_list.h, within the caller's transaction; about a second for a million trials. -1,
 * or STORE_DAMAGED with a sentence that names the file, the table, the row, what is there and what is expected. */
int check_rows(struct db *db, struct err *err);

#endif
