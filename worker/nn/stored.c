/* Arrays of a backend in checkpoints; see stored.h. */
#include "worker/nn/stored.h"

#include "common/mem.h"

#include <stdlib.h>

/* The next piece behind `at` numbers; false behind the last one. */
static bool cut_piece(const struct tensor *whole, size_t at, struct tensor *piece)
{
    size_t most = PACK_PIECE / tensor_type_bytes(whole->type), left = whole->size[0] - at;
    *piece = tensor_slice(whole, at, left < most ? left : most);
    return left > 0;
}

void stored_add(struct backend *backend, const struct tensor *tensor, struct pack_writer *out)
{
    struct tensor whole = tensor_flat(tensor), piece;
    size_t length = tensor->at ? tensor_bytes(tensor) : 0;
    pack_add_length(out, length);
    char *bytes = mem_raw(length < PACK_PIECE ? length + 1 : PACK_PIECE);
    for (size_t at = 0; length && !out->error && cut_piece(&whole, at, &piece); at += piece.size[0]) {
        op_download(backend, &piece, bytes);
        pack_add_bytes(out, bytes, tensor_bytes(&piece));
    }
    free(bytes);
}

void stored_take(struct backend *backend, const struct tensor *tensor, struct pack_reader *in)
{
    struct tensor whole = tensor_flat(tensor), piece;
    size_t length = tensor->at ? tensor_bytes(tensor) : 0;
    if (!pack_take_length(in, length))
        return;
    char *bytes = mem_raw(length < PACK_PIECE ? length + 1 : PACK_PIECE);
    for (size_t at = 0; length && cut_piece(&whole, at, &piece); at += piece.size[0]) {
        if (!pack_take_bytes(in, bytes, tensor_bytes(&piece)))
            break;
        op_upload(backend, bytes, &piece);
    }
    free(bytes);
}
