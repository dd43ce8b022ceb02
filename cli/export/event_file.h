/* What TensorBoard reads: records with checksums (TFRecord), and in them events in the encoding of Protocol Buffers, of
 * which there is as much here as events need.
 *
 * A record is the length of its bytes (8 bytes, lowest first), a masked CRC-32C of these, the bytes, and a masked
 * CRC-32C of them (tensorflow/core/lib/io/record_writer.h). Fields of messages are written in any order: a message that
 * is a field of another one is made first. */
#ifndef GANNET_CLI_EXPORT_EVENT_FILE_H
#define GANNET_CLI_EXPORT_EVENT_FILE_H

#include "common/buf.h"

#include <stdint.h>

/* Adds a field of a message: a whole number, a double, a float, bytes, a text, a message (which it empties). */
void field_whole(struct buf *message, unsigned field, uint64_t number);
void field_double(struct buf *message, unsigned field, double number);
void field_float(struct buf *message, unsigned field, float number);
void field_text(struct buf *message, unsigned field, const char *text);
void field_message(struct buf *message, unsigned field, struct buf *inner);

/* CRC-32C (Castagnoli; RFC 3720, appendix B.4), and as records have it. */
uint32_t crc32c(const void *bytes, size_t length);
uint32_t crc32c_masked(const void *bytes, size_t length);

/* Adds a record, whose bytes it empties. */
void record_add(struct buf *out, struct buf *record);

/* Adds the record that each file begins with. */
void event_first(struct buf *out, double wall_time);

/* Adds an event with one value: a number of a curve at a step; or what the plugin of HParams is told (`content`, which
 * it empties) under a tag. */
void event_scalar(struct buf *out, double wall_time, int64_t step, const char *tag, double value);
void event_hparams(struct buf *out, double wall_time, const char *tag, struct buf *content);

#endif
