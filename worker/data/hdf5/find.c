/* Finding a data set, and what it is like. */
#include "worker/data/hdf5/module.h"

#include <stdio.h>
#include <string.h>

/* Whether there is a link of this name: each group on the way to it is asked in its turn. */
static bool has_link(const struct hdf5_file *file, const char *name)
{
    char part[HDF5_ERROR];
    const char *end = name + strspn(name, "/");
    bool there = *end;
    while (there && *end) {
        end += strcspn(end, "/");
        snprintf(part, sizeof part, "%.*s", (int)(end - name), name);
        there = H5Lexists(file->file, part, file->access) > 0;
        end += strspn(end, "/");
    }
    return there;
}

/* Opens the data set of this name. 0: there is none; -1 with a sentence. */
static int open_set(struct hdf5_file *file, const char *name, char *error)
{
    file->elsewhere = false;
    bool there = has_link(file, name);
    hid_t object = there ? H5Oopen(file->file, name, file->access) : H5I_INVALID_HID;
    if (file->elsewhere)
        return module_refuse(error,
                             "'%.100s' is a link to another file, which is not followed; name that file, or copy the "
                             "data set into this one",
                             name);
    if (there && object < 0)
        return module_refuse_call(error, "'%.100s' can't be opened: the file is damaged, or the link leads nowhere",
                                  name);
    if (there && H5Iget_type(object) != H5I_DATASET) {
        H5Oclose(object);
        return 0;
    }
    file->set = object;
    return there;
}

static int open_first(struct hdf5_file *file, const char *const *names, struct hdf5_set *set, char *error)
{
    char all[HDF5_ERROR - 200];
    int found = 0;
    if (file->set >= 0)
        H5Dclose(file->set);
    file->set = H5I_INVALID_HID;
    for (int i = 0; !found && names[i]; i++) {
        set->name = names[i];
        found = open_set(file, names[i], error);
    }
    if (found)
        return found > 0 ? 0 : -1;
    module_list(file->file, all, sizeof all);
    return module_refuse(error, "has no data set '%.100s'%s; it has: %s", names[0],
                         names[1] ? ", nor one of the other usual names" : "", *all ? all : "none");
}

static int read_type(hid_t id, struct hdf5_set *set, char *error)
{
    char name[100];
    hid_t type = H5Dget_type(id);
    if (type < 0)
        return module_refuse_call(error, "the type of '%.100s' can't be read", set->name);
    bool number = module_name_type(type, name, sizeof name);
    set->bytes = (uint32_t)H5Tget_size(type);
    H5Tclose(type);
    return number
               ? 0
               : module_refuse(error,
                               "'%.100s' has elements that are %s; real numbers are read: integers of up to 8 bytes, "
                               "and floating-point numbers. Of texts, numpy.unique(y, return_inverse=True)[1] makes "
                               "numbers",
                               set->name, name);
}

static int read_shape(hid_t id, struct hdf5_set *set, char *error)
{
    hsize_t size[H5S_MAX_RANK] = {0};
    hid_t space = H5Dget_space(id);
    if (space < 0)
        return module_refuse_call(error, "the shape of '%.100s' can't be read", set->name);
    bool empty = H5Sget_simple_extent_type(space) == H5S_NULL;
    set->rank = H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    if (empty || set->rank < 0)
        return module_refuse(error, "'%.100s' has no elements", set->name);
    if (set->rank > HDF5_MOST_RANK)
        return module_refuse(error, "'%.100s' has %d dimensions; up to %d are read", set->name, set->rank,
                             HDF5_MOST_RANK);
    for (int i = 0; i < set->rank; i++)
        set->size[i] = size[i];
    return 0;
}

int module_find(struct hdf5_file *file, const char *const *names, struct hdf5_set *set, char *error)
{
    *set = (struct hdf5_set){0};
    return open_first(file, names, set, error) || module_check_form(file->set, set->name, error) ||
                   read_type(file->set, set, error) || read_shape(file->set, set, error) ||
                   module_check_written(file->set, set, error)
               ? -1
               : 0;
}
