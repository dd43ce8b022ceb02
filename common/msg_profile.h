/* Profiles between the structs that measure and those of messages. */
#ifndef GANNET_COMMON_MSG_PROFILE_H
#define GANNET_COMMON_MSG_PROFILE_H

#include "common/msg.h"
#include "common/operations.h"
#include "common/phases.h"

/* The phases that occurred into `out`, of PHASES_COUNT; how many. */
uint32_t msg_phases_make(const struct phase_time *phases, struct msg_phase *out);
struct phase_time msg_phase_time(const struct msg_phase *phase);

struct phase_time msg_named_time(const struct msg_named *named);
struct msg_named msg_named_make(const char *name, const struct phase_time *time);

/* The operations that were called into `out`, of OPERATIONS_COUNT; how many. */
uint32_t msg_operations_make(const struct operation_count *counts, struct msg_operation *out);

#endif
