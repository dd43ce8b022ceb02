/* Every message and its fields: the master copy. msg.h makes the structs of it, msg.c the codec, `gannet docs messages`
 * the page docs/messages.md.
 *
 *     RECORD(name, help)        a part that messages hold lists of; before its first use
 *     MESSAGE(KIND, name, from and to, help)
 *     FIELD(owner, type, name, limit, help)     type: U32, U64, I64, F64, BOOL, TEXT
 *     LIST(owner, record, name, limit, help)    name and name_count in the struct
 *     END(name)
 *
 * The limit is what msg_check holds a message of somebody else to: ANY, UPTO(most) or RANGE(least, most) of a number,
 * of the bytes of a text, of the items of a list. It lies far beyond what a sane peer says.
 *
 * On the wire: 'G', the version, the kind and a zero, then the fields in order, little-endian; BOOL one byte 0 or 1;
 * TEXT a 32-bit length, the bytes (no zero among them) and a closing zero; LIST a 32-bit count and the records. Fields
 * are never changed within a version; whoever changes them counts MSG_VERSION up in msg.h. */

RECORD(slot, "one place to run a trial")
FIELD(slot, U32, index, UPTO(4095), "the slot's number at its worker, from 0")
FIELD(slot, TEXT, cpus, UPTO(65536), "its cores, as a list of operating-system numbers: 0-3,8; empty: not known")
FIELD(slot, TEXT, numa, UPTO(65536), "the NUMA nodes its memory is taken from, as a list; empty: any")
FIELD(slot, TEXT, gpus, UPTO(65536), "its GPUs, as a list of their numbers; empty: none")
FIELD(slot, U64, memory, UPTO(MSG_MOST_BYTES), "bytes a trial may use; 0: not limited")
FIELD(slot, U32, port, UPTO(65535),
      "a free port of its node, where the processes of a run may meet that begins here; 0: none")
FIELD(slot, TEXT, meeting, UPTO(200),
      "of kernels: the address beside that port, a space, and the secret by which they know each other; empty: none")
END(slot)

RECORD(run_id, "names a run")
FIELD(run_id, U64, trial, RANGE(1, MSG_MOST_NUMBER), "the trial's number, from 1")
FIELD(run_id, U32, attempt, RANGE(1, MSG_MOST_ATTEMPT), "the attempt, from 1")
END(run_id)

RECORD(held, "a run that a worker still has")
FIELD(held, U64, trial, RANGE(1, MSG_MOST_NUMBER), "the trial's number")
FIELD(held, U32, attempt, RANGE(1, MSG_MOST_ATTEMPT), "the attempt")
FIELD(held, U32, slot, UPTO(65535), "the slot it was leased to")
FIELD(held, BOOL, ended, ANY, "it has ended; its result follows")
END(held)

RECORD(lease, "a trial given to a slot")
FIELD(lease, U64, trial, ANY, "the trial's number")
FIELD(lease, U32, attempt, ANY, "the attempt")
FIELD(lease, U32, slot, ANY, "where to run it")
FIELD(lease, U64, seed, ANY, "seeds the trial's own random numbers; the same for every attempt")
FIELD(lease, TEXT, params, ANY, "the configuration: a JSON object of names and scalars")
FIELD(lease, U64, until, ANY, "the step after which it is to pause; 0: it runs to its end")
FIELD(lease, U64, reached, ANY, "the step that it came to before: a checkpoint should be there; 0: it begins")
FIELD(lease, U64, known, ANY, "the step up to which its samples are recorded: those of later steps are reported again")
FIELD(lease, U64, from, ANY, "the trial whose checkpoint it starts from while it has none of its own; 0: none")
FIELD(lease, U64, memory, ANY, "bytes it may use, if that is more than its slot has; 0: as its slot says")
FIELD(lease, F64, time, ANY, "seconds it may take; 0: the task's trial_time")
FIELD(lease, U32, node, UPTO(1023), "which of the run's nodes this is, from 0: the first one's samples are the trial's")
FIELD(lease, U32, nodes, UPTO(1024), "nodes that the run is on; 0: one")
FIELD(lease, U32, port, UPTO(65535), "the first node's port, where its processes may meet; 0: none was named")
FIELD(lease, TEXT, meeting, ANY, "what the first node's slot said of where they meet; empty: nothing")
FIELD(lease, TEXT, hosts, UPTO(1 << 20),
      "the nodes' names, separated by commas, the first node's first; empty: there is one")
