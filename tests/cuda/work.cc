/* Streams and what waits in them. Each operation knows of every stream how much of it comes before, by order within the
 * stream, by events, and by what the host had waited for; whoever waits has all of that done, and nothing else. */
#include "tests/cuda/fake.hh"

#include <algorithm>
#include <chrono>
#include <deque>

using namespace fake;

struct CUstream_st {
    unsigned number;
    bool blocks; /* waits for the default stream, and that for it */
    std::shared_ptr<work> last;
    CUgraph_st *capture; /* what is recorded; nullptr: none */
    bool is_spoiled;     /* the recording */
};

struct CUevent_st {
    bool has_times;
    std::shared_ptr<work> recorded; /* nullptr: never */
    CUgraph_st *capture;            /* recorded in a stream that is captured */
    std::shared_ptr<double> seconds;
};

/* What a graph does, in the order of its recording: all in one stream. */
struct step {
    std::string name;
    std::function<void()> run, queued;
};

struct CUgraph_st {
    std::vector<step> steps;
};

struct CUgraphExec_st {
    std::vector<step> steps;
};

namespace fake
{

static CUstream_st default_stream = {0, true, nullptr, nullptr, false};
static std::vector<CUstream_st *> streams = {&default_stream};
static bool numbers_taken[MOST_STREAMS] = {true};
static moments drawn{};      /* the last one of each stream */
static moments host_knows{}; /* is done */
static std::deque<std::shared_ptr<work>> queue;

/* Of operations that were done: the first id of each, in their order. */
struct record {
    uint32_t first_id;
    unsigned stream;
    uint64_t moment;
};
static std::vector<record> records;
static const work *current;

bool is_ordered(uint32_t id)
{
    auto next = std::upper_bound(records.begin(), records.end(), id,
                                 [](uint32_t wanted, const record &each) { return wanted < each.first_id; });
    if (next == records.begin() || !current)
        return true;
    --next;
    return current->before[next->stream] >= next->moment;
}

/* --- doing --- */

static void do_work(const std::shared_ptr<work> &one)
{
    if (one->is_done)
        return;
    for (const auto &each : one->after)
        do_work(each);
    one->after.clear();
    one->is_done = true;
    if (sickness())
        return;
    actor before = now;
    const work *outer = current;
    current = one.get();
    now = actor{};
    now.name = one->name.c_str();
    now.first_id = now.id = draw_ids(1);
    records.push_back({now.id, one->stream, one->before[one->stream]});
    open_memory();
    one->run();
    close_memory();
    now = before;
    current = outer;
    one->run = nullptr;
}

static void sweep()
{
    while (!queue.empty() && queue.front()->is_done)
        queue.pop_front();
}

static void host_waits(const std::shared_ptr<work> &one)
{
    if (!one)
        return;
    open_memory(); /* for all that comes before it, too */
    do_work(one);
    close_memory();
    for (unsigned i = 0; i < MOST_STREAMS; i++)
        host_knows[i] = std::max(host_knows[i], one->before[i]);
    sweep();
}

void run_all()
{
    open_memory();
    while (!queue.empty()) {
        auto one = queue.front();
        host_waits(one);
    }
    close_memory();
}

/* --- queueing --- */

static CUstream_st *stream_of(cudaStream_t stream)
{
    if (stream == nullptr || stream == cudaStreamLegacy)
        return &default_stream;
    thing_check(stream, "stream");
    return stream;
}

static void put_behind(work *one, const std::shared_ptr<work> &other)
{
    if (!other)
        return;
    for (unsigned i = 0; i < MOST_STREAMS; i++)
        one->before[i] = std::max(one->before[i], other->before[i]);
    if (!other->is_done)
        one->after.push_back(other);
}

static std::shared_ptr<work> enqueue(CUstream_st *stream, const std::string &name, std::function<void()> run)
{
    auto one = std::make_shared<work>();
    one->name = name;
    one->run = std::move(run);
    one->stream = stream->number;
    one->before = host_knows;
    put_behind(one.get(), stream->last);
    for (CUstream_st *each : streams)
        if (each != stream && each->blocks && stream->blocks && (stream->number == 0 || each->number == 0))
            put_behind(one.get(), each->last);
    one->before[stream->number] = ++drawn[stream->number];
    stream->last = one;
    queue.push_back(one);
    if (the_options().now) {
        do_work(one);
        sweep();
    }
    return one;
}

cudaError_t add_work(cudaStream_t handle, const char *name, std::function<void()> run, std::function<void()> queued)
{
    CUstream_st *stream = stream_of(handle);
    if (stream->capture) {
        stream->capture->steps.push_back({name, std::move(run), std::move(queued)});
        return stream->is_spoiled ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    }
    if (queued)
        queued();
    enqueue(stream, name, std::move(run));
    return (cudaError_t)sickness();
}

} // namespace fake

