/* The row of `trials` of a trial that has ended: each column that follows its number, in the table's order, once for
 * all statements that write an end. KNOWN(column, type, value): what it had before, of a struct fresh_trial `known`;
 * END(column, type, value): what the end brings, of an `event` and its `end`; KEPT(column, sql): what it has from its
 * beginning on, as long as nothing else was written of it (fresh.h). `type` is that of query_put_TYPE. */
#ifndef GANNET_SCHEDULER_STORE_ENDED_ROW_H
#define GANNET_SCHEDULER_STORE_ENDED_ROW_H

#define ENDED_ROW(KNOWN, END, KEPT)                                                                                    \
    KNOWN(params, text, known->params)                                                                                 \
    KNOWN(fingerprint, u64, known->fingerprint)                                                                        \
    KNOWN(told_before, u64, known->told_before)                                                                        \
    KNOWN(from_start, int, known->from_start)                                                                          \
    KNOWN(proposed, real, known->proposed)                                                                             \
    KEPT(attempts, "0")                                                                                                \
    KEPT(failures, "0")                                                                                                \
    KEPT(losses, "0")                                                                                                  \
    END(ending, int, end->ending)                                                                                      \
    END(detail, text, text_or(end->detail, NULL))                                                                      \
    END(value, real, end->has_value ? end->value : NAN)                                                                \
    END(infeasible, int, end->infeasible)                                                                              \
    END(seconds, real, end->seconds)                                                                                   \
    END(energy, real, end->energy > 0 ? end->energy : NAN)                                                             \
    END(ended, real, event->time)                                                                                      \
    KNOWN(start_from, nonzero, known->from)                                                                            \
    KEPT(paused, "0")                                                                                                  \
    KEPT(reached, "0")                                                                                                 \
    END(step, nonzero, end->step)                                                                                      \
    KEPT(memory_limit, "NULL")                                                                                         \
    KEPT(time_limit, "NULL")                                                                                           \
    KEPT(ignored, "0")                                                                                                 \
    KEPT(added, "0")                                                                                                   \
    END(told, u64, end->told)

/* What statements make of a column, and of one that they leave out. */
#define ENDED_NAME(column, ...)     ", " #column
#define ENDED_SET(column, ...)      ", " #column " = ?"
#define ENDED_PARAMETER(...)        ", ?"
#define ENDED_CONSTANT(column, sql) ", " sql
#define ENDED_LEAVE(...)

#endif