END(lease)

RECORD(sample, "one metric value at one step")
FIELD(sample, TEXT, metric, UPTO(255), "the metric's name")
FIELD(sample, I64, step, UPTO(MSG_MOST_NUMBER), "the step it belongs to, from 1; 0: before the first")
FIELD(sample, F64, value, ANY, "the value; may be NaN or infinite")
FIELD(sample, F64, time, RANGE(-1e10, 1e10), "seconds since the run's start")
END(sample)

RECORD(phase, "time spent in one phase of a run")
FIELD(phase, U32, phase, UPTO(255), "which: the rows of phases.h")
FIELD(phase, F64, seconds, RANGE(-1e10, 1e10), "in all")
FIELD(phase, U64, count, UPTO(MSG_MOST_NUMBER), "how many times")
FIELD(phase, F64, min, RANGE(-1e10, 1e10), "the shortest")
FIELD(phase, F64, max, RANGE(-1e10, 1e10), "the longest")
FIELD(phase, F64, p50, RANGE(-1e10, 1e10), "the median, to 3.2 %; 0: not known")
FIELD(phase, F64, p95, RANGE(-1e10, 1e10), "what 95 of 100 do not exceed, likewise")
END(phase)

RECORD(named, "time that a program spent in a phase of its own")
FIELD(named, TEXT, name, UPTO(40), "its name, which is none of phases.h: letters, digits and _ - . /")
FIELD(named, F64, seconds, RANGE(-1e10, 1e10), "in all")
FIELD(named, U64, count, UPTO(MSG_MOST_NUMBER), "how many times")
FIELD(named, F64, min, RANGE(-1e10, 1e10), "the shortest")
FIELD(named, F64, max, RANGE(-1e10, 1e10), "the longest")
FIELD(named, F64, p50, RANGE(-1e10, 1e10), "the median, to 3.2 %; 0: not known")
FIELD(named, F64, p95, RANGE(-1e10, 1e10), "what 95 of 100 do not exceed, likewise")
END(named)

RECORD(counted, "one counter of a run")
FIELD(counted, U32, counter, UPTO(255), "which: the rows of run_counters.h")
FIELD(counted, F64, value, RANGE(0, MSG_MOST_NUMBER), "its value, in the unit of that row")
END(counted)

RECORD(operation, "what a run did of one kind of operation")
FIELD(operation, U32, operation, UPTO(63), "which: the rows of operation_list.h")
FIELD(operation, U64, calls, UPTO(MSG_MOST_NUMBER), "how many times")
FIELD(operation, F64, flops, RANGE(0, 1e30), "floating-point operations of all calls")
FIELD(operation, F64, bytes, RANGE(0, 1e30), "read and written by all calls")
FIELD(operation, U64, timed, UPTO(MSG_MOST_NUMBER), "calls that were timed")
FIELD(operation, F64, seconds, RANGE(0, 1e10), "of these, in all")
FIELD(operation, F64, min, RANGE(0, 1e10), "the shortest")
FIELD(operation, F64, max, RANGE(0, 1e10), "the longest")
END(operation)

RECORD(gpu_sum, "what a program did on GPUs under one name")
FIELD(gpu_sum, TEXT, name, UPTO(64),
      "a kernel's, or what kind of copy it was: printable letters of ASCII but for \" and \\")
