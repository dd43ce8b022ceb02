/* What lies where in the memory of each process that is sampled, and so which function an address belongs to: mapped
 * files and their symbols, and functions that were made as the process runs (perf_map.h). */
#ifndef GANNET_CLI_FLAME_PROCESSES_H
#define GANNET_CLI_FLAME_PROCESSES_H

#include "cli/flame/perf_map.h"
#include "cli/flame/stacks.h"

#include <stdbool.h>
#include <sys/types.h>

struct mapping {
    uint64_t start, length, offset; /* addresses, and where in the file the first is */
    char *path;                     /* "" or "//anon": none */
    struct binary *binary;          /* its symbols; NULL: not looked for so far */
};

/* A process. */
struct process {
    pid_t pid;
    char name[16]; /* as the kernel calls it */
    struct mapping *mappings;
    size_t count, capacity;
    struct perf_map made;
    bool is_python; /* it has mapped an interpreter of Python */
};

/* {0} knows no process. */
struct processes {
    struct process *items;
    size_t count, capacity;
    struct binary **binaries; /* files whose symbols were read */
    size_t binary_count, binary_capacity;
    uid_t owner;           /* whose files with names of functions count */
    const char *maps;      /* where those are; NULL: /tmp */
    int python_minor;      /* of the newest Python seen, 13 of 3.13; 0: none */
    bool python_has_names; /* one of them told the names of its functions */
};

void processes_fini(struct processes *processes);

/* What happens to processes: another name (`replaced`: it became another program), a file that is mapped, a child, the
 * end. */
void processes_name(struct processes *processes, pid_t pid, const char *name, bool replaced);
void processes_map(struct processes *processes, pid_t pid, const struct mapping *mapping);
void processes_fork(struct processes *processes, pid_t parent, pid_t child);
void processes_end(struct processes *processes, pid_t pid);

/* A process that runs already: its name and what it has mapped. */
void processes_read(struct processes *processes, pid_t pid);

/* Removes the files with names of functions that were read: CPython leaves them behind. */
void processes_remove_maps(struct processes *processes);

/* One sample: addresses of its callers, innermost first, and a piece of its stack from the top. */
struct sampled {
    pid_t pid;
    const uint64_t *callers;
    size_t caller_count;
    const uint64_t *stack;
    size_t stack_count;
};

/* Its stack in names, outermost first, the process before all; how many, STACKS_DEEPEST at most. They are valid until
 * the next call of processes.h. Of Python the functions that people wrote take the place of the interpreter's own:
 * their return addresses are looked for on the stack, since interpreters are seldom built so that callers can be
 * followed. */
size_t processes_resolve(struct processes *processes, const struct sampled *sample, struct stack_frame *out);

#endif
