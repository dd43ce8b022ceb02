/* The batch script and what of an environment goes along with it; see request.h.
 *
 * The script ends in `exec`, so that the batch process is gannet itself and gets the signals that Slurm sends to the
 * script. Slurm keeps a job's environment in the controller's files, so there is a list of what may go, not of what may
 * not: whatever a person needs beyond it is named by --export, by trial.env or in slurm.setup. */
#include "scheduler/slurm/request.h"

#include "common/mem.h"
#include "common/texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* --- the script --- */

/* Seconds for which a worker waits for a coordinator: Slurm lets a requeued one start after 2 min at the earliest, and
 * looks at its queue every minute or so. */
static const double give_up = 300;

/* A text as one word of the shell. */
static void quote_for_shell(const char *text, struct buf *out)
{
    buf_text(out, "'");
    for (; *text; text++) {
        if (*text == '\'')
            buf_text(out, "'\\''");
        else
            buf_add(out, text, 1);
    }
    buf_text(out, "'");
}

static const char *const roles[] = {[SLURM_ROLE_EXPERIMENT] = "the experiment",
                                    [SLURM_ROLE_COORDINATOR] = "the coordinator",
                                    [SLURM_ROLE_WORKER] = "a worker"};

/* What a login shell defines - modules, conda - without what it would do to the submitter's variables; and the first
 * command that fails ends the job with its name: trials without their modules would fail one by one. */
static const char before_setup[] = "gannet_environment=$(export -p)\n"
                                   "for gannet_profile in /etc/profile ~/.bash_profile ~/.bash_login ~/.profile; do\n"
                                   "  [ -r \"$gannet_profile\" ] || continue\n"
                                   "  . \"$gannet_profile\"\n"
                                   "  [ \"$gannet_profile\" = /etc/profile ] || break\n"
                                   "done\n"
                                   "eval \"$gannet_environment\"\n"
                                   "trap 'gannet_status=$?\n"
                                   "  echo \"gannet: slurm.setup: status $gannet_status of: $BASH_COMMAND\" >&2\n"
                                   "  exit \"$gannet_status\"' ERR\n";

static void add_head(const struct slurm_order *order, enum slurm_role role, struct buf *out)
{
    const struct spec_slurm *slurm = &order->spec->slurm;
    buf_text(out, slurm->setup_count ? "#!/bin/bash\n" : "#!/bin/sh\n");
    buf_format(out, "# gannet %s: %s of %s\n", GANNET_VERSION, roles[role], order->spec->name);
    if (!slurm->setup_count)
        return;
    buf_text(out, before_setup);
    for (uint32_t i = 0; i < slurm->setup_count; i++)
        buf_format(out, "%s\n", slurm->setup[i]);
    buf_text(out, "trap - ERR\n");
}

/* Our programs come first in PATH, whatever the lines above did, so that all processes are of one gannet. */
static void add_path(const struct slurm_order *order, struct buf *out)
{
    buf_text(out, "PATH=");
    quote_for_shell(order->programs, out);
    buf_text(out, "${PATH:+:$PATH}\nexport PATH\n");
}

static void add_program(const struct slurm_order *order, const char *program, const char *arguments, struct buf *out)
{
    struct buf path = {0};
    buf_format(&path, "%s/%s", order->programs, program);
    quote_for_shell(buf_str(&path), out);
    buf_format(out, "%s --rundir ", arguments);
    quote_for_shell(order->rundir, out);
    buf_fini(&path);
}

static void add_worker(const struct slurm_order *order, struct buf *out)
{
    add_program(order, "gannet-worker", "", out);
    buf_format(out, " --idle-exit %.0fs --give-up %.0fs", ceil(order->spec->slurm.idle_time), give_up);
}

/* Several that share the node. Slurm's signals come to the script, which hands them on, and a wait that they cut short
 * begins anew. */
static void add_workers(const struct slurm_order *order, struct buf *out)
{
    uint32_t workers = order->spec->slurm.workers_per_node;
    buf_text(out, "gannet_workers=\n"
                  "trap 'kill -TERM $gannet_workers 2>/dev/null' TERM\n"
                  "gannet_part=1\n");
    buf_format(out, "while [ $gannet_part -le %u ]; do\n  ", workers);
    add_worker(order, out);
    buf_format(out, " --share $gannet_part/%u &\n", workers);
    buf_text(out, "  gannet_workers=\"$gannet_workers $!\" gannet_part=$((gannet_part + 1))\n"
                  "done\n"
                  "gannet_status=0\n"
                  "for gannet_worker in $gannet_workers; do\n"
                  "  wait $gannet_worker\n"
                  "  gannet_ended=$?\n"
                  "  while [ $gannet_ended -gt 128 ] && kill -0 $gannet_worker 2>/dev/null; do\n"
                  "    wait $gannet_worker\n"
                  "    gannet_ended=$?\n"
                  "  done\n"
                  "  [ $gannet_ended -eq 0 ] || gannet_status=$gannet_ended\n"
                  "done\n"
                  "exit $gannet_status");
}

char *slurm_script(const struct slurm_order *order, enum slurm_role role)
{
    struct buf out = {0};
    bool several = role == SLURM_ROLE_WORKER && order->spec->slurm.workers_per_node > 1;
    add_head(order, role, &out);
    add_path(order, &out);
    buf_text(&out, several ? "" : "exec ");
    if (several)
        add_workers(order, &out);
    else if (role == SLURM_ROLE_WORKER)
        add_worker(order, &out);
    else
        add_program(order, "gannet", " job", &out);
    if (role == SLURM_ROLE_COORDINATOR)
        buf_text(&out, " --no-workers");
    buf_text(&out, "\n");
    return buf_take(&out);
}