FIELD(gpu_sum, U64, calls, UPTO(MSG_MOST_NUMBER), "how many times")
FIELD(gpu_sum, F64, bytes, RANGE(0, 1e30), "copied by all calls; 0: it is a kernel, of which they are not known")
FIELD(gpu_sum, F64, seconds, RANGE(0, 1e10), "of all calls")
FIELD(gpu_sum, F64, min, RANGE(0, 1e10), "the shortest")
FIELD(gpu_sum, F64, max, RANGE(0, 1e10), "the longest")
END(gpu_sum)

RECORD(batch, "samples of one run")
FIELD(batch, U64, trial, RANGE(1, MSG_MOST_NUMBER), "the trial's number")
FIELD(batch, U32, attempt, RANGE(1, MSG_MOST_ATTEMPT), "the attempt")
FIELD(batch, U64, resumed, UPTO(MSG_MOST_NUMBER),
      "the step behind which its samples begin, having gone on from a checkpoint; 0: the beginning")
FIELD(batch, U32, first, UPTO(MSG_MOST_SAMPLES),
      "how many samples of this run came before these: a repeated batch is recognised by it")
LIST(batch, sample, samples, UPTO(200000), "the samples, in the order they were reported")
END(batch)

RECORD(measure, "what a metric came to over a whole run")
FIELD(measure, U32, metric, UPTO(1023), "which: its place among the metrics of the task, from 0")
FIELD(measure, F64, last, ANY, "its value at the highest step")
FIELD(measure, F64, min, ANY, "its least finite value; NaN: none was finite")
FIELD(measure, F64, max, ANY, "its greatest finite value; NaN: none was finite")
END(measure)

RECORD(result, "how a run ended")
FIELD(result, U64, trial, RANGE(1, MSG_MOST_NUMBER), "the trial's number")
FIELD(result, U32, attempt, RANGE(1, MSG_MOST_ATTEMPT), "the attempt")
FIELD(result, U32, slot, UPTO(65535), "where it ran")
FIELD(result, U32, ending, UPTO(255), "the rows of endings.h")
FIELD(result, TEXT, detail, UPTO(4096), "a sentence about this ending; may be empty")
FIELD(result, TEXT, tail, UPTO(16384), "the last lines of its error output; may be empty")
FIELD(result, U64, resumed, UPTO(MSG_MOST_NUMBER),
      "the step behind which its samples begin, having gone on from a checkpoint; 0: the beginning")
FIELD(result, F64, started, RANGE(-1e12, 1e12), "when the run began, seconds since 1970 by the worker's clock")
FIELD(result, F64, seconds, RANGE(-1e10, 1e10), "how long the run took")
FIELD(result, F64, cpu_seconds, RANGE(-1e10, 1e10), "processor time its process used")
FIELD(result, U64, peak_memory, UPTO(MSG_MOST_BYTES), "bytes its process had resident at most")
LIST(result, measure, measures, UPTO(1024), "the metrics of the task that were reported")
FIELD(result, U32, first, UPTO(MSG_MOST_SAMPLES), "how many samples of this run came before these")
LIST(result, sample, samples, UPTO(200000), "the samples that were not acknowledged yet")
LIST(result, phase, phases, UPTO(64), "the profile")
LIST(result, named, named, UPTO(16), "its phases that the program named")
LIST(result, counted, counted, UPTO(255), "its counters that are known")
LIST(result, operation, operations, UPTO(64), "its operations")
LIST(result, gpu_sum, gpu, UPTO(64), "of a program what it did on GPUs, where that was asked for")
FIELD(result, TEXT, gpu_unknown, UPTO(255),
      "why that is not known, or not all of it; empty: it is, or was not asked for")
END(result)

RECORD(ack, "what is on disk of a run")
FIELD(ack, U64, trial, ANY, "the trial's number")
FIELD(ack, U32, attempt, ANY, "the attempt")
FIELD(ack, U32, samples, ANY, "how many samples of the run are recorded, or never will be needed")
FIELD(ack, BOOL, ended, ANY, "its end is recorded too: forget the run")
END(ack)

