/* What each kind of event says: the master copy. event.h makes the structs and the union of it, event.c the copies, and
 * tests/event_text.c the lines for people. The kinds themselves are the rows of EVENTS in event.h.
 *
 *     PAYLOAD(struct, member)             what one or several kinds say: `struct event_run`, `event.run`
 *     FIELD(struct, type, name, help)     type: U32, U64, F64, BOOL, ENDING, ACTION, STATE, REASON; TEXT (never NULL in
 *                                         an event that was kept), MAYBE (a text or NULL), PROFILE (a phase_time for
 *                                         each of PHASES_COUNT, or NULL), COUNTERS (or NULL)
 *     LIST(struct, type, name, help)      name and name_count; type: SAMPLE, SLOT, NAMED, OPERATION, GPU_SUM, REAL
 *     PART(struct, payload, name)         another payload within this one
 *     BORROWED(struct, member)            a payload that is a struct of another table
 *     END(struct) */

PAYLOAD(event_proposed, proposed)
FIELD(event_proposed, TEXT, params, "a JSON object")
FIELD(event_proposed, U64, fingerprint, "of the configuration")
FIELD(event_proposed, U64, told_before, "how many tells preceded the proposal")
FIELD(event_proposed, BOOL, from_start, "it is a start point")
FIELD(event_proposed, U64, from, "the trial whose checkpoint it starts from; 0: none")
END(event_proposed)

PAYLOAD(event_lease, lease)
FIELD(event_lease, U32, slot, "of the worker")
FIELD(event_lease, U64, resumed, "the step that the attempt is expected to go on from; 0: it begins")
FIELD(event_lease, U64, memory, "bytes that the attempt may use; 0: as every other")
FIELD(event_lease, F64, time, "seconds that it may take; 0: as every other")
END(event_lease)

PAYLOAD(event_sampled, sampled)
FIELD(event_sampled, U64, resumed, "the step of the checkpoint that the attempt went on from; 0: none")
FIELD(event_sampled, BOOL, further, "it went on from a later step than any attempt before it")
FIELD(event_sampled, U32, first, "the number of the first of these samples, from 0 within the attempt")
LIST(event_sampled, SAMPLE, samples, "in the order in which they were reported")
END(event_sampled)

PAYLOAD(event_run, run)
PART(event_run, event_sampled, sampled)
FIELD(event_run, U32, slot, "of the worker")
FIELD(event_run, ENDING, ending, "how it ended")
FIELD(event_run, BOOL, given_up, "by us: its worker said nothing of it")
FIELD(event_run, TEXT, detail, "a sentence; empty: there is none")
FIELD(event_run, TEXT, tail, "last lines of error output")
FIELD(event_run, F64, started, "wall clock")
FIELD(event_run, F64, seconds, "how long it took")
FIELD(event_run, F64, cpu_seconds, "processor time of its process")
FIELD(event_run, U64, peak_memory, "bytes")
FIELD(event_run, PROFILE, profile, "where its time went")
LIST(event_run, NAMED, named, "the same, of phases that the program named")
FIELD(event_run, COUNTERS, counters, "what its processes used; NULL: nothing is known")
LIST(event_run, OPERATION, operations, "what it did by kinds of operations")
LIST(event_run, GPU_SUM, gpu, "of a program what it did on GPUs")
FIELD(event_run, TEXT, gpu_unknown, "why that is not known, or not all of it; empty: it is, or was not asked for")
END(event_run)

PAYLOAD(event_retried, retried)
FIELD(event_retried, ENDING, ending, "why the attempt before failed")
FIELD(event_retried, TEXT, detail, "a sentence; empty: there is none")
FIELD(event_retried, U32, losses, "losses of its worker, one attempt after the other, that count against the trial")
FIELD(event_retried, BOOL, alone, "they are so many that it runs alone from now on")
FIELD(event_retried, U64, memory, "bytes that its attempts are given from now on; 0: as every other")
FIELD(event_retried, F64, time, "seconds, likewise")
END(event_retried)

PAYLOAD(event_end, end)
FIELD(event_end, ENDING, ending, "why the trial ended")
FIELD(event_end, TEXT, detail, "a sentence; empty: there is none")
FIELD(event_end, F64, seconds, "of all attempts that count")
FIELD(event_end, F64, energy, "joules of these; 0: not known")
FIELD(event_end, U64, step, "the last one seen; 0: not known")
FIELD(event_end, U64, advance, "steps that it took behind the last one that early stopping judged")
FIELD(event_end, U64, told, "its place in the order of tells, from 1")
FIELD(event_end, BOOL, has_value, "it came to values")
FIELD(event_end, F64, value, "of the first metric, as it was reported")
LIST(event_end, REAL, values, "of several metrics or limited ones: all, NaN where there is none")
FIELD(event_end, BOOL, infeasible, "it has a value, but breaks a limit: never the best")
FIELD(event_end, BOOL, watched, "early stopping was told")
FIELD(event_end, U64, max_steps, "of a complete trial, as far as is known")
END(event_end)

