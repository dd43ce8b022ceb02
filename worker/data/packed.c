/* Packed datasets; see packed.h. */
#include "worker/data/packed.h"

#include "common/pack.h"
#include "common/path.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, LINE = 64 };

static_assert(sizeof(struct packed_header) == 136, "a header without holes");

/* --- where everything is --- */

/* The places that follow from a header's counts. */
struct packed_layout {
    uint64_t x, y, lengths, end;
};

/* The next multiple of `unit`; false when 64 bits don't hold it. */
static bool round_up(uint64_t *at, uint64_t unit)
{
    return !__builtin_add_overflow(*at, (unit - *at % unit) % unit, at);
}

static bool lay_out(uint64_t text, uint64_t count, uint64_t inputs, uint64_t steps, struct packed_layout *out)
{
    uint64_t x_bytes, y_bytes;
    bool fits = !__builtin_add_overflow(text, sizeof(struct packed_header), &out->x) && round_up(&out->x, PAGE) &&
                !__builtin_mul_overflow(count, inputs, &x_bytes) &&
                !__builtin_mul_overflow(x_bytes, sizeof(float), &x_bytes) &&
                !__builtin_mul_overflow(count, sizeof(int32_t), &y_bytes) &&
                !__builtin_add_overflow(out->x, x_bytes, &out->y) && round_up(&out->y, LINE) &&
                !__builtin_add_overflow(out->y, y_bytes, &out->lengths) &&
                !__builtin_add_overflow(out->lengths, steps ? y_bytes : 0, &out->end);
    return fits && out->end <= INT64_MAX;
}

uint64_t packed_length(const struct dataset *data, size_t text)
{
    struct packed_layout layout;
    return lay_out(text, data->count, data->inputs, data->steps, &layout) ? layout.end : 0;
}

static uint64_t hash_header(const struct packed_header *header, const char *text)
{
    struct pack_hash hash = {0};
    struct packed_header unsigned_one = *header;
    unsigned_one.header = 0;
    pack_hash_add(&hash, &unsigned_one, sizeof unsigned_one);
    pack_hash_add(&hash, text, header->text);
    return pack_hash_value(&hash);
}

/* --- writing --- */

static const void *learned_of(const struct dataset *data)
{
    return data->targets ? (const void *)data->targets : data->labels;
}

static int write_part(int fd, const void *bytes, uint64_t length, struct pack_hash *hash)
{
    pack_hash_add(hash, bytes, length);
    return path_write_all(fd, bytes, length);
}

/* What is behind the text, which ends at byte `from`. */
static int write_contents(int fd, const struct dataset *data, uint64_t from, const struct packed_layout *layout,
                          struct pack_hash *hash)
{
    static const char zeros[PAGE];
    uint64_t x_bytes = (uint64_t)data->count * data->inputs * sizeof(float);
    return write_part(fd, zeros, layout->x - from, hash) || write_part(fd, data->x, x_bytes, hash) ||
                   write_part(fd, zeros, layout->y - layout->x - x_bytes, hash) ||
                   write_part(fd, learned_of(data), layout->lengths - layout->y, hash) ||
                   write_part(fd, data->lengths, layout->end - layout->lengths, hash)
               ? -1
               : 0;
}

static struct packed_header header_of(const struct dataset *data, enum dataset_scaling scaling, uint64_t text,
                                      uint64_t length)
{
    struct packed_header header = {.version = PACKED_VERSION,
                                   .order = PACKED_ORDER,
                                   .length = length,
                                   .text = text,
                                   .scaling = (uint64_t)scaling,
                                   .type = data->targets != NULL,
                                   .count = data->count,
                                   .training = data->training,
                                   .inputs = data->inputs,
                                   .classes = data->classes,
                                   .rank = (uint64_t)data->shape.rank,
                                   .steps = data->steps};
    memcpy(header.magic, PACKED_MAGIC, sizeof header.magic);
    for (int i = 0; i < 3; i++)
        header.size[i] = data->shape.size[i];
    return header;
}

int packed_write(int fd, const struct dataset *data, enum dataset_scaling scaling, const char *text, struct err *err)
{
    struct packed_layout layout;
    struct pack_hash contents = {0};
    uint64_t length = strlen(text);
    if (!lay_out(length, data->count, data->inputs, data->steps, &layout) || length > PACKED_LONGEST_TEXT)
        return err_set(err, "it is too large to be packed");
    struct packed_header header = header_of(data, scaling, length, layout.end);
    uint64_t from = sizeof header + length;
    if (lseek(fd, (off_t)from, SEEK_SET) < 0 || write_contents(fd, data, from, &layout, &contents))
        return err_errno(err, "can't write %.1f MiB", (double)layout.end / 0x1p20);
    header.contents = pack_hash_value(&contents);
    header.header = hash_header(&header, text);
    if (lseek(fd, 0, SEEK_SET) < 0 || path_write_all(fd, &header, sizeof header) || path_write_all(fd, text, length))
        return err_errno(err, "can't write its header");
    return 0;
}

/* --- reading --- */

/* One thing that a header must be. */
struct packed_rule {
    bool holds;
    size_t at; /* the byte that says otherwise */
    const char *what;
};

#define AT(field) offsetof(struct packed_header, field)

static bool is_shape(const struct packed_header *header)
{
    uint64_t inputs = 1;
    bool fits = header->rank <= 3;
    for (int i = 0; i < 3; i++) {
        bool used = fits && (uint64_t)i < header->rank;
        fits = fits && (used ? !__builtin_mul_overflow(inputs, header->size[i], &inputs) : !header->size[i]);
    }
    return fits && (!header->rank || inputs == header->inputs);
}

