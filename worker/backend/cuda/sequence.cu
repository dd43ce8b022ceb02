/* A step as a CUDA graph; see backend.h. What is called between begin and end is recorded in place of being started,
 * and then started at once, which takes a few microseconds for all in place of as many for each kernel.
 *
 * The graph that was made of the same step before is brought up to date with what differs (rates, the streams of random
 * numbers, addresses) and started again: any difference is allowed, that of its form costs as much as a new graph. A
 * step of a key that was not seen before runs as it is called, and makes ready what libraries want to have: nothing is
 * made ready within a recording (cuda_graph_flush is called before). */
#include "worker/backend/cuda/cuda.cuh"

#include <stdlib.h>

/* Steps that are kept: the batches of an epoch, its last one, and what each is divided into by who waits. */
enum { MOST_KEPT = 8 };

struct kept {
    uint64_t key;
    cudaGraphExec_t ready; /* NULL: it ran once */
};

struct cuda_graph {
    struct kept kept[MOST_KEPT];
    size_t count, next; /* next: the one whose place a new one takes */
    bool recording;
    uint64_t key; /* of what is recorded */
};

static struct kept *find_kept(struct cuda_graph *graph, uint64_t key)
{
    for (size_t i = 0; i < graph->count; i++)
        if (graph->kept[i].key == key)
            return &graph->kept[i];
    return NULL;
}

static void forget(struct kept *kept)
{
    if (kept->ready)
        cuda_check(cudaGraphExecDestroy(kept->ready), "forget a graph");
    kept->ready = NULL;
}

static struct kept *add_kept(struct cuda_graph *graph, uint64_t key)
{
    struct kept *kept = &graph->kept[graph->next];
    graph->next = (graph->next + 1) % MOST_KEPT;
    graph->count += graph->count < MOST_KEPT;
    forget(kept);
    kept->key = key;
    return kept;
}

/* Makes what was recorded ready to be started, in the place of what was ready before. */
static void make_ready(struct kept *kept, cudaGraph_t graph)
{
    cudaGraphExecUpdateResultInfo info;
    if (kept->ready && cudaGraphExecUpdate(kept->ready, graph, &info) == cudaSuccess)
        return;
    cudaGetLastError(); /* another form is no error */
    forget(kept);
    cuda_check(cudaGraphInstantiate(&kept->ready, graph, 0), "make a graph");
}

void cuda_begin(void *self, uint64_t key)
{
    struct cuda *cuda = cuda_of(self);
    if (cuda->one_by_one)
        return;
    if (!cuda->graph)
        cuda->graph = MEM_NEW(struct cuda_graph);
    struct cuda_graph *graph = cuda->graph;
    cuda_graph_flush(cuda);
    if (!find_kept(graph, key)) {
        add_kept(graph, key);
        return;
    }
    cuda_check(cudaStreamBeginCapture(cuda->stream, cudaStreamCaptureModeRelaxed), "record a step");
    graph->recording = true;
    graph->key = key;
}

void cuda_graph_flush(struct cuda *self)
{
    struct cuda_graph *graph = self->graph;
    cudaGraph_t recorded;
    if (!graph || !graph->recording)
        return;
    graph->recording = false;
    cuda_check(cudaStreamEndCapture(self->stream, &recorded), "record a step");
    struct kept *kept = find_kept(graph, graph->key); /* begin has seen to it */
    make_ready(kept, recorded);
    cuda_check(cudaGraphDestroy(recorded), "forget a recording");
    cuda_check(cudaGraphLaunch(kept->ready, self->stream), "run a step");
}

void cuda_end(void *self)
{
    cuda_graph_flush(cuda_of(self));
}

void cuda_graph_close(struct cuda *self)
{
    for (size_t i = 0; self->graph && i < self->graph->count; i++)
        forget(&self->graph->kept[i]);
    free(self->graph);
}
