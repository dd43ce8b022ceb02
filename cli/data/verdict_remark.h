/* What limits that were measured say about a verdict: how much of the time that went into sums over ranks, checkpoints
 * or data their ranks and disks need at least. */
#ifndef GANNET_CLI_DATA_VERDICT_REMARK_H
#define GANNET_CLI_DATA_VERDICT_REMARK_H

#include "common/buf.h"
#include "scheduler/verdict/verdict.h"

#include <jansson.h>

/* Adds "; at best its sums take 0.4 s of these 3.1 s" to the sentence of a trial as gannet show --json has it; nothing
 * where that is not known. */
void verdict_remark(enum verdict_kind kind, const json_t *trial, struct buf *out);

#endif