/* The first rule that does not hold, or NULL. */
static const char *break_rule(const struct packed_header *header, uint64_t length, size_t *at)
{
    struct packed_layout layout = {0};
    bool targets = header->type == 1,
         laid = header->text <= PACKED_LONGEST_TEXT &&
                lay_out(header->text, header->count, header->inputs, header->steps, &layout);
    const struct packed_rule rules[] = {
        {memcmp(header->magic, PACKED_MAGIC, sizeof header->magic) == 0, AT(magic), "is no file of packed data"},
        {header->version == PACKED_VERSION, AT(version), "is of another version of gannet"},
        {header->order == PACKED_ORDER, AT(order), "is of a machine with another order of bytes"},
        {header->length == length, AT(length), "is cut off, or longer than its header says"},
        {laid && layout.end == length, AT(count), "has not the length that its counts come to"},
        {header->scaling <= DATASET_STANDARD, AT(scaling), "has a scaling that there is not"},
        {header->type <= 1, AT(type), "holds neither labels nor numbers to be learned"},
        {header->training && header->training < header->count, AT(training), "has an empty part"},
        {header->inputs && header->inputs <= DATASET_MOST_INPUTS, AT(inputs), "has no possible number of inputs"},
        {targets ? !header->classes : header->classes >= 2 && header->classes <= INT32_MAX, AT(classes),
         "has no possible number of classes"},
        {!header->steps || (header->steps <= header->inputs && header->inputs % header->steps == 0), AT(steps),
         "has no possible number of steps"},
        {is_shape(header), AT(rank), "has a shape that is not that of its inputs"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!rules[i].holds) {
            *at = rules[i].at;
            return rules[i].what;
        }
    return NULL;
}

static int check_header(const struct packed_header *header, uint64_t length, const char *name, struct err *err)
{
    size_t at = 0;
    const char *wrong = break_rule(header, length, &at);
    if (wrong)
        return err_set(err, "%s: %s (byte %zu of its header)", name, wrong, at);
    if (hash_header(header, (const char *)(header + 1)) != header->header)
        return err_set(err, "%s: its header is damaged (bytes 0 to %llu)", name,
                       (unsigned long long)(sizeof *header + header->text - 1));
    return 0;
}

static int check_contents(const struct packed_header *header, const struct dataset *data, const char *name,
                          struct err *err)
{
    struct pack_hash hash = {0};
    const char *bytes = (const char *)header;
    uint64_t from = sizeof *header + header->text;
    pack_hash_add(&hash, bytes + from, header->length - from);
    if (pack_hash_value(&hash) != header->contents)
        return err_set(err, "%s: its contents are damaged (from byte %llu on)", name, (unsigned long long)from);
    for (size_t n = 0; data->labels && n < data->count; n++)
        if (data->labels[n] < 0 || (size_t)data->labels[n] >= data->classes)
            return err_set(err, "%s: byte %zu says class %d of %zu", name,
                           (size_t)((const char *)(data->labels + n) - bytes), data->labels[n], data->classes);
    for (size_t n = 0; data->lengths && n < data->count; n++)
        if (data->lengths[n] < 1 || (size_t)data->lengths[n] > data->steps)
            return err_set(err, "%s: byte %zu says %d steps of %zu", name,
                           (size_t)((const char *)(data->lengths + n) - bytes), data->lengths[n], data->steps);
    return 0;
}

static void point_into(const struct packed_header *header, const struct packed_layout *layout, struct dataset *data)
{
    char *bytes = data->map;
    data->count = header->count;
    data->training = header->training;
    data->inputs = header->inputs;
    data->classes = header->classes;
    data->shape.rank = (int)header->rank;
    for (int i = 0; i < 3; i++)
        data->shape.size[i] = header->size[i];
    data->x = (float *)(void *)(bytes + layout->x);
    if (header->type)
        data->targets = (float *)(void *)(bytes + layout->y);
    else
        data->labels = (int32_t *)(void *)(bytes + layout->y);
    data->steps = header->steps;
    if (header->steps)
        data->lengths = (int32_t *)(void *)(bytes + layout->lengths);
}

static int use_map(struct dataset *data, const char *name, const char *text, struct err *err)
{
    struct packed_layout layout;
    const struct packed_header *header = data->map;
    if (check_header(header, data->map_length, name, err))
        return -1;
    if (header->text != strlen(text) || memcmp(header + 1, text, header->text) != 0)
        return err_set(err, "%s: is of other data (byte %zu)", name, sizeof *header);
    lay_out(header->text, header->count, header->inputs, header->steps, &layout);
    point_into(header, &layout, data);
    return check_contents(header, data, name, err);
}

int packed_map(int fd, const char *name, const char *text, struct dataset *data, struct err *err)
{
    struct stat about;
    *data = (struct dataset){0};
    if (fstat(fd, &about))
        return err_errno(err, "%s: can't be looked at", name);
    if (!S_ISREG(about.st_mode) || (uint64_t)about.st_size < sizeof(struct packed_header))
        return err_set(err, "%s: ends at byte %lld, within its header", name, (long long)about.st_size);
    data->map_length = (size_t)about.st_size;
    data->map = mmap(NULL, data->map_length, PROT_READ, MAP_SHARED, fd, 0);
    if (data->map == MAP_FAILED) {
        *data = (struct dataset){0};
        return err_errno(err, "%s: its %lld bytes can't be mapped into memory", name, (long long)about.st_size);
    }
    if (use_map(data, name, text, err) == 0)
        return 0;
    munmap(data->map, data->map_length);
    *data = (struct dataset){0};
    return -1;
}
