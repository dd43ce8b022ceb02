/* The functions of a file of machine code: what its tables of symbols say, .symtab or else .dynsym. Files come from
 * anywhere, so every number in them is checked against the file's size. */
#ifndef GANNET_CLI_FLAME_SYMBOLS_H
#define GANNET_CLI_FLAME_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
    uint64_t start, size;
    char *name;
};

struct segment {
    uint64_t offset, size, address; /* where it lies in the file, and where its addresses begin */
};

/* {0} knows no function. */
struct symbols {
    struct symbol *items; /* by their starts */
    size_t count, capacity;
    struct segment *segments;
    size_t segment_count, segment_capacity;
};

/* Reads a 64-bit ELF file of this machine's byte order; one that is none, or is damaged, has no symbols. */
void symbols_read(const char *path, struct symbols *out);
void symbols_fini(struct symbols *symbols);

/* Adds one, and puts all into order once they are there. */
void symbols_add(struct symbols *symbols, uint64_t start, uint64_t size, const char *name, size_t length);
void symbols_sort(struct symbols *symbols);

/* The name of the function that has this address; NULL: none has. */
const char *symbols_find(const struct symbols *symbols, uint64_t address);

/* The same for a place in the file. */
const char *symbols_find_offset(const struct symbols *symbols, uint64_t offset);

#endif
