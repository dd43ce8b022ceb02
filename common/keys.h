/* CURVE keys in files: 0600, owned by us, in a 0700 directory, never followed through a link. A process that makes or
 * reads one leaves no core dump (dump.h). */
#ifndef GANNET_COMMON_KEYS_H
#define GANNET_COMMON_KEYS_H

#include "common/err.h"

enum { KEY_TEXT = 41 }; /* a key in Z85 text, as ZeroMQ writes it, with its zero */

struct key_pair {
    char public[KEY_TEXT], secret[KEY_TEXT];
};

/* Makes a new pair (libsodium or tweetnacl, through ZeroMQ). -1 with a sentence. */
int keys_make(struct key_pair *pair, struct err *err);

/* Writes a pair to a new file (it must not exist), 0600. The directory must be 0700 and ours. */
int keys_write(const char *path, const struct key_pair *pair, struct err *err);

/* Reads one, refusing files that others may read, that are not ours, or that are links; the sentence says how to
 * put that right. */
int keys_read(const char *path, struct key_pair *pair, struct err *err);

/* Overwrites the pair in memory. */
void keys_wipe(struct key_pair *pair);

#endif
