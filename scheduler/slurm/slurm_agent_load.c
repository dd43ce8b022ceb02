/* Finding and loading the module; see slurm_agent.h. The only file of this directory that loads anything. */
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/slurm/slurm_agent.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

char *slurm_agent_module_path(void)
{
    const char *given = getenv("GANNET_SLURM_MODULE");
    return given && *given ? mem_text(given) : path_of_module("slurm.so");
}

/* A module that needs a libslurm which is not here: another Slurm came since. */
static const struct slurm_module *not_loaded(const char *path, const char *why, struct err *err)
{
    if (!path_exists(path))
        err_write(err,
                  "gannet's module for Slurm is not here (%s): it is built where libslurm's headers are (Debian's "
                  "package libslurm-dev); then type make, or make install",
                  path);
    else if (why && strstr(why, "libslurm"))
        err_write(err, "%s was built for another Slurm than this machine has (%s); build it again here: make", path,
                  why);
    else
        err_write(err, "%s can't be loaded: %s", path, why ? why : "the loader does not say why");
    return NULL;
}

static const struct slurm_module *refuse_module(const char *path, const struct slurm_module *module, struct err *err)
{
    err_write(err,
              "%s is of another gannet: its interface has version %u, this gannet's has %d; build or install both "
              "together",
              path, (unsigned)module->interface, SLURM_INTERFACE);
    return NULL;
}

/* RTLD_GLOBAL: Slurm's own plug-ins expect libslurm's names to be there and are not linked to it. The module stays
 * loaded as long as the process lives. */
const struct slurm_module *slurm_agent_load(const char *path, struct err *err)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return not_loaded(path, dlerror(), err);
    const struct slurm_module *const *entry = dlsym(library, SLURM_ENTRY);
    if (entry && *entry)
        return (*entry)->interface == SLURM_INTERFACE ? *entry : refuse_module(path, *entry, err);
    err_write(err, "%s is no module of gannet's: it has no " SLURM_ENTRY, path);
    dlclose(library);
    return NULL;
}
