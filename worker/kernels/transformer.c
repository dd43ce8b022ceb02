/* The kernel transformer: a small encoder of sequences, in the form whose normalisations come before (Xiong et al.
 * 2020).
 *
 *     x[B,T,W]   = embedding of tokens, or dense layer of numbers; + positions; dropout
 *     x         += dropout(attention(norm(x)) w_o)             each of the layers: heads of W/heads numbers
 *     x         += dropout(f(norm(x) w_1^T + b_1) w_2^T + b_2)
 *     z[B,C]     = mean over T of norm(x), dense               learn: classes; of steps that are no padding
 *     z[B,T,256] = dense(norm(x)), each step's next byte       learn: next, where a step sees those before it alone
 *
 * Shapes: B sequences of T steps, W numbers wide, C classes. */
#include "worker/kernels/kernel.h"

#include "common/mem.h"
#include "common/path.h"
#include "worker/kernels/classifier.h"
#include "worker/kernels/sequence_shape.h"

#include <math.h>
#include <string.h>
#include <stdlib.h>

enum { DEEPEST = 48, PART = 8 /* layers of a residual part, with the end */ };

/* The words of the option learn, in this order; of inputs. */
enum { LEARN_CLASSES, LEARN_NEXT };
enum { INPUTS_NUMBERS, INPUTS_TOKENS };

static bool learns_next(const struct kernel_settings *settings)
{
    return kernel_settings_word(settings, "learn") == LEARN_NEXT;
}

/* --- data --- */

/* Options that say nothing of what is learned; NULL ends a list. */
static const char *const not_of_text[] = {"labels",     "label",      "array",   "validation_data", "validation_labels",
                                          "stratified", "split_seed", "scaling", "inputs",          "steps",
                                          "stage",      "padding",    NULL};
static const char *const not_of_tokens[] = {"scaling", "steps", "context", NULL};
static const char *const not_of_numbers[] = {"context", NULL};

/* An option that was given and would be looked at by nobody. */
static int refuse_idle(const struct kernel_settings *settings, const char *const *names, const char *with,
                       struct err *err)
{
    for (; *names; names++)
        if (json_object_get(settings->options, *names))
            return err_set(err, "the option '%s' has no meaning with %s; leave it out", *names, with);
    return 0;
}

static int read_text(struct classifier *self, const char *base, struct err *err)
{
    const struct kernel_settings *settings = &self->settings;
    const char *name = kernel_settings_text(settings, "data");
    if (refuse_idle(settings, not_of_text, "learn: next", err))
        return -1;
    if (!name)
        return err_set(err, "learn: next takes the name of a file of text in the option 'data'");
    char *path = path_join(base, name);
    size_t context = (size_t)kernel_settings_integer(settings, "context");
    int result = text_open(&self->text, path, context, kernel_settings_number(settings, "validation"), err);
    free(path);
    self->data = (struct dataset){
        .count = self->text.count, .training = self->text.training, .inputs = context, .classes = TEXT_TOKENS};
    return result;
}

/* The whole number that an input is; -1: it is none. */
static int32_t token_of(float x)
{
    return x >= 0 && x < DATASET_MOST_INPUTS && x == floorf(x) ? (int32_t)x : -1;
}

static int read_tokens(struct classifier *self, struct err *err)
{
    const struct dataset *data = &self->data;
    self->tokens = MEM_ARRAY(int32_t, data->count * data->inputs);
    for (size_t i = 0; i < data->count * data->inputs; i++) {
        int32_t token = self->tokens[i] = token_of(data->x[i]);
        if (token < 0)
            return err_set(err, "an input of the data is %g; inputs: tokens takes whole numbers from 0 to %d",
                           (double)data->x[i], DATASET_MOST_INPUTS - 1);
        self->token_kinds = (size_t)token >= self->token_kinds ? (size_t)token + 1 : self->token_kinds;
    }
    return 0;
}

static int read_data(struct classifier *self, const char *base, struct err *err)
{
    const struct kernel_settings *settings = &self->settings;
    if (learns_next(settings))
        return read_text(self, base, err);
    bool tokens = kernel_settings_word(settings, "inputs") == INPUTS_TOKENS;
    if (refuse_idle(settings, tokens ? not_of_tokens : not_of_numbers, tokens ? "inputs: tokens" : "learn: classes",
                    err))
        return -1;
    struct dataset_source source = data_options_read(settings, base);
    source.scaling = tokens ? DATASET_NONE : (enum dataset_scaling)kernel_settings_word(settings, "scaling");
    return sequence_data_open(self, &source, tokens, err) || (tokens && read_tokens(self, err)) ? -1 : 0;
}

