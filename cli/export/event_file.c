/* Records and events for TensorBoard; see event_file.h. The numbers of fields are those of event.proto and
 * summary.proto (tensorboard/compat/proto). */
#include "cli/export/event_file.h"

#include <string.h>

/* --- messages --- */

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

static void add_varint(struct buf *message, uint64_t number)
{
    do {
        unsigned char byte = (unsigned char)((number & 127) | (number > 127 ? 128 : 0));
        buf_add(message, &byte, 1);
        number >>= 7;
    } while (number);
}

/* The lowest byte first, whatever the machine. */
static void add_fixed(struct buf *message, uint64_t bits, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned char byte = (unsigned char)(bits >> (8 * i));
        buf_add(message, &byte, 1);
    }
}

static void add_key(struct buf *message, unsigned field, enum wire wire)
{
    add_varint(message, (uint64_t)field << 3 | wire);
}

void field_whole(struct buf *message, unsigned field, uint64_t number)
{
    add_key(message, field, WIRE_VARINT);
    add_varint(message, number);
}

void field_double(struct buf *message, unsigned field, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    add_key(message, field, WIRE_64);
    add_fixed(message, bits, sizeof bits);
}

void field_float(struct buf *message, unsigned field, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    add_key(message, field, WIRE_32);
    add_fixed(message, bits, sizeof bits);
}

static void field_bytes(struct buf *message, unsigned field, const void *bytes, size_t length)
{
    add_key(message, field, WIRE_BYTES);
    add_varint(message, length);
    buf_add(message, bytes, length);
}

void field_text(struct buf *message, unsigned field, const char *text)
{
    field_bytes(message, field, text, strlen(text));
}

void field_message(struct buf *message, unsigned field, struct buf *inner)
{
    field_bytes(message, field, buf_str(inner), inner->length);
    buf_fini(inner);
    *inner = (struct buf){0};
}

/* --- records --- */

uint32_t crc32c(const void *bytes, size_t length)
{
    /* The remainders of four bits, the polynomial being 0x82f63b78 (its highest power first). */
    static const uint32_t remainders[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                            0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                            0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    const unsigned char *byte = bytes;
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < length; i++) {
        crc ^= byte[i];
        crc = crc >> 4 ^ remainders[crc & 15];
        crc = crc >> 4 ^ remainders[crc & 15];
    }
    return ~crc;
}

uint32_t crc32c_masked(const void *bytes, size_t length)
{
    uint32_t crc = crc32c(bytes, length);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

void record_add(struct buf *out, struct buf *record)
{
    size_t start = out->length;
    add_fixed(out, record->length, 8);
    add_fixed(out, crc32c_masked(out->data + start, 8), 4);
    buf_add(out, buf_str(record), record->length);
    add_fixed(out, crc32c_masked(buf_str(record), record->length), 4);
    buf_fini(record);
    *record = (struct buf){0};
}

/* --- events --- */

enum { EVENT_WALL_TIME = 1, EVENT_STEP = 2, EVENT_VERSION = 3, EVENT_SUMMARY = 5 };
enum { SUMMARY_VALUE = 1, VALUE_TAG = 1, VALUE_SIMPLE = 2, VALUE_TENSOR = 8, VALUE_METADATA = 9 };
enum { METADATA_PLUGIN = 1, PLUGIN_NAME = 1, PLUGIN_CONTENT = 2 };

void event_first(struct buf *out, double wall_time)
{
    struct buf event = {0};
    field_double(&event, EVENT_WALL_TIME, wall_time);
    field_text(&event, EVENT_VERSION, "brain.Event:2");
    record_add(out, &event);
}

static void add_value(struct buf *out, double wall_time, int64_t step, struct buf *value)
{
    struct buf event = {0}, summary = {0};
    field_message(&summary, SUMMARY_VALUE, value);
    field_double(&event, EVENT_WALL_TIME, wall_time);
    if (step)
        field_whole(&event, EVENT_STEP, (uint64_t)step);
    field_message(&event, EVENT_SUMMARY, &summary);
    record_add(out, &event);
}

void event_scalar(struct buf *out, double wall_time, int64_t step, const char *tag, double value)
{
    struct buf message = {0};
    field_text(&message, VALUE_TAG, tag);
    field_float(&message, VALUE_SIMPLE, (float)value);
    add_value(out, wall_time, step, &message);
}

void event_hparams(struct buf *out, double wall_time, const char *tag, struct buf *content)
{
    /* A tensor of no numbers, as TensorBoard's own writer has it: DT_FLOAT, of shape (0). */
    static const unsigned char no_numbers[] = {0x08, 0x01, 0x12, 0x02, 0x12, 0x00};
    struct buf message = {0}, metadata = {0}, plugin = {0};
    field_text(&plugin, PLUGIN_NAME, "hparams");
    field_message(&plugin, PLUGIN_CONTENT, content);
    field_message(&metadata, METADATA_PLUGIN, &plugin);
    field_text(&message, VALUE_TAG, tag);
    field_bytes(&message, VALUE_TENSOR, no_numbers, sizeof no_numbers);
    field_message(&message, VALUE_METADATA, &metadata);
    add_value(out, wall_time, 0, &message);
}
