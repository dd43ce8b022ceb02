/* Every message and its fields: the master copy. msg.h makes the structs of it, msg.c the codec, `gannet docs messages`
 * the page docs/messages.md.
 *
 *     RECORD(name, help)        a part that messages hold lists of; before its first use
 *     MESSAGE(KIND, name, from and to, help)
 *     FIELD(owner, type, name, help)      type: U32, U64, I64, F64, BOOL, TEXT
 *     LIST(owner, record, name, help)     name and name_count in the struct
 *     END(name)
 *
 * On the wire: 'G', the version, the kind and a zero, then the fields in order, little-endian; BOOL one byte 0 or 1;
 * TEXT a 32-bit length, the bytes (no zero among them) and a closing zero; LIST a 32-bit count and the records. Fields
 * are never changed within a version; whoever changes them counts MSG_VERSION up in msg.h. */

RECORD(slot, "one place to run a trial")
FIELD(slot, U32, index, "the slot's number at its worker, from 0")
FIELD(slot, TEXT, cpus, "its cores, as a list of operating-system numbers: 0-3,8; empty: not known")
FIELD(slot, TEXT, numa, "the NUMA nodes its memory is taken from, as a list; empty: any")
FIELD(slot, TEXT, gpus, "its GPUs, as a list of their numbers; empty: none")
FIELD(slot, U64, memory, "bytes a trial may use; 0: not limited")
END(slot)

RECORD(run_id, "names a run")
FIELD(run_id, U64, trial, "the trial's number, from 1")
FIELD(run_id, U32, attempt, "the attempt, from 1")
END(run_id)

RECORD(held, "a run that a worker still has")
FIELD(held, U64, trial, "the trial's number")
FIELD(held, U32, attempt, "the attempt")
FIELD(held, U32, slot, "the slot it was leased to")
FIELD(held, BOOL, ended, "it has ended; its result follows")
END(held)

RECORD(lease, "a trial given to a slot")
FIELD(lease, U64, trial, "the trial's number")
FIELD(lease, U32, attempt, "the attempt")
FIELD(lease, U32, slot, "where to run it")
FIELD(lease, U64, seed, "seeds the trial's own random numbers; the same for every attempt")
FIELD(lease, TEXT, params, "the configuration: a JSON object of names and scalars")
FIELD(lease, U64, until, "the step after which it is to pause; 0: it runs to its end")
FIELD(lease, U64, reached, "the step that it came to before: a checkpoint should be there; 0: it begins")
FIELD(lease, U64, known, "the step up to which its samples are recorded: those of later steps are reported again")
FIELD(lease, U64, from, "the trial whose checkpoint it starts from while it has none of its own; 0: none")
END(lease)

RECORD(sample, "one metric value at one step")
FIELD(sample, TEXT, metric, "the metric's name")
FIELD(sample, I64, step, "the step it belongs to, from 1; 0: before the first")
FIELD(sample, F64, value, "the value; may be NaN or infinite")
FIELD(sample, F64, time, "seconds since the run's start")
END(sample)

RECORD(phase, "time spent in one phase of a run")
FIELD(phase, U32, phase, "which: the rows of phases.h")
FIELD(phase, F64, seconds, "in all")
FIELD(phase, U64, count, "how many times")
FIELD(phase, F64, min, "the shortest")
FIELD(phase, F64, max, "the longest")
END(phase)

RECORD(batch, "samples of one run")
FIELD(batch, U64, trial, "the trial's number")
FIELD(batch, U32, attempt, "the attempt")
FIELD(batch, U64, resumed,
      "the step behind which its samples begin, having gone on from a checkpoint; 0: the beginning")
FIELD(batch, U32, first, "how many samples of this run came before these: a repeated batch is recognised by it")
LIST(batch, sample, samples, "the samples, in the order they were reported")
END(batch)

RECORD(measure, "what a metric came to over a whole run")
FIELD(measure, U32, metric, "which: its place among the metrics of the task, from 0")
FIELD(measure, F64, last, "its value at the highest step")
FIELD(measure, F64, min, "its least finite value; NaN: none was finite")
FIELD(measure, F64, max, "its greatest finite value; NaN: none was finite")
END(measure)

RECORD(result, "how a run ended")
FIELD(result, U64, trial, "the trial's number")
FIELD(result, U32, attempt, "the attempt")
FIELD(result, U32, slot, "where it ran")
FIELD(result, U32, ending, "the rows of endings.h")
FIELD(result, TEXT, detail, "a sentence about this ending; may be empty")
FIELD(result, TEXT, tail, "the last lines of its error output; may be empty")
FIELD(result, U64, resumed,
      "the step behind which its samples begin, having gone on from a checkpoint; 0: the beginning")
