/* Finding and loading the module; see hdf5.h. */
#include "worker/data/hdf5.h"

#include "common/mem.h"
#include "common/path.h"

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

const struct hdf5_module *hdf5_load(struct err *err)
{
    char *path = find_module();
    const struct hdf5_module *module = load_module(path, err);
    free(path);
    return module;
}
