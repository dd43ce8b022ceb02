/* How a person starts: help texts are read, options become ranges, names say what the metric is. */
#include "cli/start/from_program.h"
#include "cli/start/help_text.h"
#include "cli/start/hydra.h"
#include "cli/start/metric_guess.h"
#include "cli/start/ranges.h"
#include "cli/start/param_args.h"
#include "common/mem.h"
#include "scheduler/spec/emit.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

/* A JSON value on one line. */
static void json_is(json_t *json, const char *expected)
{
    struct buf text = {0};
    if (json)
        emit_json(&text, json);
    assert_string_equal(json ? buf_str(&text) : "nothing", expected);
    buf_fini(&text);
    json_decref(json);
}

/* What is read of a help text. */
static void options_are(const char *help, const char *expected)
{
    json_is(help_text_options(help), expected);
}

static void argparse_lays_out_options(void **state)
{
    (void)state;
    options_are("usage: train.py [-h] [-b N] --data DIR\n"
                "                [--opt {sgd,adam}] [--amp | --no-amp]\n"
                "\n"
                "positional arguments:\n"
                "  model                 what is trained\n"
                "\n"
                "options:\n"
                "  -h, --help            show this help message and exit\n"
                "  -b N, --batch-size N  how many at a time (default: 64)\n"
                "  --data DIR            where it is\n"
                "  --opt {sgd,adam}\n"
                "                        which one\n"
                "                        is used (default: sgd)\n"
                "  --amp, --no-amp\n"
                "  --betas B B           two\n",
                "[{name: model, required: true, help: what is trained}, "
                "{spelling: \"--batch-size\", type: int, default: 64, name: batch-size, "
                "help: \"how many at a time (default: 64)\"}, "
                "{spelling: \"--data\", type: path, name: data, required: true, help: where it is}, "
                "{spelling: \"--opt\", choices: [sgd, adam], default: sgd, name: opt, "
                "help: \"which one is used (default: sgd)\"}, "
                "{spelling: \"--amp\", negative: \"--no-amp\", type: flag, name: amp, help: \"\"}, "
                "{spelling: \"--betas\", many: true, name: betas, help: two}]");
}

static void options_follow_the_usage_at_once(void **state)
{
    (void)state;
    options_are(
        "Usage: ./train [OPTION]... --data DIR\n"
        "               --deep N\n"
        "  -l, --lr=RATE       learning rate (default: 0.001)\n"
        "      --data DIR      where it is\n",
        "[{spelling: \"--lr\", type: float, default: 0.001, name: lr, help: \"learning rate (default: 0.001)\"}, "
        "{spelling: \"--data\", type: path, name: data, required: true, help: where it is}]");
}

static void hydra_shows_its_configuration(void **state)
{
    (void)state;
    static const char before[] =
        "train is powered by Hydra.\n\n== Config ==\nOverride anything in the config (foo.bar=value)\n\n";
    static const char after[] = "\n\nPowered by Hydra (https://hydra.cc)\n";
    char *help =
        mem_format("%soptimizer:\n  lr: 0.1\n  name: adam\nlayers:\n- 1\namp: true\nn: 3\nout: null%s", before, after);
    json_is(hydra_options(help), "[{name: optimizer.lr, plain: true, help: \"\", type: float, default: 0.1}, "
                                 "{name: optimizer.name, plain: true, help: \"\", type: text, default: adam}, "
                                 "{name: layers, plain: true, help: \"\", type: text, many: true}, "
                                 "{name: amp, plain: true, help: \"\", type: bool, default: true}, "
                                 "{name: \"n\", plain: true, help: \"\", type: int, default: 3}, "
                                 "{name: out, plain: true, help: \"\", type: text}]");
    free(help);
    help = mem_format("%s{[}%s", before, after);
    json_is(hydra_options(help), "[]");
    free(help);
    help = mem_format("%s- 1%s", before, after);
    json_is(hydra_options(help), "[]");
    free(help);
    assert_null(hydra_options(before));
    assert_null(hydra_options("== Config ==\n"));
}

