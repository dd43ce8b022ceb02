/* IDX files; see idx.h. */
#include "worker/data/idx.h"

/* The types of IDX files. */
static const struct {
    unsigned char code;
    char kind;
    size_t size;
} types[] = {{0x08, 'u', 1}, {0x09, 'i', 1}, {0x0b, 'i', 2}, {0x0c, 'i', 4}, {0x0d, 'f', 4}, {0x0e, 'f', 8}};
enum { TYPES = sizeof types / sizeof *types };

static int find_type(struct array *array, unsigned char code, struct err *err)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].code == code) {
            array->type = (struct array_type){.kind = types[i].kind, .size = types[i].size, .big = true};
            return 0;
        }
    return err_set(err, "%s: byte 2 names the type 0x%02x; IDX files have 0x08, 0x09 and 0x0b to 0x0e", array->name,
                   code);
}

static int read_header(struct array *array, struct bytes *bytes, struct err *err)
{
    unsigned char magic[4], size[4];
    if (bytes_read(bytes, magic, sizeof magic, err))
        return -1;
    if (magic[0] || magic[1])
        return err_set(err, "%s: is no IDX file; these begin with two zero bytes", array->name);
    if (find_type(array, magic[2], err))
        return -1;
    if (magic[3] < 1 || magic[3] > ARRAY_MOST_RANK)
        return err_set(err, "%s: byte 3 says %d dimensions; 1 to %d are read", array->name, magic[3], ARRAY_MOST_RANK);
    array->rank = magic[3];
    for (int i = 0; i < array->rank; i++) {
        if (bytes_read(bytes, size, sizeof size, err))
            return -1;
        array->size[i] = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | size[3];
    }
    return 0;
}

int idx_read(struct array *array, const char *path, struct err *err)
{
    struct bytes bytes;
    *array = (struct array){.name = path};
    if (bytes_open(&bytes, path, err))
        return -1;
    int result = read_header(array, &bytes, err) || array_read(array, &bytes, err) ? -1 : 0;
    bytes_close(&bytes);
    if (result)
        array_fini(array);
    return result;
}