static int transformer_open(const struct kernel_task *task, void **self, struct err *err)
{
    const char *learn = json_string_value(json_object_get(task->options, "learn"));
    if (task->metric && strcmp(task->metric, "val_bits_per_byte") == 0 && (!learn || strcmp(learn, "next") != 0))
        return err_set(err, "the metric val_bits_per_byte is of texts, and 'learn' is classes; write learn: next in "
                            "trial.options, or another metric");
    return classifier_open_with(&kernel_transformer, read_data, task, self, err);
}

/* --- layers --- */

/* What the lists of layers are made from. */
struct transformer_sizes {
    size_t width, heads, feed, layers, tokens, classes;
    bool next, causal, sinusoids;
    float dropout, attention_dropout;
    enum activation activation;
};

static struct transformer_sizes read_sizes(const struct classifier *self)
{
    const struct kernel_settings *settings = &self->settings;
    struct transformer_sizes s = {.width = (size_t)kernel_settings_integer(settings, "width"),
                                  .heads = (size_t)kernel_settings_integer(settings, "heads"),
                                  .feed = (size_t)kernel_settings_integer(settings, "feed_forward"),
                                  .layers = (size_t)kernel_settings_integer(settings, "layers"),
                                  .tokens = self->text.bytes ? TEXT_TOKENS : self->token_kinds,
                                  .classes = self->data.classes,
                                  .next = learns_next(settings),
                                  .sinusoids = kernel_settings_word(settings, "positions") != 0,
                                  .dropout = (float)kernel_settings_number(settings, "dropout"),
                                  .attention_dropout = (float)kernel_settings_number(settings, "attention_dropout"),
                                  .activation = (enum activation)kernel_settings_word(settings, "activation")};
    s.feed = s.feed ? s.feed : 4 * s.width;
    s.causal = s.next || kernel_settings_switch(settings, "causal");
    return s;
}

static struct layer_setting *add_dense(struct layer_setting *at, size_t outputs, enum activation f)
{
    *at = (struct layer_setting){.kind = &layer_dense, .outputs = outputs, .activation = f, .rows = true};
    return at + 1;
}

static struct layer_setting *add_norm(struct layer_setting *at)
{
    *at = (struct layer_setting){.kind = &layer_layer_norm, .epsilon = 1e-5f};
    return at + 1;
}

static struct layer_setting *add_dropout(struct layer_setting *at, const struct transformer_sizes *s)
{
    if (s->dropout > 0)
        *at++ = (struct layer_setting){.kind = &layer_dropout, .share = s->dropout};
    return at;
}

/* The part of a layer that looks at other steps. */
static void list_attention(const struct transformer_sizes *s, struct layer_setting *at)
{
    at = add_dense(add_norm(at), 3 * s->width, ACTIVATION_NONE);
    *at++ = (struct layer_setting){
        .kind = &layer_attention, .heads = s->heads, .causal = s->causal, .share = s->attention_dropout};
    *add_dropout(add_dense(at, s->width, ACTIVATION_NONE), s) = (struct layer_setting){0};
}

/* The part of a layer that looks at each step alone. */
static void list_feed(const struct transformer_sizes *s, struct layer_setting *at)
{
    at = add_dense(add_norm(at), s->feed, s->activation);
    *add_dropout(add_dense(at, s->width, ACTIVATION_NONE), s) = (struct layer_setting){0};
}

static struct layer_setting *add_part(struct layer_setting *at, const struct layer_setting *inner)
{
    *at = (struct layer_setting){.kind = &layer_residual, .activation = ACTIVATION_NONE, .inner = inner};
    return at + 1;
}

static void list_layers(const struct transformer_sizes *s, const struct layer_setting *attention,
                        const struct layer_setting *feed, struct layer_setting *at)
{
    if (s->tokens)
        *at++ = (struct layer_setting){.kind = &layer_embedding, .tokens = s->tokens, .outputs = s->width};
    else
        at = add_dense(at, s->width, ACTIVATION_NONE);
    *at++ = (struct layer_setting){.kind = &layer_positions, .sinusoids = s->sinusoids};
    at = add_dropout(at, s);
    for (size_t l = 0; l < s->layers; l++)
        at = add_part(add_part(at, attention), feed);
    at = add_norm(at);
    if (!s->next)
        *at++ = (struct layer_setting){.kind = &layer_mean_step};
    *add_dense(at, s->classes, ACTIVATION_NONE) = (struct layer_setting){0};
}

