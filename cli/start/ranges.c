/* Guessing ranges; see ranges.h. */
#include "cli/start/ranges.h"
#include "cli/json.h"
#include "cli/start/imported.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 128, MOST_CHOICES = 100 };

/* --- names --- */

enum word_place {
    WHOLE, /* the name is the word */
    LAST,  /* it ends with the word */
    ANY    /* the word is in it; words are what stands between '_' */
};

/* What a name says about a number, and what its range is when there is no default. */
enum range_kind { LEFT, RATE, PENALTY, DROPOUT, SHARE, NEAR_ONE, SIZE, COUNT, NOTHING };

#define WHERE_RUNS  "where it runs is said by resources, not searched"
#define PLACE       "a place, not a setting"
#define HOW_LONG    "how long a trial trains; the same for all, unless you search it"
#define WHAT_TRAINS "what it trains on"
#define WHAT_SAYS   "what it reports, not what it learns"
#define HOW_FAST    "how it computes, not what it learns"

/* The first row that fits counts. */
static const struct range_words {
    enum word_place place;
    const char *words; /* separated by spaces */
    enum range_kind kind;
    const char *reason; /* of LEFT */
} rows[] = {
    {ANY, "seed random_state", LEFT, "give each trial its own seed with ${seed}, or leave it as it is"},
    {WHOLE, "data dataset datasets task dataroot train_data benchmark env env_name env_id", LEFT, WHAT_TRAINS},
    {LAST, "path dir directory file folder root filename checkpoint ckpt resume output out load save url", LEFT, PLACE},
    {LAST, "outdir savedir datadir logdir workdir resume_from output_path model_name_or_path", LEFT, PLACE},
    {ANY, "dir path", LEFT, PLACE},
    {ANY, "warmup", COUNT, NULL},
    {ANY, "epochs epoch", LEFT, HOW_LONG},
    {LAST, "steps iters iterations max_iter max_steps timesteps num_updates", LEFT, HOW_LONG},
    {ANY, "device devices gpu gpus cuda cpu mps accelerator rank world_size dist distributed backend port host", LEFT,
     WHERE_RUNS},
    {ANY, "workers threads n_jobs jobs procs nproc processes num_cpus", LEFT, WHERE_RUNS},
    {ANY,
     "log logging verbose verbosity quiet debug print wandb tensorboard project entity tag tags notes logger report",
     LEFT, WHAT_SAYS},
    {LAST, "interval freq frequency every name", LEFT, WHAT_SAYS},
    {ANY, "test_batch_size eval_batch_size val_batch_size test_batch eval_batch val_batch test_bs val_bs", LEFT,
     "how the result is computed, not what is learned"},
    {ANY, "save completion download overwrite push profile dry_run evaluate eval test predict no_cuda config cfg", LEFT,
     WHAT_SAYS},
    {ANY, "fp16 bf16 amp compile tf32 precision pin_memory", LEFT, HOW_FAST},
    {ANY, "lr_decay lr_gamma gamma discount decay_rate ema beta2 beta_2 adam_beta2 betas beta beta1 beta_1", NEAR_ONE,
     NULL},
    {ANY, "momentum", NEAR_ONE, NULL},
    {ANY, "dropout drop drop_rate droppath drop_path dropout_rate", DROPOUT, NULL},
    {ANY, "lr learning_rate eta step_size", RATE, NULL},
    {ANY, "weight_decay wd l1 l2 l2_reg reg regularization eps epsilon alpha lambda penalty entropy_coef", PENALTY,
     NULL},
    {ANY, "prob probability ratio fraction frac smoothing label_smoothing subsample colsample split clip_range", SHARE,
     NULL},
    {ANY, "batch batch_size bs", SIZE, NULL},
    {ANY, "hidden width units channels filters embed emb embedding dim d_model ff ffn hidden_size", SIZE, NULL},
    {ANY, "layers layer depth blocks heads num_layers n_layers", COUNT, NULL},
};

/* "--learningRate" and "learning-rate" as "_learning_rate_". */
static void spread_name(const char *name, char *out)
{
    size_t length = 0;
    out[length++] = '_';
    for (const char *at = name; *at && length + 3 < LONGEST_NAME; at++) {
        bool begins = isupper((unsigned char)*at) && at > name && islower((unsigned char)at[-1]);
        if (begins)
            out[length++] = '_';
        out[length++] = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '_';
    }
    out[length++] = '_';
    out[length] = '\0';
}

