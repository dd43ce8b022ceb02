/* Finding and loading the module, and data sets as arrays; see hdf5.h. */
#include "worker/data/hdf5.h"
#include "common/mem.h"
#include "common/path.h"
#include "worker/data/hdf5/interface.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static char *find_module(void)
{
    const char *given = getenv("GANNET_HDF5_MODULE");
    return given && *given ? mem_text(given) : path_of_module("hdf5.so");
}

static const struct hdf5_module *refuse_module(const char *path, const char *why, struct err *err)
{
    if (!path_exists(path))
        err_write(
            err,
            "this gannet was built without libhdf5 (there is no %s); install Debian's package libhdf5-dev (Rocky: "
            "hdf5-devel) and build gannet again: make, or make install",
            path);
    else if (why && strstr(why, "libhdf5"))
        err_write(err, "%s was built for another libhdf5 than this machine has (%s); build it again here: make", path,
                  why);
    else
        err_write(err, "%s can't be loaded: %s", path, why ? why : "the loader does not say why");
    return NULL;
}

static const struct hdf5_module *load_module(const char *path, struct err *err)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return refuse_module(path, dlerror(), err);
    const struct hdf5_module *const *entry = dlsym(library, HDF5_ENTRY);
    if (entry && *entry && (*entry)->interface == HDF5_INTERFACE)
        return *entry;
    dlclose(library);
    return refuse_module(path, "it is no module of this gannet; build or install both together", err);
}

/* Loads the module: GANNET_HDF5_MODULE, or hdf5.so where modules are (path_of_module). It stays loaded. NULL with a
 * sentence: it was not built, or for another libhdf5. */
static const struct hdf5_module *load_found(struct err *err)
{
    char *path = find_module();
    const struct hdf5_module *module = load_module(path, err);
    free(path);
    return module;
}

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
    const struct hdf5_module *module = load_found(err);
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
