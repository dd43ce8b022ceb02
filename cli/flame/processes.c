/* Names for addresses; see processes.h. */
#include "cli/flame/processes.h"
#include "common/mem.h"
#include "common/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAPPINGS_MOST = 65536 };

struct binary {
    char *path, *unnamed; /* unnamed: what is shown for a place without a symbol: "[libz.so.1]" */
    bool is_library, is_python;
    struct symbols symbols;
};

/* --- processes --- */

static void clear_mappings(struct process *process)
{
    for (size_t i = 0; i < process->count; i++)
        free(process->mappings[i].path);
    process->count = 0;
    perf_map_fini(&process->made);
    process->made = (struct perf_map){0};
    process->is_python = false;
}

static void free_process(struct process *process)
{
    clear_mappings(process);
    free(process->mappings);
}

void processes_fini(struct processes *processes)
{
    for (size_t i = 0; i < processes->count; i++)
        free_process(&processes->items[i]);
    for (size_t i = 0; i < processes->binary_count; i++) {
        symbols_fini(&processes->binaries[i]->symbols);
        free(processes->binaries[i]->path);
        free(processes->binaries[i]->unnamed);
        free(processes->binaries[i]);
    }
    free(processes->items);
    free(processes->binaries);
    *processes = (struct processes){0};
}

/* The process, a new one that has nothing when it is not known; valid until the next call. */
static struct process *processes_find(struct processes *processes, pid_t pid)
{
    for (size_t i = 0; i < processes->count; i++)
        if (processes->items[i].pid == pid)
            return &processes->items[i];
    MEM_GROW(processes->items, processes->capacity, processes->count + 1);
    struct process *process = &processes->items[processes->count++];
    *process = (struct process){.pid = pid, .name = "?"};
    return process;
}

void processes_name(struct processes *processes, pid_t pid, const char *name, bool replaced)
{
    struct process *process = processes_find(processes, pid);
    if (replaced)
        clear_mappings(process);
    snprintf(process->name, sizeof process->name, "%s", name);
}

/* The 13 of "/usr/bin/python3.13" and "libpython3.13.so.1.0"; 0: it is no Python. */
static int python_minor(const char *path)
{
    const char *base = path_base(path);
    base += strncmp(base, "lib", 3) == 0 ? 3 : 0;
    return strncmp(base, "python3.", 8) == 0 ? atoi(base + 8) : 0;
}

void processes_map(struct processes *processes, pid_t pid, const struct mapping *mapping)
{
    struct process *process = processes_find(processes, pid);
    if (process->count == MAPPINGS_MOST)
        return;
    MEM_GROW(process->mappings, process->capacity, process->count + 1);
    struct mapping *added = &process->mappings[process->count++];
    *added = (struct mapping){mapping->start, mapping->length, mapping->offset, mem_text(mapping->path), NULL};
    int minor = python_minor(mapping->path);
    process->is_python |= minor > 0;
    if (minor > processes->python_minor)
        processes->python_minor = minor;
}

void processes_fork(struct processes *processes, pid_t parent, pid_t child)
{
    processes_end(processes, child); /* the number was another's before */
    processes_find(processes, child);
    struct process *to = NULL, *from = processes_find(processes, parent);
    char name[sizeof from->name];
    memcpy(name, from->name, sizeof name);
    for (size_t i = 0; i < processes_find(processes, parent)->count; i++)
        processes_map(processes, child, &processes_find(processes, parent)->mappings[i]);
    to = processes_find(processes, child);
    memcpy(to->name, name, sizeof name);
}

void processes_end(struct processes *processes, pid_t pid)
{
    for (size_t i = 0; i < processes->count; i++)
        if (processes->items[i].pid == pid) {
            free_process(&processes->items[i]);
            processes->items[i] = processes->items[--processes->count];
            return;
        }
}

/* A line of /proc/PID/maps: "5581-5590 r-xp 00001000 fd:01 1234   /usr/bin/true". */
static void take_line(struct processes *processes, pid_t pid, char *line)
{
    uint64_t start, end, offset;
    char modes[5];
    int behind = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &start, &end, modes, &offset, &behind) < 4 ||
        modes[2] != 'x' || end <= start)
        return;
    processes_map(processes, pid, &(struct mapping){start, end - start, offset, behind ? line + behind : "", NULL});
}

void processes_read(struct processes *processes, pid_t pid)
{
    char path[64], *line = NULL, name[16] = "?";
    size_t room = 0;
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *file = fopen(path, "re");
    if (file && fgets(name, sizeof name, file))
        name[strcspn(name, "\n")] = '\0';
    if (file)
        fclose(file);
    processes_name(processes, pid, name, true);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    file = fopen(path, "re");
    while (file && getline(&line, &room, file) > 0)
        take_line(processes, pid, line);
    free(line);
    if (file)
        fclose(file);
}

/* --- addresses --- */

