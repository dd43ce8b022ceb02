/* Options of strategies against their table. */
#include "search/strategy_settings.h"
#include "tests/claims.h"
#include "common/mem.h"

#include <stdlib.h>

static const char *const colours[] = {"red", "green", NULL};
static const struct gannet_option table[] = {
    {.name = "rate", .type = GANNET_NUMBER, .min = 0, .max = 1, .default_value = "0.25", .help = ""},
    {.name = "count", .type = GANNET_INTEGER, .min = 1, .max = 10, .default_value = "3", .help = ""},
    {.name = "fast", .type = GANNET_SWITCH, .default_value = "true", .help = ""},
    {.name = "colour", .type = GANNET_WORD, .words = colours, .default_value = "green", .help = ""},
    {.name = NULL},
};
static const struct gannet_strategy strategy = {.abi = GANNET_STRATEGY_ABI, .name = "mine", .options = table};
static const struct gannet_strategy bare = {.abi = GANNET_STRATEGY_ABI, .name = "bare"};

static struct gannet_setting *read_text(const struct gannet_strategy *of, const char *text, struct err *err)
{
    char *quoted = mem_text(text);
    for (char *c = quoted; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *json = json_loads(quoted, JSON_DECODE_ANY, NULL);
    struct gannet_setting *settings = strategy_settings_read(of, json, err);
    json_decref(json);
    free(quoted);
    return settings;
}

static void what_is_not_set_has_its_default(void **state)
{
    (void)state;
    struct gannet_setting *settings = strategy_settings_read(&strategy, NULL, NULL);
    assert_non_null(settings);
    assert_true(settings[0].number == 0.25 && settings[1].number == 3 && settings[2].number == 1);
    assert_true(settings[3].number == 1);
    assert_string_equal(settings[3].word, "green");
    free(settings);
    settings = strategy_settings_read(&bare, NULL, NULL);
    assert_non_null(settings);
    free(settings);
}

static void what_is_set_counts(void **state)
{
    (void)state;
    struct gannet_setting *settings =
        read_text(&strategy, "{'rate': 1, 'count': 7.0, 'fast': false, 'colour': 'red'}", NULL);
    assert_non_null(settings);
    assert_true(settings[0].number == 1 && settings[1].number == 7 && settings[2].number == 0);
    assert_string_equal(settings[3].word, "red");
    free(settings);
}

static void refused(const struct gannet_strategy *of, const char *text, const char *sentence)
{
    struct err err = {{0}};
    assert_null(read_text(of, text, &err));
    assert_string_equal(err.text, sentence);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    refused(&strategy, "{'rat': 1}",
            "the strategy 'mine' has no option 'rat' (did you mean 'rate'?); it has: rate, count, fast, colour");
    refused(&strategy, "{'size': 1}", "the strategy 'mine' has no option 'size'; it has: rate, count, fast, colour");
    refused(&bare, "{'size': 1}", "the strategy 'bare' has no options, so 'size' can't be set");
    refused(&strategy, "{'rate': 2}", "strategy.options.rate is 2; it must be between 0 and 1");
    refused(&strategy, "{'rate': 'high'}", "strategy.options.rate must be a number");
    refused(&strategy, "{'count': 2.5}", "strategy.options.count is 2.5; it must be a whole number");
    refused(&strategy, "{'fast': 1}", "strategy.options.fast must be true or false");
    refused(&strategy, "{'colour': 'blue'}", "strategy.options.colour is 'blue'; it must be one of: red, green");
    refused(&strategy, "{'colour': 3}", "strategy.options.colour must be a word");
    refused(&strategy, "[1]", "strategy.options must be a map of options");
}

static void a_broken_table_is_an_error(void **state)
{
    (void)state;
    static const struct gannet_option none[] = {{.name = "x", .type = GANNET_NUMBER, .max = 1}, {.name = NULL}};
    static const struct gannet_option wide[] = {{.name = "x", .type = GANNET_NUMBER, .max = 1, .default_value = "2"},
                                                {.name = NULL}};
    static const struct gannet_option word[] = {{.name = "x", .type = GANNET_WORD, .default_value = "a"},
                                                {.name = NULL}};
    struct gannet_strategy broken = {.abi = GANNET_STRATEGY_ABI, .name = "broken", .options = none};
    refused(&broken, "{}",
            "the strategy 'broken' is broken: its default for 'x' is not valid: the option has no default");
    broken.options = wide;
    refused(&broken, "{}",
            "the strategy 'broken' is broken: its default for 'x' is not valid: strategy.options.x is 2; it must be "
            "between 0 and 1");
    broken.options = word;
    refused(&broken, "{'x': 'a'}", "strategy.options.x is 'a'; it must be one of: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_set_has_its_default),
        cmocka_unit_test(what_is_set_counts),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_broken_table_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
