/* A dataset as one file, which processes map and read where it lies:
 *
 *     header          struct packed_header
 *     what it is of   a text (copy.h)
 *     zeros           up to a page
 *     x[N, I]         floats, split and scaled
 *     zeros           up to 64 bytes
 *     labels[N]       int32, or targets[N], floats
 *     lengths[N]      int32, of sequences that differ in length
 *
 * Numbers are those of the machine. The places of all parts follow from the header's counts. Any bytes may come: what
 * is no such file is refused with the byte. */
#ifndef GANNET_WORKER_DATA_PACKED_H
#define GANNET_WORKER_DATA_PACKED_H

#include "worker/data/dataset.h"

enum { PACKED_VERSION = 2, PACKED_LONGEST_TEXT = 1 << 24 /* bytes of what it is of */ };

struct packed_header {
    char magic[8];     /* PACKED_MAGIC, without the zero behind it */
    uint32_t version;  /* PACKED_VERSION */
    uint32_t order;    /* PACKED_ORDER: the order of bytes */
    uint64_t length;   /* of the file */
    uint64_t text;     /* bytes of what it is of */
    uint64_t scaling;  /* enum dataset_scaling, which has been done */
    uint64_t type;     /* what is learned: 0: labels, 1: targets */
    uint64_t count;    /* examples */
    uint64_t training; /* of which so many are to train with */
    uint64_t inputs;   /* of an example */
    uint64_t classes;  /* 0 with targets */
    uint64_t rank;     /* of an example's shape, */
    uint64_t size[3];  /* and its sizes */
    uint64_t steps;    /* of lengths; 0: there are none */
    uint64_t contents; /* hash of all bytes behind the text (common/pack.h) */
    uint64_t header;   /* the same of this header, where this is 0, and of the text */
};

#define PACKED_MAGIC "gannetPD"
#define PACKED_ORDER 0x01020304u

/* Bytes of a dataset's file; 0 when 64 bits don't hold them. */
uint64_t packed_length(const struct dataset *data, size_t text);

/* Writes it to an empty file. -1 with a sentence; a full filesystem's names what is needed. */
int packed_write(int fd, const struct dataset *data, enum dataset_scaling scaling, const char *text, struct err *err);

/* Maps a file, checks all of it, and points `data`, which is empty, into it; `name` is for sentences. data->map and
 * data->map_length are what to unmap. -1 with a sentence that says which byte is wrong, or that it is of something else
 * than `text`. */
int packed_map(int fd, const char *name, const char *text, struct dataset *data, struct err *err);

#endif