/* --- kernels --- */

static bool may_launch(dim3 grid, dim3 block)
{
    size_t threads = (size_t)block.x * block.y * block.z;
    return threads > 0 && threads <= 1024 && block.x <= 1024 && block.y <= 1024 && block.z <= 64 && grid.x > 0 &&
           grid.y > 0 && grid.z > 0 && grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535;
}

cudaError_t fake_launch(struct fake_kernel kernel, struct dim3 grid, struct dim3 block, cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    std::shared_ptr<void> owned(kernel.self, kernel.destroy);
    if (int code = enter("cudaLaunchKernel"))
        return result((cudaError_t)code);
    if (!may_launch(grid, block))
        return result(cudaErrorInvalidConfiguration);
    return result(add_work(stream, kernel.name, [kernel, owned, grid, block] {
        if (fault_is_due())
            become_sick(the_options().fault_code);
        else
            run_grid(kernel, grid, block);
    }));
}

/* --- streams --- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaStreamCreateWithFlags"))
        return result((cudaError_t)code);
    unsigned number = 0;
    while (number < MOST_STREAMS && numbers_taken[number])
        number++;
    if (number == MOST_STREAMS)
        broken("more than %d streams at a time", MOST_STREAMS);
    numbers_taken[number] = true;
    *pStream = new CUstream_st{number, !(flags & cudaStreamNonBlocking), nullptr, nullptr, false};
    streams.push_back(*pStream);
    thing_made(*pStream, "stream");
    return result(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaStreamDestroy"))
        return result((cudaError_t)code);
    thing_gone(stream, "stream");
    host_waits(stream->last); /* it is done some time; what others do is ordered by it no more */
    numbers_taken[stream->number] = false;
    streams.erase(std::find(streams.begin(), streams.end(), stream));
    delete stream;
    return result((cudaError_t)sickness());
}

static cudaError_t spoil(CUstream_st *stream)
{
    stream->is_spoiled = true;
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaStreamSynchronize"))
        return result((cudaError_t)code);
    CUstream_st *of = stream_of(stream);
    if (of->capture)
        return result(spoil(of));
    host_waits(of->last);
    return result((cudaError_t)sickness());
}

cudaError_t cudaDeviceSynchronize(void)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaDeviceSynchronize"))
        return result((cudaError_t)code);
    for (CUstream_st *each : streams)
        if (each->capture)
            return result(spoil(each));
    run_all();
    return result((cudaError_t)sickness());
}

/* It is never done before somebody has waited: whoever asks until it is must wait in the end. */
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaStreamQuery"))
        return result((cudaError_t)code);
    CUstream_st *of = stream_of(stream);
    if (of->capture)
        return result(spoil(of));
    return result(of->last && !of->last->is_done ? cudaErrorNotReady : cudaSuccess);
}

