/* What programs print, any bytes of it: one half on each stream, read at once or in pieces, the same metrics are found.
 * The first byte says how long the pieces are, and whether the first line is the pattern of all. */
#include "common/line_pattern.h"
#include "common/mem.h"
#include "worker/program/printed.h"
#include "tests/fuzz_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
    " epoch 3 loss=0.31 acc: 97.5%\n",
    "\001{\"step\": 12, \"loss\": 1e-3}\n{'loss': nan}\r",
    "\007\033[32mloss\033[0m = \033[1m-inf\033[0m (12)\n",
    "\005epoch [3/9] val loss: tensor(0.5, device='cuda:0') acc [0.5] other: \"1\"\r\n50%\rloss 0,25\n",
    "\205at {step}{any}: {name} is {value}\nat 3 of 9: loss is tensor([0.5])\nat x: acc is 1,5\nat 4 a: at 5: acc is 2",
    "\003INFO:root:acc=1.5, step=1 epoch=2 loss=0x1p3 x=",
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_seed_texts(seeds, sizeof seeds / sizeof *seeds);
    return 0;
}

static void note(void *context, const char *name, int64_t step, double value)
{
    buf_format(context, "%s %lld %a\n", name, (long long)step, value);
}

static void read_pieces(struct printed *printed, enum printed_stream stream, const char *text, size_t size,
                        size_t piece)
{
    for (size_t at = 0; at < size; at += piece)
        printed_read(printed, stream, text + at, size - at < piece ? size - at : piece);
}

static char *found_in(const uint8_t *data, size_t size, size_t piece, const char *pattern)
{
    static const char *const names[] = {"loss", "acc", "val loss", NULL};
    struct buf out = {0};
    struct printed *printed = printed_create(names, pattern, note, &out);
    size_t half = size / 2;
    read_pieces(printed, PRINTED_OUT, (const char *)data, half, piece);
    read_pieces(printed, PRINTED_ERR, (const char *)data + half, size - half, piece);
    printed_end(printed);
    printed_others(printed, &out);
    printed_destroy(printed);
    return buf_take(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct line_pattern read;
    char *text = mem_text_n((const char *)data + 1, size - 1);
    text[strcspn(text, "\n")] = '\0';
    const char *pattern = data[0] & 0x80 && line_pattern_read(text, &read, NULL) == 0 ? text : NULL;
    char *whole = found_in(data + 1, size - 1, size, pattern);
    char *pieces = found_in(data + 1, size - 1, data[0] % 16 + 1u, pattern);
    if (strcmp(whole, pieces) != 0) {
        fprintf(stderr, "fuzz_printed: at once:\n%sin pieces:\n%s", whole, pieces);
        abort();
    }
    free(text);
    free(whole);
    free(pieces);
    return 0;
}