BORROWED(msg_hello, hello)

PAYLOAD(event_slots, offered)
LIST(event_slots, SLOT, slots, "in the order of their index")
END(event_slots)

PAYLOAD(event_gone, gone)
FIELD(event_gone, TEXT, detail, "the reason in words")
END(event_gone)

PAYLOAD(event_experiment, experiment)
FIELD(event_experiment, STATE, state, "the new one")
FIELD(event_experiment, REASON, reason, "why")
FIELD(event_experiment, TEXT, detail, "the reason in words; empty: there are none")
FIELD(event_experiment, F64, held, "seconds the experiment has run in all, this session included")
END(event_experiment)

PAYLOAD(event_decided, decided)
FIELD(event_decided, U64, step, "the one looked at")
FIELD(event_decided, U64, advance, "steps since it was judged last")
FIELD(event_decided, U64, max_steps, "of a complete trial, as far as is known")
FIELD(event_decided, ACTION, decision, "what early stopping said")
LIST(event_decided, REAL, values, "what the objectives came to there, NaN for other metrics")
FIELD(event_decided, F64, cut_off, "what the first of these would have had to come to; NaN: there is no such number")
FIELD(event_decided, U32, bracket, "with several brackets, of which one the rung is, from 1; else 0")
FIELD(event_decided, F64, seconds, "that the trial ran up to then")
FIELD(event_decided, TEXT, detail, "the sentence of the decision")
FIELD(event_decided, U64, told, "its place in the order of tells; 0: the strategy does not observe it")
END(event_decided)

PAYLOAD(event_paused, paused)
FIELD(event_paused, U64, step, "that it came to")
FIELD(event_paused, F64, seconds, "of its attempts that count")
FIELD(event_paused, F64, energy, "joules of these; 0: not known")
END(event_paused)

PAYLOAD(event_cleared, cleared)
FIELD(event_cleared, U32, losses, "those that still count against it")
END(event_cleared)

PAYLOAD(event_ignored, ignored)
FIELD(event_ignored, BOOL, ignored, "it no longer counts; else it counts again")
FIELD(event_ignored, U64, told, "its place in the order of tells")
END(event_ignored)

PAYLOAD(event_reopened, reopened)
FIELD(event_reopened, U64, told, "its place in the order of tells")
END(event_reopened)

PAYLOAD(event_added, added)
FIELD(event_added, TEXT, params, "a JSON object")
FIELD(event_added, U64, fingerprint, "of the configuration")
PART(event_added, event_end, end)
END(event_added)

PAYLOAD(event_part, part)
FIELD(event_part, U32, node, "which node of the attempt, from 1: 0 is the attempt's own")
FIELD(event_part, U32, slot, "of the worker")
FIELD(event_part, ENDING, ending, "how it ended")
FIELD(event_part, BOOL, given_up, "its worker said nothing of it")
FIELD(event_part, TEXT, detail, "a sentence; empty: there is none")
END(event_part)

PAYLOAD(event_resumed, resumed)
FIELD(event_resumed, TEXT, detail, "why; empty: there is nothing to say")
FIELD(event_resumed, BOOL, held_back, "it was early stopping that had paused it")
FIELD(event_resumed, F64, cut_off, "then: up to which value trials of its rung go on; NaN: there is no such number")
END(event_resumed)

/* A job of the experiment, as far as it is known: zeros and NULL stand for what is not, and leave what was known. */
PAYLOAD(job_facts, job)
FIELD(job_facts, U32, job, "of an array: the array's")
FIELD(job_facts, U32, element, "NODE_NO_ELEMENT: it is none of an array")
FIELD(job_facts, U32, restarts, "how often it was requeued: each start of it has a row of its own")
FIELD(job_facts, MAYBE, role, "experiment, coordinator or worker")
FIELD(job_facts, F64, submitted, "seconds since 1970, as are started and ended")
FIELD(job_facts, F64, started, "when it began")
FIELD(job_facts, F64, ended, "when it ended")
FIELD(job_facts, MAYBE, state, "Slurm's, in the words of scheduler/slurm")
FIELD(job_facts, MAYBE, reason, "Slurm's, why it waits or ended")
FIELD(job_facts, MAYBE, nodes, "as Slurm writes lists of nodes")
FIELD(job_facts, MAYBE, request, "what was asked for, a JSON object")
FIELD(job_facts, MAYBE, exit, "\"0\", \"1\", \"signal 9\", ...")
END(job_facts)

#undef PAYLOAD
#undef FIELD
#undef LIST
#undef PART
#undef BORROWED
#undef END