static void click_lays_out_options(void **state)
{
    (void)state;
    options_are("Usage: train.py [OPTIONS]\n\nOptions:\n"
                "  --lr FLOAT                [default: 0.001]\n"
                "  --p FLOAT RANGE           [default: 0.5; 0<=x<=1]\n"
                "  --opt [sgd|adam]          [required]\n"
                "  --fast / --slow           Quickly.\n"
                "  --amp / --no-amp\n"
                "  --help                    Show this message and exit.\n",
                "[{spelling: \"--lr\", type: float, default: 0.001, name: lr, help: \"[default: 0.001]\"}, "
                "{spelling: \"--p\", type: float, default: 0.5, max: 1.0, min: 0.0, name: p, "
                "help: \"[default: 0.5; 0<=x<=1]\"}, "
                "{spelling: \"--opt\", choices: [sgd, adam], name: opt, required: true, help: \"[required]\"}, "
                "{spelling: \"--fast\", negative: \"--slow\", type: flag, name: fast, help: Quickly.}, "
                "{spelling: \"--amp\", negative: \"--no-amp\", type: flag, name: amp, help: \"\"}]");
}

static void other_layouts_are_read_as_far_as_they_go(void **state)
{
    (void)state;
    options_are("  -r, --rate <FLOAT>  The rate, defaults to 0.1.\n  -q  quiet\n  --size=N\tdefault is 3\n",
                "[{spelling: \"--rate\", type: float, default: 0.1, name: rate, help: \"The rate, defaults to 0.1.\"}, "
                "{spelling: \"-q\", type: flag, name: q, help: quiet}, "
                "{spelling: \"--size\", type: int, default: 3, name: size, help: default is 3}]");
    options_are("", "[]");
    options_are("no option here\n- nor here\n", "[]");
}

/* What a search would make of an option that is written as YAML-like JSON. */
static void range_is(const char *option, const char *expected)
{
    json_t *json = json_loads(option, 0, NULL);
    const char *reason;
    assert_non_null(json);
    json_is(ranges_guess(json, &reason), expected);
    json_decref(json);
}

static void names_say_what_a_number_is(void **state)
{
    (void)state;
    range_is("{\"name\": \"lr\", \"type\": \"float\", \"default\": 0.001}",
             "{min: 1e-05, max: 0.1, log: true, default: 0.001}");
    range_is("{\"name\": \"learningRate\", \"type\": \"float\"}", "{min: 1e-05, max: 0.1, log: true}");
    range_is("{\"name\": \"weight_decay\", \"type\": \"float\", \"default\": 0.0}",
             "{min: 1e-06, max: 0.1, log: true}");
    range_is("{\"name\": \"dropout\", \"default\": 0}", "{min: 0.0, max: 0.5, default: 0.0}");
    range_is("{\"name\": \"momentum\", \"default\": 0.9}", "{min: 0.5, max: 0.99, default: 0.9}");
    range_is("{\"name\": \"batch-size\", \"type\": \"int\", \"default\": 32}",
             "{values: [8, 16, 32, 64, 128], ordered: true, default: 32}");
    range_is("{\"name\": \"layers\", \"type\": \"int\", \"default\": 3}", "{min: 1, max: 6, default: 3}");
    range_is("{\"name\": \"n_estimators\", \"type\": \"int\", \"default\": 100}",
             "{min: 25, max: 400, log: true, default: 100}");
    range_is("{\"name\": \"clip\", \"type\": \"float\", \"default\": 2.0}",
             "{min: 0.2, max: 20.0, log: true, default: 2.0}");
    range_is("{\"name\": \"p\", \"type\": \"float\", \"default\": 0.5, \"min\": 0.25, \"max\": 0.75}",
             "{min: 0.25, max: 0.75, default: 0.5}");
}

static void a_choice_that_is_named_twice_counts_once(void **state)
{
    (void)state;
    range_is("{\"name\": \"opt\", \"choices\": [\"a\", \"a\", 1, 1.0], \"default\": \"a\"}",
             "{values: [a, 1], default: a}");
    range_is("{\"name\": \"opt\", \"choices\": [\"a\", \"a\"]}", "nothing");
}

