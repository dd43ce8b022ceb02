/* A request as a script of sbatch; see sbatch_lines.h. */
#include "scheduler/slurm/sbatch_lines.h"

#include "common/mem.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* In quotes, in which sbatch, unlike the shell, takes a backslash off what follows it. */
static void add_quoted(const char *value, struct buf *out)
{
    buf_text(out, "'");
    for (; *value; value++)
        buf_format(out, *value == '\'' || *value == '\\' ? "\\%c" : "%c", *value);
    buf_text(out, "'");
}

static void add_text(struct buf *out, const char *option, const char *value)
{
    if (!value)
        return;
    buf_format(out, "#SBATCH --%s=", option);
    if (strpbrk(value, " \t\"'\\#")) /* behind # sbatch sees a comment */
        add_quoted(value, out);
    else
        buf_text(out, value);
    buf_text(out, "\n");
}

static void add_number(struct buf *out, const char *option, uint32_t value, const char *unit)
{
    if (value != SLURM_UNSET)
        buf_format(out, "#SBATCH --%s=%u%s\n", option, value, unit);
}

static void add_switch(struct buf *out, const char *option, bool on)
{
    if (on)
        buf_format(out, "#SBATCH --%s\n", option);
}

/* Options that are handed on stand in the request as sbatch takes them, but for quotes. */
static void add_further(struct buf *out, const char *further)
{
    for (const char *at = further; at && *at; at += strcspn(at, "\n") + 1) {
        char *line = mem_text_n(at, strcspn(at, "\n")), *equals = strchr(line, '=');
        if (equals)
            *equals = '\0';
        if (equals)
            add_text(out, line, equals + 1);
        else
            buf_format(out, "#SBATCH --%s\n", line);
        free(line);
    }
}

static void add_begin(struct buf *out, const char *begin)
{
    char text[40];
    time_t seconds = begin ? (time_t)strtoll(begin, NULL, 10) : 0;
    struct tm parts;
    if (begin && localtime_r(&seconds, &parts) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts))
        add_text(out, "begin", text);
}

static void add_texts(const struct slurm_request *request, struct buf *out)
{
    const struct {
        const char *option, *value;
    } rows[] = {{"job-name", request->name},
                {"comment", request->comment},
                {"chdir", request->directory},
                {"output", request->output},
                {"partition", request->partition},
                {"account", request->account},
                {"qos", request->qos},
                {"reservation", request->reservation},
                {"constraint", request->constraint},
                {"gres", request->gres},
                {"gpus-per-node", request->gpus_per_node},
                {"nodelist", request->nodelist},
                {"exclude", request->exclude},
                {"dependency", request->dependency},
                {"licenses", request->licenses},
                {"mail-user", request->mail_user},
                {"mail-type", request->mail_type},
                {"array", request->array}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_text(out, rows[i].option, rows[i].value);
    add_begin(out, request->begin);
    add_further(out, request->further);
}

static void add_numbers(const struct slurm_request *request, struct buf *out)
{
    add_number(out, "nodes", request->nodes, "");
    add_number(out, "ntasks-per-node", request->tasks_per_node, "");
    add_number(out, "cpus-per-task", request->cpus_per_task, "");
    add_number(out, "time", request->minutes, "");
    add_number(out, "time-min", request->minutes_least, "");
    add_number(out, "mem", request->memory, "M");
    add_number(out, "mem-per-cpu", request->memory_per_cpu, "M");
    add_number(out, "nice", request->nice, "");
    if (request->warn_signal != SLURM_UNSET)
        buf_format(out, "#SBATCH --signal=B:%u@%u\n", request->warn_signal, request->warn_seconds);
}

static void add_lines(const struct slurm_request *request, struct buf *out)
{
    add_texts(request, out);
    add_numbers(request, out);
    add_switch(out, "exclusive", request->exclusive);
    add_switch(out, request->requeue ? "requeue" : "no-requeue", true);
    add_switch(out, "no-kill", request->no_kill);
    add_switch(out, "hold", request->hold);
}

void sbatch_script(const struct slurm_request *request, struct buf *out)
{
    size_t head = strcspn(request->script, "\n");
    head += request->script[head] == '\n';
    buf_add(out, request->script, head);
    add_lines(request, out);
    for (uint32_t i = 0; i < request->component_count; i++) {
        buf_text(out, "#SBATCH hetjob\n");
        add_lines(&request->components[i], out);
    }
    buf_text(out, request->script + head);
}