static bool fits_word(const char *spread, enum word_place place, const char *word, size_t length)
{
    char wanted[LONGEST_NAME];
    snprintf(wanted, sizeof wanted, "_%.*s_", (int)length, word);
    const char *at = strstr(spread, wanted);
    for (const char *next = at; place == LAST && next; next = strstr(next + 1, wanted))
        at = next;
    size_t rest = at ? strlen(at) - strlen(wanted) : 0;
    return at && (place == ANY || !rest) && (place != WHOLE || at == spread);
}

static const struct range_words *row_of(const char *name)
{
    static const struct range_words none = {ANY, "", NOTHING, NULL};
    char spread[LONGEST_NAME];
    spread_name(name, spread);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *word = rows[i].words; *word; word += strspn(word, " ")) {
            size_t length = strcspn(word, " ");
            if (fits_word(spread, rows[i].place, word, length))
                return &rows[i];
            word += length;
        }
    return &none;
}

/* --- numbers --- */

/* Without the digits that binary fractions add: 0.003 * 100 is 0.3. */
static double round_number(double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", number);
    return strtod(text, NULL);
}

static json_t *number_json(double number, bool integer)
{
    return integer ? json_integer((json_int_t)number) : json_real(round_number(number));
}

/* A range, kept within what the program says that it takes. */
static json_t *range_json(const json_t *option, double min, double max, bool log, bool integer)
{
    double least, most;
    if (json_number(option, "min", &least))
        min = fmax(min, least);
    if (json_number(option, "max", &most))
        max = fmin(max, most);
    if (log && min <= 0)
        min = integer ? 1 : fmin(1e-6, max / 1e4);
    if (!(max > min) || !isfinite(min) || !isfinite(max))
        return NULL;
    json_t *keys = json_object();
    json_object_set_new(keys, "min", number_json(min, integer));
    json_object_set_new(keys, "max", number_json(max, integer));
    if (log)
        json_object_set_new(keys, "log", json_true());
    return keys;
}

/* A float whose default is known, by what it is. */
static json_t *real_around(const json_t *option, enum range_kind kind, double d)
{
    bool within = d > 0 && d < 1;
    if (kind == RATE && d > 0)
        return range_json(option, d / 100, d < 0.01 ? d * 100 : fmax(1, d), true, false);
    if (kind == PENALTY && d >= 0)
        return range_json(option, d > 0 ? d / 100 : 1e-6, d > 0 ? fmin(d * 100, fmax(1, d)) : 0.1, true, false);
    if (kind == DROPOUT && d < 1)
        return range_json(option, 0, fmax(0.5, fmin(0.9, 1.5 * d)), false, false);
    if (kind == NEAR_ONE && within && d >= 0.5)
        return range_json(option, fmax(0, 1 - 5 * (1 - d)), 1 - (1 - d) / 10, false, false);
    if ((kind == SHARE || kind == NEAR_ONE) && d >= 0 && d <= 1)
        return range_json(option, 0, 1, false, false);
    if (within && d >= 0.1)
        return range_json(option, 0, 1, false, false);
    if (d > 0)
        return range_json(option, d / 10, d * 10, true, false);
    return d < 0 ? range_json(option, 2 * d, d / 2, false, false) : range_json(option, 0, 1, false, false);
}

/* A float without one. */
static json_t *real_unknown(const json_t *option, enum range_kind kind)
{
    if (kind == RATE)
        return range_json(option, 1e-5, 0.1, true, false);
    if (kind == PENALTY)
        return range_json(option, 1e-6, 0.1, true, false);
    if (kind == DROPOUT)
        return range_json(option, 0, 0.5, false, false);
    if (kind == NEAR_ONE)
        return range_json(option, 0.5, 0.999, false, false);
    bool bounded = json_object_get(option, "min") && json_object_get(option, "max");
    return kind == SHARE || bounded
               ? range_json(option, kind == SHARE ? 0 : -HUGE_VAL, kind == SHARE ? 1 : HUGE_VAL, false, false)
               : NULL;
}

static bool is_power_of_two(double d)
{
    return d >= 8 && d <= 1 << 20 && ((int64_t)d & ((int64_t)d - 1)) == 0;
}

/* A quarter of it to four times it, each a power of two. */
static json_t *powers_around(double d)
{
    json_t *values = json_array();
    for (double value = d / 4; value <= d * 4; value *= 2)
        json_array_append_new(values, json_integer((json_int_t)value));
    return json_pack("{s:o, s:b}", "values", values, "ordered", 1);
}

