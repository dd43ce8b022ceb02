/* See fuzz_seeds.h. */
#include "tests/fuzz_seeds.h"

#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_seed(const char *name, const void *bytes, size_t length)
{
    const char *directory = getenv("GANNET_FUZZ_SEEDS");
    if (!directory)
        return;
    char *path = path_join(directory, name);
    if (path_write(path, bytes, length, 0600, NULL)) {
        fprintf(stderr, "the seed %s can't be written\n", path);
        abort();
    }
    free(path);
}

void fuzz_seed_texts(const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *name = mem_format("%zu", i);
        fuzz_seed(name, texts[i], strlen(texts[i]));
        free(name);
    }
}

void fuzz_seed_kind(char kind, const void *bytes, size_t length)
{
    struct buf seed = {0};
    buf_add(&seed, &kind, 1);
    buf_add(&seed, bytes, length);
    fuzz_seed((const char[]){kind, '\0'}, seed.data, seed.length);
    buf_fini(&seed);
}

void fuzz_seed_file(char kind, const char *file)
{
    struct buf bytes = {0};
    if (path_read(file, &bytes, 1 << 20, NULL) == 0)
        fuzz_seed_kind(kind, buf_str(&bytes), bytes.length);
    buf_fini(&bytes);
}