MESSAGE(HELLO, hello, "worker to coordinator", "the first message, and the answer to WHO")
FIELD(hello, U64, worker, RANGE(1, 0x1p64), "a random number that names this worker process")
FIELD(hello, TEXT, node, UPTO(255), "the node's name; inside Slurm, Slurm's")
FIELD(hello, U32, pid, ANY, "the process")
FIELD(hello, U32, job, ANY, "the job that it belongs to, of an array the array's; 0: none")
FIELD(hello, U32, element, ANY, "which element of the array; 4294967295: none")
FIELD(hello, U32, part, UPTO(1 << 20),
      "of several that share the node which one it is, from 1; 0: it has the node alone")
FIELD(hello, TEXT, version, UPTO(255), "gannet's version")
FIELD(hello, TEXT, machine, UPTO(4096), "what it found on the node, in words")
FIELD(hello, U32, cores, UPTO(1 << 20), "cores it may use")
FIELD(hello, U32, gpus, UPTO(1 << 20), "GPUs it may use")
FIELD(hello, U64, memory, UPTO(MSG_MOST_BYTES), "bytes of memory on the node")
FIELD(hello, TEXT, uncounted, UPTO(16384),
      "counters of runs that it can't read, and why: a JSON object of names and sentences; empty: none")
END(hello)

MESSAGE(WELCOME, welcome, "coordinator to worker",
        "what the experiment's trials have in common; a DRAIN of before is void")
FIELD(welcome, U64, session, ANY, "counts the coordinator's starts on this run directory")
FIELD(welcome, TEXT, task, ANY, "the task, a JSON object: docs/task.md")
FIELD(welcome, F64, heartbeat, ANY, "seconds between the worker's heartbeats")
FIELD(welcome, F64, silence, ANY, "seconds without a word from the coordinator after which the worker says HELLO anew")
END(welcome)

MESSAGE(REFUSED, refused, "coordinator to worker", "this worker can't take part; it ends")
FIELD(refused, TEXT, why, ANY, "the reason, in a sentence")
END(refused)

MESSAGE(WHO, who, "coordinator to worker", "a message came from a peer without HELLO: say it (again)")
FIELD(who, U64, session, ANY, "counts the coordinator's starts")
END(who)

MESSAGE(OFFER, offer, "worker to coordinator", "the slots, after WELCOME")
FIELD(offer, U32, credit, ANY, "leases that may wait behind the running one, a slot")
LIST(offer, slot, slots, RANGE(1, 4096), "the slots")
LIST(offer, held, held, UPTO(65536), "runs it still has from before")
END(offer)

MESSAGE(LEASES, leases, "coordinator to worker", "trials to run")
FIELD(leases, F64, deadline, ANY, "when the time of the job is up, seconds since 1970; 0: not known")
LIST(leases, lease, leases, ANY, "in the order to run them")
END(leases)

MESSAGE(RETURNED, returned, "worker to coordinator", "leases given back unstarted")
LIST(returned, run_id, runs, UPTO(65536), "which")
END(returned)

MESSAGE(SAMPLES, samples, "worker to coordinator", "metric values of runs that go on")
LIST(samples, batch, batches, UPTO(65536), "one a run")
END(samples)

MESSAGE(RESULTS, results, "worker to coordinator", "runs that ended; repeated until acknowledged")
LIST(results, result, results, UPTO(4096), "one a run")
END(results)

MESSAGE(ACKS, acks, "coordinator to worker", "what of the worker's samples and results is on disk")
LIST(acks, ack, acks, ANY, "one a run")
END(acks)

MESSAGE(STOP_RUN, stop_run, "coordinator to worker",
        "end a run now: a RESULT follows; a lease not yet started is RETURNED")
FIELD(stop_run, U64, trial, ANY, "the trial's number")
FIELD(stop_run, U32, attempt, ANY, "the attempt")
FIELD(stop_run, U32, ending, ANY, "what its result is to say: stopped_early, cancelled, walltime or preempted")
FIELD(stop_run, F64, seconds, ANY, "it has so long to end by itself, if trial.grace gives it no less; 0: trial.grace")
END(stop_run)

