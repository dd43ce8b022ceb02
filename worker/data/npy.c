/* numpy's arrays; see npy.h. The header is read as what numpy writes: one dictionary of three keys, any order. */
#include "worker/data/npy.h"

#include "common/mem.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_HEADER = 1 << 16 };

static const char magic[] = "\x93NUMPY";

/* The value of a key: the text behind its colon, or NULL. */
static const char *find_key(const char *header, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = header; (at = strpbrk(at, "'\"")); at++)
        if (strncmp(at + 1, key, length) == 0 && at[length + 1] == *at) {
            at += length + 2;
            at += strspn(at, " \t\n");
            return *at == ':' ? at + 1 + strspn(at + 1, " \t\n") : NULL;
        }
    return NULL;
}

static int refuse_type(const struct array *array, const char *type, size_t length, struct err *err)
{
    return err_set(err,
                   "%s: its elements are %.*s; real numbers are read: b1, i1 to i8, u1 to u8, f2, f4, f8. Of texts, "
                   "numpy.unique(y, return_inverse=True)[1] makes numbers",
                   array->name, (int)(length < 40 ? length : 40), type);
}

/* '<f4': the order of bytes, the kind, the size. */
static int read_type(struct array *array, const char *header, struct err *err)
{
    const char *at = find_key(header, "descr");
    size_t length = at && (*at == '\'' || *at == '"') ? strcspn(at + 1, "'\"") : 0;
    if (length < 3 || length > 4 || !strchr("<>|=", at[1]) || !strchr("uifb", at[2]))
        return refuse_type(array, at ? at : "of no type", length ? length + 2 : 40, err);
    size_t size = (size_t)strtoul(at + 3, NULL, 10);
    bool known = size == 2 || size == 4 || size == 8 || (size == 1 && at[2] != 'f');
    if (!known || (at[2] == 'b' && size != 1))
        return refuse_type(array, at, length + 2, err);
    array->type = (struct array_type){.kind = at[2], .size = size, .big = at[1] == '>'};
    return 0;
}

/* (60000, 28, 28), (5,) or (). */
static int read_shape(struct array *array, const char *header, struct err *err)
{
    const char *at = find_key(header, "shape");
    if (!at || *at++ != '(')
        return err_set(err, "%s: its header names no shape", array->name);
    for (at += strspn(at, " "); *at && *at != ')'; at += strspn(at, " ,L")) {
        char *end;
        errno = 0;
        unsigned long long size = strtoull(at, &end, 10);
        if (!isdigit((unsigned char)*at) || errno || array->rank == ARRAY_MOST_RANK)
            return err_set(err, "%s: its shape is %.40s...; up to %d sizes are read", array->name, at, ARRAY_MOST_RANK);
        array->size[array->rank++] = (size_t)size;
        at = end;
    }
    return *at ? 0 : err_set(err, "%s: its header ends within the shape", array->name);
}

/* A table in Fortran's order has its columns one after the other; with one dimension both orders are the same. */
static int check_order(const struct array *array, const char *header, struct err *err)
{
    const char *at = find_key(header, "fortran_order");
    if (at && strncmp(at, "False", 5) == 0)
        return 0;
    if (!at || strncmp(at, "True", 4) != 0)
        return err_set(err, "%s: its header does not say fortran_order", array->name);
    return array->rank < 2
               ? 0
               : err_set(err,
                         "%s: is in Fortran's order; save numpy.ascontiguousarray(x), whose last index runs "
                         "fastest",
                         array->name);
}

static int read_header(struct array *array, struct bytes *bytes, struct err *err)
{
    unsigned char start[8], length[4] = {0};
    if (bytes_read(bytes, start, sizeof start, err))
        return -1;
    if (memcmp(start, magic, strlen(magic)) != 0)
        return err_set(err, "%s: is no NPY file; these begin with \\x93NUMPY", array->name);
    if (start[6] < 1 || start[6] > 3)
        return err_set(err, "%s: byte 6 says version %d of the format; 1 to 3 are read", array->name, start[6]);
    if (bytes_read(bytes, length, start[6] == 1 ? 2 : 4, err))
        return -1;
    size_t size = (size_t)length[3] << 24 | (size_t)length[2] << 16 | (size_t)length[1] << 8 | length[0];
    if (size > LONGEST_HEADER)
        return err_set(err, "%s: byte 8 says that its header has %zu bytes; at most %d are read", array->name, size,
                       LONGEST_HEADER);
    char *header = mem_zero(size + 1, 1);
    int result = bytes_read(bytes, header, size, err) || read_type(array, header, err) ||
                         read_shape(array, header, err) || check_order(array, header, err)
                     ? -1
                     : 0;
    free(header);
    return result;
}

int npy_read(struct array *array, struct bytes *bytes, struct err *err)
{
    *array = (struct array){.name = bytes->name};
    int result = read_header(array, bytes, err) || array_read(array, bytes, err) ? -1 : 0;
    if (result)
        array_fini(array);
    return result;
}

int npy_read_file(struct array *array, const char *path, struct err *err)
{
    struct bytes bytes;
    if (bytes_open(&bytes, path, err))
        return -1;
    int result = npy_read(array, &bytes, err);
    bytes_close(&bytes);
    return result;
}