/* --- events --- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaEventCreateWithFlags"))
        return result((cudaError_t)code);
    *event = new CUevent_st{!(flags & cudaEventDisableTiming), nullptr, nullptr, std::make_shared<double>(0)};
    thing_made(*event, "event");
    return result(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaEventDestroy"))
        return result((cudaError_t)code);
    thing_gone(event, "event");
    delete event;
    return result(cudaSuccess);
}

static double seconds_now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaEventRecord"))
        return result((cudaError_t)code);
    thing_check(event, "event");
    CUstream_st *of = stream_of(stream);
    event->capture = of->capture;
    auto seconds = event->seconds;
    if (!of->capture)
        event->recorded = enqueue(of, "an event", [seconds] { *seconds = seconds_now(); });
    return result((cudaError_t)sickness());
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaEventSynchronize"))
        return result((cudaError_t)code);
    thing_check(event, "event");
    if (event->capture)
        return result(cudaErrorStreamCaptureUnsupported);
    host_waits(event->recorded);
    return result((cudaError_t)sickness());
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaEventQuery"))
        return result((cudaError_t)code);
    thing_check(event, "event");
    return result(event->recorded && !event->recorded->is_done ? cudaErrorNotReady : cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaEventElapsedTime"))
        return result((cudaError_t)code);
    thing_check(start, "event");
    thing_check(end, "event");
    if (!start->has_times || !end->has_times || !start->recorded || !end->recorded)
        return result(cudaErrorInvalidResourceHandle);
    if (!start->recorded->is_done || !end->recorded->is_done)
        return result(cudaErrorNotReady);
    *ms = (float)((*end->seconds - *start->seconds) * 1e3);
    return result(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    (void)flags;
    if (int code = enter("cudaStreamWaitEvent"))
        return result((cudaError_t)code);
    thing_check(event, "event");
    CUstream_st *of = stream_of(stream);
    if (of->capture || event->capture)
        broken("streams that wait for each other while they are captured are more than is pretended here");
    if (event->recorded)
        put_behind(enqueue(of, "a wait for an event", [] {}).get(), event->recorded);
    return result((cudaError_t)sickness());
}

/* --- graphs --- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    (void)mode;
    if (int code = enter("cudaStreamBeginCapture"))
        return result((cudaError_t)code);
    CUstream_st *of = stream_of(stream);
    if (of->number == 0)
        return result(cudaErrorStreamCaptureUnsupported);
    if (of->capture)
        return result(cudaErrorIllegalState);
    of->capture = new CUgraph_st;
    of->is_spoiled = false;
    return result(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaStreamEndCapture"))
        return result((cudaError_t)code);
    CUstream_st *of = stream_of(stream);
    if (!of->capture)
        return result(cudaErrorIllegalState);
    *pGraph = of->capture;
    of->capture = nullptr;
    if (!of->is_spoiled) {
        thing_made(*pGraph, "graph");
        return result(cudaSuccess);
    }
    delete *pGraph;
    *pGraph = nullptr;
    return result(cudaErrorStreamCaptureInvalidated);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaStreamIsCapturing"))
        return result((cudaError_t)code);
    CUstream_st *of = stream_of(stream);
    *pCaptureStatus = !of->capture     ? cudaStreamCaptureStatusNone
                      : of->is_spoiled ? cudaStreamCaptureStatusInvalidated
                                       : cudaStreamCaptureStatusActive;
    return result(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaGraphDestroy"))
        return result((cudaError_t)code);
    thing_gone(graph, "graph");
    delete graph;
    return result(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    (void)flags;
    if (int code = enter("cudaGraphInstantiate"))
        return result((cudaError_t)code);
    thing_check(graph, "graph");
    *pGraphExec = new CUgraphExec_st{graph->steps};
    thing_made(*pGraphExec, "executable graph");
    return result(cudaSuccess);
}

/* Takes what has the same nodes in the same order, with other arguments. A kernel's name stands for its node here. */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaGraphExecUpdate"))
        return result((cudaError_t)code);
    thing_check(hGraphExec, "executable graph");
    thing_check(hGraph, "graph");
    const std::vector<step> &had = hGraphExec->steps, &has = hGraph->steps;
    bool same = std::equal(had.begin(), had.end(), has.begin(), has.end(),
                           [](const step &a, const step &b) { return a.name == b.name; });
    *resultInfo = {same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
    if (!same)
        return result(cudaErrorGraphExecUpdateFailure);
    hGraphExec->steps = has;
    return result(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaGraphExecDestroy"))
        return result((cudaError_t)code);
    thing_gone(graphExec, "executable graph");
    delete graphExec;
    return result(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cudaGraphLaunch"))
        return result((cudaError_t)code);
    thing_check(graphExec, "executable graph");
    if (stream_of(stream)->capture)
        broken("a graph in a graph is more than is pretended here");
    for (const step &each : graphExec->steps)
        add_work(stream, each.name.c_str(), each.run, each.queued);
    return result((cudaError_t)sickness());
}