/* --- a trial --- */

/* The shape of one sequence, [1,T] of tokens or [1,T,F]. */
static int read_sequence(const struct classifier *self, struct tensor *one, struct err *err)
{
    *one = tensor_make(TENSOR_I32, 2, (size_t[]){1, self->data.inputs});
    if (self->text.bytes || self->tokens)
        return 0;
    return sequence_shape_read(&self->settings, &self->data, one, err);
}

static int transformer_start(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct classifier *transformer = self;
    struct layer_setting attention[PART], feed[PART], layers[2 * DEEPEST + PART];
    struct tensor one;
    if (classifier_check(transformer, trial, err) || read_sequence(transformer, &one, err))
        return -1;
    struct transformer_sizes s = read_sizes(transformer);
    if (s.width % s.heads)
        return err_set(err, "the parameter 'width' is %zu, which can't be divided among the %zu 'heads'", s.width,
                       s.heads);
    list_attention(&s, attention);
    list_feed(&s, feed);
    list_layers(&s, attention, feed, layers);
    struct classifier_training training = classifier_read_training(&transformer->settings);
    return classifier_start(transformer, trial, &training, &one, layers, steps, err);
}

static const struct kernel_option options[] = {
    CLASSIFIER_OPTIONS,
    {"learn", "classes|next", "classes", "the class of a sequence, or the next byte of the text file 'data'", 0, 0},
    {"context", "integer", "128", "learn: next: bytes of a sequence", 1, 65536},
    {"inputs", "numbers|tokens", "numbers", "learn: classes: numbers, or tokens: whole numbers, each a step", 0, 0},
    {"steps", "integer", "0", "inputs: numbers: steps of a sequence; 0: as the data says", 0, 1e6},
    SEQUENCE_PADDING,
    {0},
};

static const struct kernel_option params[] = {
    {"lr", "number", "0.001", "the learning rate; its largest value when it is scheduled", 0, 1e6},
    {"layers", "integer", "2", "each of attention and a feed-forward part", 0, DEEPEST},
    {"width", "integer", "128", "numbers of a step between layers; a multiple of heads", 1, 16384},
    {"heads", "integer", "4", "of attention", 1, 1024},
    {"feed_forward", "integer", "0", "inner outputs of the feed-forward parts; 0: 4 x width", 0, 65536},
    {"positions", "learned|sinusoids", "learned", "how a step's place is told", 0, 0},
    {"causal", "switch", "false", "whether a step sees those before it alone; learn: next always does", 0, 0},
    {"dropout", "number", "0", "the share of what each part adds that is dropped in training", 0, 0.99},
    {"attention_dropout", "number", "0", "the share of attention's weights that is dropped in training", 0, 0.99},
    {"activation", ACTIVATIONS, "gelu", "of the feed-forward parts", 0, 0},
    CLASSIFIER_PARAMS_WITH("adam"),
    {0},
};

const struct kernel kernel_transformer = {
    .name = "transformer",
    .summary = "attention over sequences: their class, or the next byte of a text",
    .options = options,
    .params = params,
    .fixed = true,
    .shapes = "width heads",
    .ranks = true,
    .metrics = EPOCH_METRICS ", val_bits_per_byte",
    .memory = EPOCH_MEMORY "; steps of all sequences of a batch count as its examples",
    .example = {.options = "data=generate:sequences epochs=5",
                .metric = "val_accuracy maximize",
                .parameters =
                    "lr=1e-4..0.01:log width=16,32,64 heads=1,2,4 layers=1..3 dropout=0.0..0.3 batch=16,32,64",
                .data = "Waves of four frequencies, which are made. A text instead: data: FILE, learn: next, metric "
                        "val_bits_per_byte (examples/transformer.yaml)."},
    .open = transformer_open,
    .data = classifier_data,
    .taken = classifier_taken,
    .start = transformer_start,
    .step = classifier_step,
    .save = classifier_save,
    .resume = classifier_resume,
    .finish = classifier_finish,
    .close = classifier_close,
};
