/* Which data sets a file has, for sentences. */
#include "worker/data/hdf5/module.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LISTED = 20 };

struct hdf5_list {
    char *text;
    size_t size, length;
    int count;
};

static void __attribute__((format(printf, 2, 3))) add_text(struct hdf5_list *list, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(list->text + list->length, list->size - list->length, format, arguments);
    va_end(arguments);
    list->length = more < 0 || (size_t)more >= list->size - list->length ? list->size - 1 : list->length + (size_t)more;
}

static bool name_number(hid_t type, const char *kind, char *text, size_t size)
{
    size_t bytes = H5Tget_size(type);
    snprintf(text, size, "%s%zu", kind, 8 * bytes);
    return bytes > 0 && (bytes <= 8 || *kind == 'f');
}

/* h5py writes numpy's bool as an enumeration of 0 and 1. */
static bool name_enumeration(hid_t type, char *text, size_t size)
{
    char number[40];
    hid_t base = H5Tget_super(type);
    bool readable = base >= 0 && module_name_type(base, number, sizeof number);
    snprintf(text, size, "names of %s", readable ? number : "no numbers");
    if (base >= 0)
        H5Tclose(base);
    return readable;
}

bool module_name_type(hid_t type, char *text, size_t size)
{
    static const struct {
        H5T_class_t class;
        const char *name;
    } others[] = {{H5T_STRING, "texts"},
                  {H5T_COMPOUND, "compounds (rows of a table, or complex numbers)"},
                  {H5T_VLEN, "rows of any length"},
                  {H5T_ARRAY, "arrays"},
                  {H5T_REFERENCE, "references"},
                  {H5T_OPAQUE, "opaque bytes"},
                  {H5T_BITFIELD, "bit fields"},
                  {H5T_TIME, "times"}};
    H5T_class_t class = H5Tget_class(type);
    if (class == H5T_INTEGER)
        return name_number(type, H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int", text, size);
    if (class == H5T_FLOAT)
        return name_number(type, "float", text, size);
    if (class == H5T_ENUM)
        return name_enumeration(type, text, size);
    snprintf(text, size, "of no known type");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].class == class)
            snprintf(text, size, "%s", others[i].name);
    return false;
}

static void add_set(struct hdf5_list *list, const char *name, hid_t set)
{
    char what[100] = "of no known type";
    hsize_t size[H5S_MAX_RANK] = {0};
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    int rank = space < 0 ? 0 : H5Sget_simple_extent_dims(space, size, NULL);
    if (type >= 0) {
        module_name_type(type, what, sizeof what);
        H5Tclose(type);
    }
    if (space >= 0)
        H5Sclose(space);
    add_text(list, "%s%.60s (", list->count++ ? ", " : "", name);
    for (int i = 0; i < rank; i++)
        add_text(list, i ? " x %llu" : "%llu", (unsigned long long)size[i]);
    add_text(list, "%s%s)", rank > 0 ? ", " : "", what);
}

/* A virtual data set would open its other files to say its shape. */
static bool is_virtual(hid_t set)
{
    hid_t how = H5Dget_create_plist(set);
    bool result = how < 0 || H5Pget_layout(how) == H5D_VIRTUAL;
    if (how >= 0)
        H5Pclose(how);
    return result;
}

static herr_t add_link(hid_t file, const char *name, const H5L_info_t *link, void *context)
{
    struct hdf5_list *list = context;
    if (list->count == MOST_LISTED) {
        add_text(list, ", ...");
        return 1;
    }
    if (link->type == H5L_TYPE_EXTERNAL)
        add_text(list, "%s%.60s (a link to another file)", list->count++ ? ", " : "", name);
    hid_t object = link->type == H5L_TYPE_HARD ? H5Oopen(file, name, H5P_DEFAULT) : H5I_INVALID_HID;
    bool is_set = object >= 0 && H5Iget_type(object) == H5I_DATASET;
    if (is_set && is_virtual(object))
        add_text(list, "%s%.60s (in other files)", list->count++ ? ", " : "", name);
    else if (is_set)
        add_set(list, name, object);
    if (object >= 0)
        H5Oclose(object);
    return 0;
}

void module_list(hid_t file, char *text, size_t size)
{
    struct hdf5_list list = {.text = text, .size = size};
    *text = '\0';
    H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, add_link, &list);
}