MESSAGE(HEARTBEAT, heartbeat, "worker to coordinator", "still here")
FIELD(heartbeat, F64, wall, ANY, "the worker's clock, seconds since 1970")
LIST(heartbeat, run_id, held, UPTO(65536), "every run it has: leases not begun, running ones, results not acknowledged")
END(heartbeat)

MESSAGE(HEARD, heard, "coordinator to worker", "the answer to HEARTBEAT")
FIELD(heard, F64, wall, ANY, "the worker's clock as it was sent")
END(heard)

MESSAGE(DRAIN, drain, "coordinator to worker", "the experiment ends: give back what has not started, then go")
FIELD(drain, BOOL, now, ANY, "true: end the running trials as cancelled too")
FIELD(drain, TEXT, why, ANY, "the reason, in a sentence")
END(drain)

MESSAGE(GOODBYE, goodbye, "worker to coordinator", "leaves; has no run any more")
FIELD(goodbye, TEXT, why, UPTO(4096), "the reason, in a sentence")
FIELD(goodbye, BOOL, idle, ANY, "it had nothing to run: leases under way to it have not begun")
END(goodbye)

MESSAGE(SETUP, setup, "worker to trainer", "once, after its start")
FIELD(setup, TEXT, task, ANY, "the task, a JSON object: docs/task.md")
FIELD(setup, U32, threads, ANY, "processor threads it may use; each of its processes, when a trial has several")
FIELD(setup, TEXT, places, ANY,
      "of such a trial: the processors of each process, as 0-1;2-3; empty: they are not bound")
END(setup)

MESSAGE(READY, ready, "trainer to worker", "waits for a run")
FIELD(ready, U64, memory, UPTO(MSG_MOST_BYTES), "bytes resident, the loaded data included")
FIELD(ready, F64, opening, RANGE(0, 1e10), "seconds that it took to open the kernel and its data")
FIELD(ready, TEXT, trouble, UPTO(65536), "why it can't run any trial of this task; empty when it can")
END(ready)

MESSAGE(RUN, run, "worker to trainer", "run this trial")
FIELD(run, U64, permit, ANY,
      "begun once this number was read from descriptor 0, dropped when a later one was; 0: begun at once")
FIELD(run, U64, trial, ANY, "the trial's number")
FIELD(run, U32, attempt, ANY, "the attempt")
FIELD(run, U64, seed, ANY, "seeds its random numbers")
FIELD(run, TEXT, params, ANY, "the configuration, a JSON object")
FIELD(run, TEXT, directory, ANY, "the trial's directory; may not exist yet")
FIELD(run, U64, until, ANY, "the step after which it is to pause; 0: it runs to its end")
FIELD(run, U64, reached, ANY, "the step that it came to before; 0: it begins")
FIELD(run, U64, known, ANY, "the step up to which its samples are recorded")
FIELD(run, TEXT, checkpoint, ANY, "the file of its checkpoints, gone on from when it is there; empty: it keeps none")
FIELD(run, BOOL, keep, ANY, "save one at the end, too: another trial may start from it")
FIELD(run, TEXT, origin, ANY, "another trial's checkpoint, to start from while it has none of its own; empty: none")
FIELD(run, U32, node, UPTO(1023), "which of the run's nodes this is, from 0: the others do what the first one does")
FIELD(run, U32, nodes, UPTO(1024), "nodes that the run is on; 0: one")
FIELD(run, U32, port, UPTO(65535), "the first node's port, where the nodes meet")
FIELD(run, TEXT, meeting, ANY, "as in LEASES")
FIELD(run, TEXT, hosts, UPTO(1 << 20), "the nodes' names, separated by commas; empty: there is one")
END(run)

MESSAGE(STEP, step, "trainer to worker", "a step is done")
FIELD(step, U64, resumed, UPTO(MSG_MOST_NUMBER), "the step behind which its samples begin; 0: the beginning")
LIST(step, sample, samples, UPTO(200000), "its metrics")
END(step)