static json_t *integer_around(const json_t *option, enum range_kind kind, double d)
{
    bool bounded = json_object_get(option, "min") || json_object_get(option, "max");
    if (is_power_of_two(d) && kind != COUNT && !bounded)
        return powers_around(d);
    if (d < 0 || d > 1e15)
        return NULL;
    if (d == 0)
        return range_json(option, 0, 10, false, true);
    if (d >= 50)
        return range_json(option, ceil(d / 4), 4 * d, true, true);
    return range_json(option, ceil(d / 4), fmax(4, 2 * d), false, true);
}

static json_t *integer_unknown(const json_t *option, enum range_kind kind)
{
    if (kind == SIZE)
        return powers_around(64);
    if (kind == COUNT)
        return range_json(option, 1, 6, false, true);
    bool bounded = json_object_get(option, "min") && json_object_get(option, "max");
    return bounded ? range_json(option, -1e15, 1e15, false, true) : NULL;
}

static json_t *guess_number(const json_t *option, enum range_kind kind, bool integer)
{
    double d;
    bool known = json_number(option, "default", &d) && isfinite(d);
    if (integer)
        return known ? integer_around(option, kind, d) : integer_unknown(option, kind);
    return known ? real_around(option, kind, d) : real_unknown(option, kind);
}

/* --- options --- */

json_t *ranges_add_default(json_t *keys, const json_t *option)
{
    json_t *value = json_object_get(option, "default"), *values = json_object_get(keys, "values"), *choice;
    bool fits = false, reals = json_is_real(json_object_get(keys, "min")) || json_is_real(json_object_get(keys, "max"));
    double d, min, max;
    size_t index;
    json_array_foreach(values, index, choice) fits |= json_equal(choice, value);
    if (!values && json_number(keys, "min", &min) && json_number(keys, "max", &max) &&
        json_number(option, "default", &d))
        fits = d >= min && d <= max && (reals || !json_is_real(value));
    if (fits && !values && reals)
        json_object_set_new(keys, "default", json_real(d));
    else if (fits)
        json_object_set(keys, "default", value);
    return keys;
}

static json_t *guess_choices(const json_t *option, const char **reason)
{
    const json_t *choices = json_object_get(option, "choices");
    json_t *keys = import_choice_keys(choices, NULL, reason);
    size_t count = json_array_size(json_object_get(keys, "values"));
    if (count > 1 && count <= MOST_CHOICES)
        return keys;
    *reason = count > 1 ? "too many choices; list the ones to try" : "there is nothing to choose";
    json_decref(keys);
    return NULL;
}

/* Without a type the default says what it is. */
static const char *type_of(const json_t *option, enum range_kind kind)
{
    const char *type = json_text(option, "type");
    const json_t *value = json_object_get(option, "default");
    if (*type && strcmp(type, "text") != 0)
        return type;
    if (json_is_real(value))
        return "float";
    if (json_is_integer(value))
        return kind == RATE || kind == PENALTY || kind == DROPOUT || kind == SHARE || kind == NEAR_ONE ? "float"
                                                                                                       : "int";
    if (*type || json_is_string(value))
        return "text";
    return kind == SIZE || kind == COUNT ? "int" : kind == NOTHING ? "" : "float";
}

json_t *ranges_guess(const json_t *option, const char **reason)
{
    const struct range_words *row = row_of(json_text(option, "name"));
    const char *type = type_of(option, row->kind);
    json_t *keys = NULL;
    *reason = row->reason;
    if (row->kind == LEFT)
        return NULL;
    *reason = "takes several values";
    if (json_is_true(json_object_get(option, "many")))
        return NULL;
    if (json_object_get(option, "choices")) {
        keys = guess_choices(option, reason);
    } else if (strcmp(type, "flag") == 0 || strcmp(type, "bool") == 0) {
        keys = json_pack("{s:[b, b]}", "values", 0, 1);
    } else if (strcmp(type, "float") == 0 || strcmp(type, "int") == 0) {
        keys = guess_number(option, row->kind, *type == 'i');
        *reason = "nothing says which values are usual; give it a range, or a list of values";
    } else {
        *reason = strcmp(type, "path") == 0       ? PLACE
                  : strcmp(type, "anything") == 0 ? "its type is bool(), for which every text is true"
                                                  : "a text; list the ones to try: {values: [a, b]}";
    }
    return keys ? ranges_add_default(keys, option) : NULL;
}

int64_t ranges_length(const json_t *option)
{
    const char *reason = row_of(json_text(option, "name"))->reason;
    json_int_t length = json_integer_value(json_object_get(option, "default"));
    return reason && strcmp(reason, HOW_LONG) == 0 && length > 1 ? length : 0;
}
