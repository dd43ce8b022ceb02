/* What a function of the reading half gives, as the text of an answer; see query.h. A file of its own: tests of the
 * service have a read_run of their own. */
#include "scheduler/coordinator/query.h"

char *read_text(struct reader *reader, const json_t *arguments, struct err *err)
{
    json_t *json = read_run(reader, arguments, err);
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    if (json && !text)
        err_write(err, "read: what the store says can't be written as JSON");
    json_decref(json);
    return text;
}
