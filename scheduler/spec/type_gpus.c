/* The types of what is said of GPUs; see key.h. Of resources.gpus, which are whole GPUs or the part of one, what is
 * written is kept as it is: 0.33 says as much as a third, and reads back as the same. */
#include "scheduler/spec/type.h"
#include "scheduler/spec/emit.h"
#include "common/gpu_share.h"

#include <math.h>
#include <string.h>

static void gpus_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    double number = 0;
    node_number(node, &number);
    uint32_t slots = gpu_share_slots(number);
    if (!slots || number > key->max) {
        problem_say(reading->problems, PROBLEM_BAD_VALUE, node->mark,
                    number > key->max || number < 0 ? "from 0 to 1024 are allowed"
                    : number < 0.5                  ? "the least part is 0.01, a hundredth of a GPU"
                    : number < 1
                        ? "so large a part leaves no room for a second trial: write 1, or 0.5"
                        : "write whole GPUs (1, 2, ...), or a part of one: 0.5 lets two trials share a GPU, 0.25 four",
                    "%s can't be %s", key_show(reading, key).text, node->text);
        return;
    }
    *KEY_AT(owner, key->offset, uint32_t) = (uint32_t)ceil(number);
    *KEY_AT(owner, key->also, double) = number;
}

static bool gpus_write(const struct key *key, const void *owner, struct buf *out)
{
    double number = *KEY_AT_CONST(owner, key->also, double);
    if (number == floor(number))
        buf_format(out, "%.0f", number);
    else
        emit_number(out, number);
    return true;
}

static json_t *gpus_schema(const struct key *key)
{
    return json_pack("{s:[{s:s, s:i, s:I}, {s:s, s:f, s:f}]}", "anyOf", "type", "integer", "minimum", 0, "maximum",
                     (json_int_t)key->max, "type", "number", "minimum", 1.0 / GPU_SHARE_MOST, "maximum", 0.5);
}

const struct key_type type_gpus = {"a number of GPUs, or the part of one such as 0.5", TAKES_NUMBER, gpus_read,
                                   gpus_write, .make_schema = gpus_schema};

/* --- resources.mps --- */

/* "on" and "off" are words here, true and false in older YAML: both are taken, and the loader warns of the words. */
static void mps_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    static const char *const switches[] = {"auto", "off", "on"};
    for (int i = 0; node->kind == NODE_SCALAR && key->words[i]; i++)
        if (strcmp(node->text, key->words[i]) == 0 || strcmp(node->text, switches[i]) == 0) {
            *KEY_AT(owner, key->offset, enum mps_rule) = (enum mps_rule)i;
            return;
        }
    key_refuse(reading, key, node);
}

static bool mps_write(const struct key *key, const void *owner, struct buf *out)
{
    enum mps_rule mps = *KEY_AT_CONST(owner, key->offset, enum mps_rule);
    if (mps != MPS_AUTO)
        buf_text(out, key->words[mps]);
    return mps != MPS_AUTO;
}

const struct key_type type_mps = {"auto, true or false", TAKES_ANY, mps_read, mps_write,
                                  .schema = "{'enum': ['auto', false, true]}"};
