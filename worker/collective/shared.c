/* Shared memory: made, joined, and what is said in few bytes; see shared.h. */
#include "worker/collective/shared_parts.h"

#include "common/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Whole lines; arrays begin at a page. */
static size_t shown_bytes(const struct shared *shared)
{
    return rank_board_size(shared->ranks) + shared->ranks * sizeof(struct shown);
}

static size_t first_page(const struct shared *shared)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (shown_bytes(shared) + page - 1) / page * page;
}

static int make_memory(struct shared *shared, struct err *err)
{
    shared->fd = memfd_create(RANK_BOARD_NAME, MFD_CLOEXEC);
    if (shared->fd < 0)
        return err_errno(err, "can't make memory that the %u ranks of a trial share", shared->ranks);
    if (ftruncate(shared->fd, (off_t)first_page(shared)))
        return err_errno(err, "can't make %zu bytes of memory that the ranks of a trial share", first_page(shared));
    void *at = mmap(NULL, first_page(shared), PROT_READ | PROT_WRITE, MAP_SHARED, shared->fd, 0);
    if (at == MAP_FAILED)
        return err_errno(err, "can't map memory that the ranks of a trial share");
    shared->board = at;
    shared->board->ranks = shared->ranks;
    shared->shown = (void *)((char *)at + rank_board_size(shared->ranks));
    return 0;
}

struct shared *shared_create(uint32_t ranks, struct err *err)
{
    struct shared *shared = MEM_NEW(struct shared);
    shared->ranks = ranks;
    if (make_memory(shared, err)) {
        shared_destroy(shared);
        return NULL;
    }
    return shared;
}

static void unmap_arrays(struct shared *shared)
{
    if (shared->arrays)
        munmap(shared->arrays, shared->ranks * shared->room * sizeof(float));
    shared->arrays = NULL;
    shared->room = 0;
}

void shared_destroy(struct shared *shared)
{
    if (!shared)
        return;
    unmap_arrays(shared);
    if (shared->board)
        munmap(shared->board, first_page(shared));
    if (shared->fd >= 0)
        close(shared->fd);
    free(shared->ends);
    free(shared);
}

/* --- what the worker sees --- */

void shared_enter(struct shared *shared)
{
    if (!shared->calls++)
        atomic_store_explicit(&shared->board->signs[shared->rank].waits, 1, memory_order_relaxed);
}

void shared_leave(struct shared *shared)
{
    struct rank_sign *sign = &shared->board->signs[shared->rank];
    if (--shared->calls)
        return;
    atomic_fetch_add_explicit(&sign->moves, 1, memory_order_relaxed);
    atomic_store_explicit(&sign->waits, 0, memory_order_relaxed);
}

/* --- few bytes --- */

/* Waits until all ranks have come here; what each wrote before is there for all. */
static void shared_meet(struct shared *shared)
{
    eventcount_raise(&shared->shown[shared->rank].arrived);
    shared->meetings++;
    for (uint32_t rank = 0; rank < shared->ranks; rank++)
        eventcount_await(&shared->shown[rank].arrived, shared->meetings);
}

static void add_some(struct shared *shared, double *numbers, size_t count)
{
    memcpy(shared->shown[shared->rank].mail, numbers, count * sizeof *numbers);
    shared_meet(shared);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = 0;
        for (uint32_t rank = 0; rank < shared->ranks; rank++) {
            double number;
            memcpy(&number, shared->shown[rank].mail + i * sizeof number, sizeof number);
            numbers[i] += number;
        }
    }
    shared_meet(shared);
}

static void add_numbers(void *self, double *numbers, size_t count)
{
    enum { SOME = MAIL_BYTES / sizeof *numbers };
    shared_enter(self);
    for (size_t i = 0; i < count; i += SOME)
        add_some(self, numbers + i, count - i < SOME ? count - i : SOME);
    shared_leave(self);
}

static void broadcast_bytes(void *self, uint32_t root, void *bytes, size_t length)
{
    struct shared *shared = self;
    char *mail = shared->shown[root].mail;
    shared_enter(shared);
    for (size_t at = 0; at < length; at += MAIL_BYTES) {
        size_t some = length - at < MAIL_BYTES ? length - at : MAIL_BYTES;
        if (shared->rank == root)
            memcpy(mail, (char *)bytes + at, some);
        shared_meet(shared);
        if (shared->rank != root)
            memcpy((char *)bytes + at, mail, some);
        shared_meet(shared);
    }
    shared_leave(shared);
}

/* --- the arrays --- */

static int map_arrays(struct shared *shared, size_t room, struct err *err)
{
    size_t bytes = shared->ranks * room * sizeof(float), from = first_page(shared);
    void *at = MAP_FAILED;
    unmap_arrays(shared);
    if (shared->rank || ftruncate(shared->fd, (off_t)(from + bytes)) == 0)
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared->fd, (off_t)from);
    if (at == MAP_FAILED)
        return err_errno(err, "can't have %zu bytes of memory for the gradients of %u ranks", bytes, shared->ranks);
    shared->arrays = at;
    shared->room = room;
    return 0;
}

/* What one could not do none has done. */
static int reserve_room(void *self, size_t count, struct err *err)
{
    struct shared *shared = self;
    size_t room = (count + NUMBERS_A_LINE - 1) / NUMBERS_A_LINE * NUMBERS_A_LINE;
    room = room > 2 * SMALL_SUM ? room : 2 * SMALL_SUM;
    if (room <= shared->room)
        return 0;
    bool own_failed = map_arrays(shared, room, err) != 0;
    double failed = own_failed;
    add_numbers(shared, &failed, 1);
    if (failed <= 0)
        return 0;
    unmap_arrays(shared);
    return own_failed ? -1 : err_set(err, "another rank has no memory for the gradients of %u ranks", shared->ranks);
}

static const struct collective_kind kind = {
    .name = "shared memory",
    .reserve = reserve_room,
    .begin = shared_begin,
    .post = shared_post,
    .finish = shared_finish,
    .add = add_numbers,
    .broadcast = broadcast_bytes,
};

struct collective shared_join(struct shared *shared, uint32_t rank)
{
    shared->rank = rank;
    atomic_store(&shared->board->signs[rank].pid, getpid());
    return (struct collective){.kind = &kind, .self = shared, .rank = rank, .ranks = shared->ranks};
}
