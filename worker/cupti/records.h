/* Reads the records in a buffer of CUPTI's. */
#ifndef GANNET_WORKER_CUPTI_RECORDS_H
#define GANNET_WORKER_CUPTI_RECORDS_H

#include "worker/cupti/cupti.h"
#include "worker/cupti/sums.h"

/* Adds those of the first `used` bytes. A record that reaches beyond them, or lies before the one that came before it,
 * is lost with all behind it; one of an unknown kind is passed over. */
void records_add(const struct cupti *cupti, uint8_t *buffer, size_t used, struct cupti_sums *sums);

#endif
