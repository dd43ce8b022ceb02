/* Which trials ended, in the order in which the strategy was told; see ends.h. */
#include "scheduler/store/ends.h"

#include <string.h>

int ends_add(struct ends *ends, uint64_t told, uint64_t trial, struct db *db, struct err *err)
{
    if (ends->count == ENDS_MOST && ends_write(ends, db, err))
        return -1;
    if (!ends->count)
        ends->first = told;
    ends->last = told;
    char *at = &ends->trials[ends->length];
    *at++ = ends->count++ ? ',' : '[';
    ends->length = (size_t)(whole_put(at, trial) - ends->trials);
    return 0;
}

int ends_write(struct ends *ends, struct db *db, struct err *err)
{
    if (!ends->count)
        return 0;
    memcpy(&ends->trials[ends->length], "]", 2);
    struct query query = QUERY(db, STATEMENT_PUT_ENDS, PUT(ends->first), PUT(ends->last), put_text(ends->trials));
    ends_forget(ends);
    return query_run(&query, err);
}

void ends_forget(struct ends *ends)
{
    ends->count = 0;
    ends->length = 0;
}