/* --- the environment --- */

/* Names that go along; with '*' at the end all that begin so. */
static const char *const passed[] = {
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ",
    /* where programs and libraries are */
    "LD_LIBRARY_PATH", "LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "PYTHONUNBUFFERED", "VIRTUAL_ENV", "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV", "CONDA_EXE", "CONDA_SHLVL", "MAMBA_*", "R_LIBS*", "JULIA_DEPOT_PATH", "PERL5LIB", "CUDA_HOME",
    "CUDA_PATH", "ROCM_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR",
    /* environment modules */
    "MODULEPATH", "MODULESHOME", "MODULES_*", "LOADEDMODULES", "_LMFILES_", "LMOD_*", "BASH_FUNC_module*",
    "BASH_FUNC_ml*", "EBROOT*",
    /* places */
    "SCRATCH", "WORK", "PROJECT", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HF_HOME", "TORCH_HOME",
    /* how libraries compute */
    "OMP_*", "MKL_*", "OPENBLAS_*", "NCCL_*", "KMP_*",
    /* ours, and Slurm's own */
    "SLURM_CONF", "GANNET_SLURM_MODULE", "GANNET_STORE_LOCKING"};

static bool matches_pattern(const char *pattern, const char *name, size_t length)
{
    size_t size = strlen(pattern);
    if (pattern[size - 1] == '*')
        return length >= size - 1 && strncmp(pattern, name, size - 1) == 0;
    return length == size && strncmp(pattern, name, length) == 0;
}

static bool is_passed(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (matches_pattern(passed[i], name, length))
            return true;
    return false;
}

/* Variables of the job or the gannet that the submitter is in would mislead the new one. */
static bool is_foreign(const char *variable)
{
    return (strncmp(variable, "SLURM_", 6) == 0 || strncmp(variable, "GANNET_", 7) == 0) &&
           !is_passed(variable, strcspn(variable, "="));
}

/* --- --export --- */

/* Where the first item of the list ends. Commas between quotes are its own; a quote that nothing closes is a letter. */
static size_t item_length(const char *list)
{
    size_t length = 0;
    for (; list[length] && list[length] != ','; length++) {
        bool is_quote = list[length] == '\'' || list[length] == '"';
        const char *end = is_quote ? strchr(list + length + 1, list[length]) : NULL;
        length = end ? (size_t)(end - list) : length;
    }
    return length;
}

/* Takes the first item off the list, without quotes around the whole of it, as sbatch does. NULL: none is left. free()
 * it. */
static char *take_item(const char **list)
{
    const char *item = *list;
    size_t length = item_length(item);
    if (!*item)
        return NULL;
    *list += length + (item[length] == ',');
    bool is_quoted = length > 1 && (*item == '\'' || *item == '"') && item[length - 1] == *item;
    return is_quoted ? mem_text_n(item + 1, length - 2) : mem_text_n(item, length);
}

/* Whether an item of the list is this word, in letters of either kind. */
static bool lists_word(const char *exported, const char *word)
{
    bool found = false;
    for (char *item; (item = take_item(&exported)); free(item))
        found = found || strcasecmp(item, word) == 0;
    return found;
}

static const char *find_variable(const char *const *variables, const char *name)
{
    size_t length = strlen(name);
    for (; *variables; variables++)
        if (strncmp(*variables, name, length) == 0 && (*variables)[length] == '=')
            return *variables;
    return NULL;
}

/* The names and values that --export has beside ALL and NONE. */
static void add_listed(const struct slurm_order *order, const char *exported, struct texts *out)
{
    for (char *item; (item = take_item(&exported)); free(item)) {
        const char *found = strchr(item, '=') ? item : find_variable(order->variables, item);
        if (found)
            texts_add(out, mem_text(found));
    }
}

/* --- what sbatch adds --- */

static void add_number(struct texts *out, const char *name, uint32_t number)
{
    if (number != SLURM_UNSET)
        texts_add(out, mem_format("%s=%u", name, number));
}

/* The umask without changing it, which would be seen by other threads. */
static unsigned present_umask(void)
{
    unsigned mask = 0077;
    char line[256];
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Umask: %o", &mask) == 1)
            break;
    if (file)
        fclose(file);
    return mask;
}

static void add_submission(const struct slurm_request *request, struct texts *out)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    texts_add(out, mem_format("SLURM_JOB_NAME=%s", request->name));
    texts_add(out, mem_format("SLURM_SUBMIT_DIR=%s", request->directory));
    texts_add(out, mem_format("SLURM_SUBMIT_HOST=%s", host));
    texts_add(out, mem_format("SLURM_UMASK=%04o", present_umask()));
    add_number(out, "SLURM_NTASKS_PER_NODE", request->tasks_per_node);
    add_number(out, "SLURM_CPUS_PER_TASK", request->cpus_per_task);
}

void slurm_environment(const struct slurm_order *order, const struct slurm_request *request, const char *exported,
                       struct texts *out)
{
    bool all = exported && lists_word(exported, "ALL"), none = exported && lists_word(exported, "NONE");
    for (const char *const *at = order->variables; !none && *at; at++)
        if (!is_foreign(*at) && (all || is_passed(*at, strcspn(*at, "="))))
            texts_add(out, mem_text(*at));
    if (exported)
        add_listed(order, exported, out);
    add_submission(request, out);
}
