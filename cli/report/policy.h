/* What a content security policy names of a script or style: its hash. */
#ifndef GANNET_CLI_REPORT_POLICY_H
#define GANNET_CLI_REPORT_POLICY_H

#include "common/buf.h"

/* Adds 'sha256-...' of a text as it stands between the tags. */
void policy_hash(const char *text, struct buf *out);

#endif
