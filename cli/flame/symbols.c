/* Reading symbols; see symbols.h. */
#include "cli/flame/symbols.h"
#include "common/mem.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SECTIONS_MOST = 65536,
    SYMBOLS_MOST = 4000000, /* the largest libraries of frameworks have a million */
    NAMES_MOST = 1 << 28,   /* bytes of all names */
    NAME_LONGEST = 1024
};

struct elf_file {
    int fd;
    uint64_t size;
};

/* `length` bytes at a place, malloc()ed, a zero behind them; NULL: the file has not so many. */
static void *read_part(const struct elf_file *file, uint64_t offset, uint64_t length)
{
    if (!length || length > NAMES_MOST || offset > file->size || length > file->size - offset)
        return NULL;
    char *bytes = mem_zero(length + 1, 1);
    for (uint64_t done = 0; done < length;) {
        ssize_t got = pread(file->fd, bytes + done, length - done, (off_t)(offset + done));
        if (got <= 0) {
            free(bytes);
            return NULL;
        }
        done += (uint64_t)got;
    }
    return bytes;
}

static void read_segments(const struct elf_file *file, const Elf64_Ehdr *head, struct symbols *out)
{
    Elf64_Phdr *rows = head->e_phentsize == sizeof *rows
                           ? read_part(file, head->e_phoff, (uint64_t)head->e_phnum * sizeof *rows)
                           : NULL;
    for (size_t i = 0; rows && i < head->e_phnum; i++)
        if (rows[i].p_type == PT_LOAD) {
            MEM_GROW(out->segments, out->segment_capacity, out->segment_count + 1);
            out->segments[out->segment_count++] = (struct segment){rows[i].p_offset, rows[i].p_filesz, rows[i].p_vaddr};
        }
    free(rows);
}

static void add_functions(const Elf64_Sym *rows, size_t count, const char *names, uint64_t names_size,
                          struct symbols *out)
{
    for (size_t i = 0; i < count; i++) {
        unsigned type = ELF64_ST_TYPE(rows[i].st_info);
        bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
        if (is_function && rows[i].st_value && rows[i].st_shndx != SHN_UNDEF && rows[i].st_name < names_size)
            symbols_add(out, rows[i].st_value, rows[i].st_size, names + rows[i].st_name,
                        strnlen(names + rows[i].st_name, names_size - rows[i].st_name));
    }
}

static void read_table(const struct elf_file *file, const Elf64_Shdr *sections, size_t count, const Elf64_Shdr *table,
                       struct symbols *out)
{
    if (table->sh_entsize != sizeof(Elf64_Sym) || table->sh_link >= count ||
        table->sh_size / sizeof(Elf64_Sym) > SYMBOLS_MOST)
        return;
    const Elf64_Shdr *texts = &sections[table->sh_link];
    Elf64_Sym *rows = read_part(file, table->sh_offset, table->sh_size);
    char *names = rows ? read_part(file, texts->sh_offset, texts->sh_size) : NULL;
    if (names)
        add_functions(rows, table->sh_size / sizeof *rows, names, texts->sh_size, out);
    free(names);
    free(rows);
}

/* .symtab has what .dynsym has and more; stripped files have the latter alone. */
static void read_sections(const struct elf_file *file, const Elf64_Ehdr *head, struct symbols *out)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    Elf64_Shdr *rows = head->e_shentsize == sizeof *rows
                           ? read_part(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof *rows)
                           : NULL;
    for (size_t t = 0; rows && t < sizeof types / sizeof *types && !out->count; t++)
        for (size_t i = 0; i < head->e_shnum; i++)
            if (rows[i].sh_type == types[t])
                read_table(file, rows, head->e_shnum, &rows[i], out);
    free(rows);
}

void symbols_read(const char *path, struct symbols *out)
{
    *out = (struct symbols){0};
    struct stat status;
    /* A pipe in the place of a file lets nobody wait. */
    struct elf_file file = {.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    if (file.fd < 0)
        return;
    if (fstat(file.fd, &status) == 0 && S_ISREG(status.st_mode))
        file.size = (uint64_t)status.st_size;
    static const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    Elf64_Ehdr *head = read_part(&file, 0, sizeof *head);
    if (head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == ELFCLASS64 &&
        head->e_ident[EI_DATA] == order) {
        read_segments(&file, head, out);
        read_sections(&file, head, out);
    }
    free(head);
    close(file.fd);
    symbols_sort(out);
}

void symbols_fini(struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->count; i++)
        free(symbols->items[i].name);
    free(symbols->items);
    free(symbols->segments);
    *symbols = (struct symbols){0};
}

void symbols_add(struct symbols *symbols, uint64_t start, uint64_t size, const char *name, size_t length)
{
    MEM_GROW(symbols->items, symbols->capacity, symbols->count + 1);
    symbols->items[symbols->count++] =
        (struct symbol){start, size, mem_text_n(name, length > NAME_LONGEST ? NAME_LONGEST : length)};
}

/* Of several with one start the longest comes last, and is found. */
static int compare_symbols(const void *a, const void *b)
{
    const struct symbol *one = a, *other = b;
    if (one->start != other->start)
        return one->start > other->start ? 1 : -1;
    return (one->size > other->size) - (one->size < other->size);
}

void symbols_sort(struct symbols *symbols)
{
    if (symbols->count)
        qsort(symbols->items, symbols->count, sizeof *symbols->items, compare_symbols);
}

const char *symbols_find(const struct symbols *symbols, uint64_t address)
{
    size_t low = 0, high = symbols->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const struct symbol *found = &symbols->items[low - 1];
    /* What assembly wrote has no size: it goes on up to the next one. */
    return !found->size || address - found->start < found->size ? found->name : NULL;
}

const char *symbols_find_offset(const struct symbols *symbols, uint64_t offset)
{
    for (size_t i = 0; i < symbols->segment_count; i++) {
        const struct segment *segment = &symbols->segments[i];
        if (offset >= segment->offset && offset - segment->offset < segment->size)
            return symbols_find(symbols, offset - segment->offset + segment->address);
    }
    return NULL;
}
