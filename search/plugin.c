/* Loading a strategy from a shared object; see plugin.h. What a plug-in does when it runs is its own affair - it is
 * code in our process - but nothing is run of a file that any user could have written. */
#include "search/plugin.h"
#include "search/guard.h"
#include "common/mem.h"
#include "common/path.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct plugin {
    char *path;   /* the file itself, links followed */
    void *object; /* of dlopen */
    const struct gannet_strategy *strategy;
};

/* In a directory with the sticky bit, like /tmp, others can't replace our files, but may have put theirs there. */
static int check_directory(const char *path, uid_t owner, struct err *err)
{
    struct stat status;
    char *directory = path_directory(path);
    int result = stat(directory, &status) ? err_errno(err, "can't look at the directory %s", directory) : 0;
    bool anyone = result == 0 && status.st_mode & S_IWOTH;
    bool safe = status.st_mode & S_ISVTX && (owner == geteuid() || owner == 0);
    if (anyone && !safe)
        result = err_set(err, "any user can put files into %s, so the plug-in %s is not loaded; chmod o-w %s",
                         directory, path, directory);
    free(directory);
    return result;
}

static int check_file(const char *path, struct err *err)
{
    struct stat status;
    if (stat(path, &status))
        return err_errno(err, "can't open the plug-in %s", path);
    if (!S_ISREG(status.st_mode))
        return err_set(err, "the plug-in %s is no file", path);
    if (status.st_mode & S_IWOTH)
        return err_set(err, "any user can write to the plug-in %s, so it is not loaded; chmod o-w %s", path, path);
    return check_directory(path, status.st_uid, err);
}

/* Fields behind `abi` are read only when the number is ours. */
static int check_strategy(const char *path, const struct gannet_strategy *strategy, struct err *err)
{
    if (!strategy)
        return err_set(err, "%s exports no 'gannet_strategy'; see plugins/hello.c for a whole plug-in", path);
    if (strategy->abi != GANNET_STRATEGY_ABI)
        return err_set(err,
                       "%s was built for version %u of the strategy interface, this gannet has version %u; build it "
                       "anew with this gannet's strategy.h",
                       path, strategy->abi, (unsigned)GANNET_STRATEGY_ABI);
    if (!strategy->name || !*strategy->name || !strategy->summary)
        return err_set(err, "the strategy in %s has no name or no summary", path);
    if (!strategy->create || !strategy->ask || !strategy->destroy)
        return err_set(err, "the strategy '%s' in %s lacks the function %s", strategy->name, path,
                       !strategy->create ? "create"
                       : !strategy->ask  ? "ask"
                                         : "destroy");
    return 0;
}

static int load_library(struct plugin *plugin, struct err *err)
{
    const char *path = plugin->path;
    guard_install();
    guard_enter(path); /* for what it does when it is loaded */
    plugin->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    guard_leave();
    if (!plugin->object)
        return err_set(err, "can't load the plug-in: %s", dlerror());
    plugin->strategy = dlsym(plugin->object, "gannet_strategy");
    return check_strategy(path, plugin->strategy, err);
}

struct plugin *plugin_open(const char *path, struct err *err)
{
    /* The file that is checked is the one that is loaded: links are followed first. */
    struct plugin *plugin = MEM_NEW(struct plugin);
    plugin->path = realpath(path, NULL);
    int result = plugin->path ? check_file(plugin->path, err) : err_errno(err, "can't open the plug-in %s", path);
    if (result == 0)
        result = load_library(plugin, err);
    if (result == 0)
        return plugin;
    plugin_close(plugin);
    return NULL;
}

void plugin_close(struct plugin *plugin)
{
    if (!plugin)
        return;
    if (plugin->object)
        dlclose(plugin->object);
    free(plugin->path);
    free(plugin);
}

const char *plugin_path(const struct plugin *plugin)
{
    return plugin ? plugin->path : NULL;
}

const struct gannet_strategy *plugin_strategy(const struct plugin *plugin)
{
    return plugin->strategy;
}