static struct binary *find_binary(struct processes *processes, const char *path)
{
    for (size_t i = 0; i < processes->binary_count; i++)
        if (strcmp(processes->binaries[i]->path, path) == 0)
            return processes->binaries[i];
    struct binary *binary = MEM_NEW(struct binary);
    const char *base = path_base(path);
    binary->path = mem_text(path);
    binary->is_library = strstr(base, ".so") || *base == '[';
    binary->is_python = python_minor(path) > 0;
    binary->unnamed = *base == '[' ? mem_text(base) : mem_format("[%s]", base);
    if (*path == '/')
        symbols_read(path, &binary->symbols);
    MEM_GROW(processes->binaries, processes->binary_capacity, processes->binary_count + 1);
    return processes->binaries[processes->binary_count++] = binary;
}

/* The last that was mapped there. */
static struct mapping *find_mapping(struct process *process, uint64_t address)
{
    for (size_t i = process->count; i-- > 0;)
        if (address >= process->mappings[i].start && address - process->mappings[i].start < process->mappings[i].length)
            return &process->mappings[i];
    return NULL;
}

static bool is_anonymous(const struct mapping *mapping)
{
    return !*mapping->path || strncmp(mapping->path, "//anon", 6) == 0 || strncmp(mapping->path, "[anon", 5) == 0;
}

static char *made_path(const struct processes *processes, const struct process *process)
{
    return mem_format("%s/perf-%d.map", processes->maps ? processes->maps : "/tmp", (int)process->pid);
}

static void read_made(struct processes *processes, struct process *process)
{
    char *path = made_path(processes, process);
    perf_map_read(&process->made, path, processes->owner);
    processes->python_has_names |= process->is_python && process->made.functions.count > 0;
    free(path);
}

void processes_remove_maps(struct processes *processes)
{
    for (size_t i = 0; i < processes->count; i++) {
        if (processes->items[i].is_python)
            read_made(processes, &processes->items[i]);
        if (processes->items[i].made.is_there) {
            char *path = made_path(processes, &processes->items[i]);
            unlink(path);
            free(path);
        }
    }
}

/* The function of an address in the mapping, which is at the interpreter's own when *interpreter becomes true. */
static struct stack_frame name_address(struct processes *processes, struct process *process, uint64_t address,
                                       bool *interpreter)
{
    struct mapping *mapping = find_mapping(process, address);
    const char *name;
    *interpreter = false;
    if (!mapping || is_anonymous(mapping)) {
        if (!(name = symbols_find(&process->made.functions, address))) {
            read_made(processes, process);
            name = symbols_find(&process->made.functions, address);
        }
        enum frame_kind kind = !name ? FRAME_UNKNOWN : strncmp(name, "py::", 4) == 0 ? FRAME_PYTHON : FRAME_PROGRAM;
        return (struct stack_frame){name ? name : "[unknown]", kind};
    }
    if (!mapping->binary)
        mapping->binary = find_binary(processes, mapping->path);
    struct binary *binary = mapping->binary;
    *interpreter = binary->is_python;
    name = symbols_find_offset(&binary->symbols, address - mapping->start + mapping->offset);
    return (struct stack_frame){name ? name : binary->unnamed, !name                ? FRAME_UNKNOWN
                                                               : binary->is_library ? FRAME_LIBRARY
                                                                                    : FRAME_PROGRAM};
}

/* The functions of Python on the stack, innermost first. A return address is behind the call, which is within. */
static size_t find_python(const struct process *process, const struct sampled *sample, struct stack_frame *out,
                          size_t most)
{
    size_t found = 0;
    for (size_t i = 0; i < sample->stack_count && found < most; i++) {
        const char *name = symbols_find(&process->made.functions, sample->stack[i] - 1);
        if (name && strncmp(name, "py::", 4) == 0)
            out[found++] = (struct stack_frame){name, FRAME_PYTHON};
    }
    return found;
}

static void turn_round(struct stack_frame *frames, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct stack_frame kept = frames[i];
        frames[i] = frames[count - 1 - i];
        frames[count - 1 - i] = kept;
    }
}

/* Callers up to the first of the interpreter (`python`), or all; innermost first. */
static size_t name_callers(struct processes *processes, struct process *process, const struct sampled *sample,
                           bool python, struct stack_frame *out, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < sample->caller_count && count < most; i++) {
        bool interpreter;
        out[count] = name_address(processes, process, sample->callers[i] - (count > 0), &interpreter);
        if (python && (interpreter || out[count].kind == FRAME_PYTHON))
            break;
        count++;
    }
    return count;
}

size_t processes_resolve(struct processes *processes, const struct sampled *sample, struct stack_frame *out)
{
    struct process *process = processes_find(processes, sample->pid);
    struct stack_frame python[STACKS_DEEPEST];
    if (process->is_python)
        read_made(processes, process);
    size_t found = process->is_python ? find_python(process, sample, python, STACKS_DEEPEST / 2) : 0;
    size_t count = name_callers(processes, process, sample, found > 0, out, STACKS_DEEPEST - 1 - found);
    memcpy(out + count, python, found * sizeof *python);
    count += found;
    out[count++] = (struct stack_frame){process->name, FRAME_PROCESS};
    turn_round(out, count);
    return count;
}