static void what_is_no_hyperparameter_is_left(void **state)
{
    (void)state;
    static const char *const left[] = {"seed",       "epochs",        "data_dir",   "output",         "num-workers",
                                       "device",     "log_interval",  "save-model", "local_rank",     "max_steps",
                                       "checkpoint", "wandb_project", "dataset",    "test-batch-size"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        char option[128];
        snprintf(option, sizeof option, "{\"name\": \"%s\", \"type\": \"int\", \"default\": 4}", left[i]);
        range_is(option, "nothing");
    }
    range_is("{\"name\": \"betas\", \"type\": \"float\", \"many\": true}", "nothing");
    range_is("{\"name\": \"note\", \"type\": \"text\", \"default\": \"x\"}", "nothing");
    range_is("{\"name\": \"mode\", \"choices\": [\"one\"]}", "nothing");
    range_is("{\"name\": \"k\", \"type\": \"int\", \"default\": -1}", "nothing");
    range_is("{\"name\": \"x\", \"type\": \"float\", \"default\": \"inf\"}", "nothing");
}

static void the_metric_on_held_back_data_goes_before_the_training_loss(void **state)
{
    (void)state;
    struct metric_guess guess = metric_guess("val_acc = 1\n"
                                             "print(f'loss={loss}')\n"
                                             "print(f\"epoch={e} val_acc={acc:.3f}\")\n");
    assert_string_equal(guess.name, "val_acc");
    assert_true(guess.maximize && guess.printed);
    assert_int_equal(guess.line, 3);
    assert_true(metric_guess("print(\"accuracy\", 1 - loss)\n").printed);
    assert_false(metric_guess("log(\"accuracy\", 1 - loss)\n").printed);
    guess = metric_guess("wandb.log(val_loss=3)\n");
    assert_false(guess.printed);
    guess = metric_guess("print('Test: Average loss: {:.4f}, Accuracy: {}/{}'.format(a, b, c))\n");
    assert_string_equal(guess.name, "Accuracy");
    assert_false(guess.printed);
    guess = metric_guess_of_help(
        "  --loss {mse,mae}  what is minimized\n  --patience N  epochs without a better val_acc\n");
    assert_string_equal(guess.name, "val_acc");
    assert_true(guess.maximize && guess.in_help && !guess.printed);
    guess = metric_guess_of_help("  --loss {mse,mae}\n");
    assert_false(guess.in_help);
    guess = metric_guess("print('Epoch %d/%d - loss: %.4f - acc: %.3f' % (e, n, loss, acc))\n");
    assert_string_equal(guess.name, "acc");
    assert_true(guess.printed);
    assert_true(metric_guess("print(f'val_loss {loss:.3f}')\n").printed);
    assert_true(metric_guess("print('val_loss:', loss)\n").printed);
    assert_true(metric_guess("print(f'val_loss {").printed);
    assert_false(metric_guess("print('val_loss of %d epochs')\n").printed);
    assert_false(metric_guess("writer.add_scalar('val_loss', loss)\n").printed);
    guess =
        metric_guess("record = {\"epoch\": e, \"train_loss\": l, \"val_accuracy\": a}\nprint(json.dumps(record))\n");
    assert_true(strcmp(guess.name, "val_accuracy") == 0 && guess.maximize && guess.printed && guess.line == 1);
    assert_true(metric_guess("print({'val_loss': loss})\n").printed);
    assert_false(metric_guess("wandb.log({'val_loss': loss})\n").printed);
    assert_int_equal(metric_guess("config = {'loss': 'mse', 'cost': 3}\n").line, 0);
    assert_false(metric_guess("config = {'loss': 'mse'}\nprint(json.dumps(config))\n").printed);
    guess = metric_guess("print(f'step {i}  loss {error(w):.6f}')\n");
    assert_true(strcmp(guess.name, "loss") == 0 && guess.printed);
    guess = metric_guess("");
    assert_string_equal(guess.name, "val_loss");
    assert_int_equal(guess.line, 0);
}

static void wish_is(const char *word, const char *expected)
{
    struct err err;
    json_t *options = json_loads("[{\"name\": \"lr\", \"spelling\": \"--lr\"}]", 0, NULL);
    if (param_args_take(word, options, &err)) {
        assert_has(err.text, expected);
        json_decref(options);
    } else {
        json_is(options, expected);
    }
}