MESSAGE(HALT, halt, "worker to trainer", "end the run after the present step")
FIELD(halt, U64, trial, ANY, "the trial's number: a late HALT does not hit the next run")
FIELD(halt, U32, attempt, ANY, "the attempt")
FIELD(halt, BOOL, keep, ANY, "save a checkpoint: the trial may go on later")
END(halt)

MESSAGE(ENDED, ended, "trainer to worker", "the run ended")
FIELD(ended, U32, ending, UPTO(255), "the rows of endings.h")
FIELD(ended, TEXT, detail, UPTO(1 << 20), "a sentence about this ending; may be empty")
FIELD(ended, U64, resumed, UPTO(MSG_MOST_NUMBER), "the step behind which its samples begin; 0: the beginning")
FIELD(ended, F64, begun, RANGE(-1e10, 1e10), "when it began, seconds of the monotonic clock")
FIELD(ended, F64, seconds, RANGE(-1e10, 1e10), "from then to its end")
FIELD(ended, F64, launch, RANGE(-1e10, 1e10), "from then to the first work")
FIELD(ended, F64, cpu_seconds, RANGE(-1e10, 1e10), "processor time that the trainer has used and not told before")
FIELD(ended, U64, peak_memory, UPTO(MSG_MOST_BYTES), "bytes resident at most")
LIST(ended, sample, samples, UPTO(200000), "metrics not yet sent by STEP")
LIST(ended, phase, phases, UPTO(64), "the profile of the work")
LIST(ended, counted, counted, UPTO(255), "counters of its processes that are known")
LIST(ended, operation, operations, UPTO(64), "its operations")
END(ended)

MESSAGE(ASK, ask, "command line to coordinator", "a question or a command")
FIELD(ask, TEXT, what, ANY, "the rows of scheduler/coordinator/service.c: status, trials, drain, stop, ...")
FIELD(ask, TEXT, arguments, ANY, "a JSON object; may be empty")
END(ask)

MESSAGE(ANSWER, answer, "coordinator to command line", "the answer to ASK")
FIELD(answer, U32, status, ANY, "0, or the exit status that the command is to have")
FIELD(answer, TEXT, text, ANY, "JSON when the status is 0, else a sentence")
END(answer)

MESSAGE(PORT, port, "worker to coordinator", "the port of a slot was taken by somebody else, and is another now")
FIELD(port, U32, slot, UPTO(65535), "the slot's number")
FIELD(port, U32, port, UPTO(65535), "its port from now on")
END(port)

MESSAGE(WAITS, waits, "worker to coordinator",
        "a slot can't start runs at present, or can try again; after OFFER all can, of which this is not said")
FIELD(waits, U32, slot, UPTO(65535), "the slot's number")
FIELD(waits, TEXT, why, UPTO(4096), "what it lacks, in a sentence; empty: it can try again")
END(waits)

MESSAGE(STALL, stall, "worker to coordinator",
        "processes of a run on this node that have not moved for a while: ranks of a kernel's, or one that is stopped;"
        " repeated while that lasts")
FIELD(stall, U64, trial, RANGE(1, MSG_MOST_NUMBER), "the trial's number")
FIELD(stall, U32, attempt, RANGE(1, MSG_MOST_ATTEMPT), "the attempt")
FIELD(stall, U32, still, UPTO(65536), "how many of them do not wait for others; 0: none")
FIELD(stall, U32, waiting, UPTO(65536), "how many of them do")
FIELD(stall, U32, rank, UPTO(1 << 26), "the one of those that do not which moved longest ago, of all of the run's")
FIELD(stall, F64, seconds, RANGE(0, 1e10), "how long ago that was")
FIELD(stall, U32, process, UPTO(1 << 30), "the number of a process that is stopped; 0: ranks are told of")
FIELD(stall, TEXT, why, UPTO(4096), "what keeps it, as a part of a sentence; empty: none is still")
END(stall)
