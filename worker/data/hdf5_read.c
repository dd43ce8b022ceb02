/* Data sets as arrays; see hdf5.h. */
#include "worker/data/hdf5.h"

#include "common/mem.h"

static int read_found(struct array *array, const struct hdf5_module *module, struct hdf5_file *file,
                      const struct hdf5_set *set, struct err *err)
{
    char error[HDF5_ERROR];
    array->rank = set->rank;
    array->type.size = set->bytes;
    for (int i = 0; i < set->rank; i++)
        array->size[i] = (size_t)set->size[i];
    if (array_check_memory(array, err))
        return -1;
    array->values = MEM_ARRAY(float, (size_t)array_count(array));
    return module->read(file, array->values, error) ? err_set(err, "%s: %s", array->name, error) : 0;
}

int hdf5_read(struct array *array, const char *path, const char *const *names, char **name, struct err *err)
{
    char error[HDF5_ERROR];
    struct hdf5_set set;
    *array = (struct array){.name = path};
    *name = NULL;
    const struct hdf5_module *module = hdf5_load(err);
    if (!module)
        return err_prefix(err, "%s: is an HDF5 file", path);
    struct hdf5_file *file = module->open(path, error);
    if (!file)
        return err_set(err, "%s: %s", path, error);
    int result = module->find(file, names, &set, error) ? err_set(err, "%s: %s", path, error) : 0;
    if (!result) {
        array->name = *name = mem_format("%s, data set %s", path, set.name);
        result = read_found(array, module, file, &set, err);
    }
    module->close(file);
    return result;
}