static void param_args_are_ranges_choices_and_omissions(void **state)
{
    (void)state;
    wish_is("lr=1e-5..0.1:log", "[{name: lr, spelling: \"--lr\", keys: {min: 1e-05, max: 0.1, log: true}}]");
    wish_is("-lr", "[{name: lr, spelling: \"--lr\", left: true}]");
    wish_is(
        "--n=1..8",
        "[{name: lr, spelling: \"--lr\"}, {name: \"n\", spelling: \"--n\", unknown: true, keys: {min: 1, max: 8}}]");
    wish_is("opt=sgd,adam", "[{name: lr, spelling: \"--lr\"}, {name: opt, spelling: \"--opt\", unknown: true, keys: "
                            "{values: [sgd, adam]}}]");
    wish_is("lr=3..1", "the lower end first");
    wish_is("lr=0..1:log", "a logarithm needs a lower end above 0");
    wish_is("lr=0.1", "leaves nothing to choose");
    wish_is("lr", "says nothing");
    wish_is("-other", "no option 'other'");
    wish_is("=3", "says nothing");
}

static void a_metric_needs_its_goal_unless_its_name_says_it(void **state)
{
    (void)state;
    struct err err;
    struct metric_guess metric = {.name = "val_loss"};
    assert_int_equal(param_args_metric("val_acc", &metric, &err), 0);
    assert_true(metric.maximize);
    assert_int_equal(param_args_metric("mine maximize", &metric, &err), 0);
    assert_string_equal(metric.name, "mine");
    assert_int_equal(param_args_metric("mine", &metric, &err), 0);
    assert_true(metric.maximize);
    assert_int_equal(param_args_metric("other", &metric, &err), -1);
    assert_has(err.text, "'other minimize' or 'other maximize'");
    assert_int_equal(param_args_metric("mine up", &metric, &err), -1);
}

static void the_command_has_what_the_program_needs(void **state)
{
    (void)state;
    struct own_files files = {0};
    json_t *needed = json_loads("[{\"name\": \"data\"}]", 0, NULL);
    texts_add(&files.words, strdup("my prog"));
    json_is(from_program_command(&files, needed), "[my prog, DATA, \"${args}\"]");
    json_decref(needed);
    own_files_fini(&files);
}

static void arg_is(const char *option, const char *expected)
{
    json_t *json = json_loads(option, 0, NULL);
    char *arg = from_program_arg(json);
    assert_string_equal(arg ? arg : "", expected);
    free(arg);
    json_decref(json);
}

static void options_are_passed_as_the_program_takes_them(void **state)
{
    (void)state;
    arg_is("{\"name\": \"lr\", \"spelling\": \"--lr\"}", "");
    arg_is("{\"name\": \"a:b\", \"spelling\": \"--a:b\"}", "--a:b");
    arg_is("{\"name\": \"b\", \"spelling\": \"-b\"}", "-b");
    arg_is("{\"name\": \"units\", \"spelling\": \"\"}", "positional");
    arg_is("{\"name\": \"bn\", \"spelling\": \"--bn\", \"type\": \"flag\"}", "flag");
    arg_is("{\"name\": \"bn\", \"spelling\": \"--bn\", \"type\": \"flag\", \"negative\": \"--no-bn\"}", "no-flag");
    arg_is("{\"name\": \"x\", \"spelling\": \"--x;y\", \"type\": \"flag\", \"negative\": \"--no-x\"}", "--x;y/--no-x");
    arg_is("{\"name\": \"q\", \"spelling\": \"-q\", \"type\": \"flag\"}", "-q/");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(argparse_lays_out_options),
        cmocka_unit_test(options_follow_the_usage_at_once),
        cmocka_unit_test(hydra_shows_its_configuration),
        cmocka_unit_test(click_lays_out_options),
        cmocka_unit_test(other_layouts_are_read_as_far_as_they_go),
        cmocka_unit_test(names_say_what_a_number_is),
        cmocka_unit_test(a_choice_that_is_named_twice_counts_once),
        cmocka_unit_test(what_is_no_hyperparameter_is_left),
        cmocka_unit_test(the_metric_on_held_back_data_goes_before_the_training_loss),
        cmocka_unit_test(param_args_are_ranges_choices_and_omissions),
        cmocka_unit_test(a_metric_needs_its_goal_unless_its_name_says_it),
        cmocka_unit_test(the_command_has_what_the_program_needs),
        cmocka_unit_test(options_are_passed_as_the_program_takes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