FIELD(result, F64, started, "when the run began, seconds since 1970 by the worker's clock")
FIELD(result, F64, seconds, "how long the run took")
FIELD(result, F64, cpu_seconds, "processor time its process used")
FIELD(result, U64, peak_memory, "bytes its process had resident at most")
LIST(result, measure, measures, "the metrics of the task that were reported")
FIELD(result, U32, first, "how many samples of this run came before these")
LIST(result, sample, samples, "the samples that were not acknowledged yet")
LIST(result, phase, phases, "the profile")
END(result)

RECORD(ack, "what is on disk of a run")
FIELD(ack, U64, trial, "the trial's number")
FIELD(ack, U32, attempt, "the attempt")
FIELD(ack, U32, samples, "how many samples of the run are recorded, or never will be needed")
FIELD(ack, BOOL, ended, "its end is recorded too: forget the run")
END(ack)

MESSAGE(HELLO, hello, "worker to coordinator", "the first message, and the answer to WHO")
FIELD(hello, U64, worker, "a random number that names this worker process")
FIELD(hello, TEXT, node, "the node's name; inside Slurm, Slurm's")
FIELD(hello, U32, pid, "the process")
FIELD(hello, U32, job, "the job that it belongs to, of an array the array's; 0: none")
FIELD(hello, U32, element, "which element of the array; 4294967295: none")
FIELD(hello, TEXT, version, "gannet's version")
FIELD(hello, TEXT, machine, "what it found on the node, in words")
FIELD(hello, U32, cores, "cores it may use")
FIELD(hello, U32, gpus, "GPUs it may use")
FIELD(hello, U64, memory, "bytes of memory on the node")
END(hello)

MESSAGE(WELCOME, welcome, "coordinator to worker",
        "what the experiment's trials have in common; a DRAIN of before is void")
FIELD(welcome, U64, session, "counts the coordinator's starts on this run directory")
FIELD(welcome, TEXT, task, "the task, a JSON object: docs/task.md")
FIELD(welcome, F64, heartbeat, "seconds between the worker's heartbeats")
FIELD(welcome, F64, silence, "seconds without a word from the coordinator after which the worker says HELLO anew")
END(welcome)

MESSAGE(REFUSED, refused, "coordinator to worker", "this worker can't take part; it ends")
FIELD(refused, TEXT, why, "the reason, in a sentence")
END(refused)

MESSAGE(WHO, who, "coordinator to worker", "a message came from a peer without HELLO: say it (again)")
FIELD(who, U64, session, "counts the coordinator's starts")
END(who)

MESSAGE(OFFER, offer, "worker to coordinator", "the slots, after WELCOME")
FIELD(offer, U32, credit, "leases that may wait behind the running one, a slot")
LIST(offer, slot, slots, "the slots")
LIST(offer, held, held, "runs it still has from before")
END(offer)

MESSAGE(LEASES, leases, "coordinator to worker", "trials to run")
FIELD(leases, F64, deadline, "when the time of the job is up, seconds since 1970; 0: not known")
LIST(leases, lease, leases, "in the order to run them")
END(leases)

MESSAGE(RETURNED, returned, "worker to coordinator", "leases given back unstarted")
LIST(returned, run_id, runs, "which")
END(returned)

MESSAGE(SAMPLES, samples, "worker to coordinator", "metric values of runs that go on")
LIST(samples, batch, batches, "one a run")
END(samples)

MESSAGE(RESULTS, results, "worker to coordinator", "runs that ended; repeated until acknowledged")
LIST(results, result, results, "one a run")
END(results)

MESSAGE(ACKS, acks, "coordinator to worker", "what of the worker's samples and results is on disk")
LIST(acks, ack, acks, "one a run")
END(acks)

MESSAGE(STOP_RUN, stop_run, "coordinator to worker",
        "end a run now: a RESULT follows; a lease not yet started is RETURNED")
FIELD(stop_run, U64, trial, "the trial's number")
FIELD(stop_run, U32, attempt, "the attempt")
FIELD(stop_run, U32, ending, "what its result is to say: stopped_early, cancelled, walltime or preempted")
FIELD(stop_run, F64, seconds, "it has so long to end by itself, if trial.grace gives it no less; 0: trial.grace")
END(stop_run)

MESSAGE(HEARTBEAT, heartbeat, "worker to coordinator", "still here")
FIELD(heartbeat, F64, wall, "the worker's clock, seconds since 1970")
LIST(heartbeat, run_id, held, "every run it has: leases not begun, running ones, results not acknowledged")
END(heartbeat)

MESSAGE(HEARD, heard, "coordinator to worker", "the answer to HEARTBEAT")
FIELD(heard, F64, wall, "the worker's clock as it was sent")
END(heard)

MESSAGE(DRAIN, drain, "coordinator to worker", "the experiment ends: give back what has not started, then go")
FIELD(drain, BOOL, now, "true: end the running trials as cancelled too")
FIELD(drain, TEXT, why, "the reason, in a sentence")
END(drain)

MESSAGE(GOODBYE, goodbye, "worker to coordinator", "leaves; has no run any more")
FIELD(goodbye, TEXT, why, "the reason, in a sentence")
FIELD(goodbye, BOOL, idle, "it had nothing to run: leases under way to it have not begun")
END(goodbye)

MESSAGE(SETUP, setup, "worker to trainer", "once, after its start")
FIELD(setup, TEXT, task, "the task, a JSON object: docs/task.md")
FIELD(setup, U32, threads, "processor threads it may use")
END(setup)

MESSAGE(READY, ready, "trainer to worker", "waits for a run")
FIELD(ready, U64, memory, "bytes resident, the loaded data included")
FIELD(ready, TEXT, trouble, "why it can't run any trial of this task; empty when it can")
END(ready)

MESSAGE(RUN, run, "worker to trainer", "run this trial")
FIELD(run, U64, permit,
      "begun once this number was read from descriptor 0, dropped when a later one was; 0: begun at once")
FIELD(run, U64, trial, "the trial's number")
FIELD(run, U32, attempt, "the attempt")
FIELD(run, U64, seed, "seeds its random numbers")
FIELD(run, TEXT, params, "the configuration, a JSON object")
FIELD(run, TEXT, directory, "the trial's directory; may not exist yet")
FIELD(run, U64, until, "the step after which it is to pause; 0: it runs to its end")
FIELD(run, U64, reached, "the step that it came to before; 0: it begins")
FIELD(run, U64, known, "the step up to which its samples are recorded")
FIELD(run, TEXT, checkpoint, "the file of its checkpoints, gone on from when it is there; empty: it keeps none")
FIELD(run, BOOL, keep, "save one at the end, too: another trial may start from it")
FIELD(run, TEXT, origin, "another trial's checkpoint, to start from while it has none of its own; empty: none")
END(run)

MESSAGE(STEP, step, "trainer to worker", "a step is done")
FIELD(step, U64, resumed, "the step behind which its samples begin; 0: the beginning")
LIST(step, sample, samples, "its metrics")
END(step)

MESSAGE(HALT, halt, "worker to trainer", "end the run after the present step")
FIELD(halt, U64, trial, "the trial's number: a late HALT does not hit the next run")
FIELD(halt, U32, attempt, "the attempt")
FIELD(halt, BOOL, keep, "save a checkpoint: the trial may go on later")
END(halt)

MESSAGE(ENDED, ended, "trainer to worker", "the run ended")
FIELD(ended, U32, ending, "the rows of endings.h")
FIELD(ended, TEXT, detail, "a sentence about this ending; may be empty")
FIELD(ended, U64, resumed, "the step behind which its samples begin; 0: the beginning")
FIELD(ended, F64, begun, "when it began, seconds of the monotonic clock")
FIELD(ended, F64, seconds, "from then to its end")
FIELD(ended, F64, launch, "from then to the first work")
FIELD(ended, F64, cpu_seconds, "processor time that the trainer has used and not told before")
FIELD(ended, U64, peak_memory, "bytes resident at most")
LIST(ended, sample, samples, "metrics not yet sent by STEP")
LIST(ended, phase, phases, "the profile of the work")
END(ended)

MESSAGE(ASK, ask, "command line to coordinator", "a question or a command")
FIELD(ask, TEXT, what, "the rows of scheduler/coordinator/service.c: status, trials, drain, stop, ...")
FIELD(ask, TEXT, arguments, "a JSON object; may be empty")
END(ask)

MESSAGE(ANSWER, answer, "coordinator to command line", "the answer to ASK")
FIELD(answer, U32, status, "0, or the exit status that the command is to have")
FIELD(answer, TEXT, text, "JSON when the status is 0, else a sentence")
END(answer)

MESSAGE(WAITS, waits, "worker to coordinator",
        "a slot can't start runs at present, or can try again; after OFFER all can, of which this is not said")
FIELD(waits, U32, slot, "the slot's number")
FIELD(waits, TEXT, why, "what it lacks, in a sentence; empty: it can try again")
END(waits)
