/* The list of built-in strategies. */
#include "search/registry.h"
#include "search/strategy_settings.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

static void every_strategy_is_whole(void **state)
{
    (void)state;
    for (size_t i = 0; registry_builtin[i]; i++) {
        const struct gannet_strategy *strategy = registry_builtin[i];
        assert_int_equal(strategy->abi, GANNET_STRATEGY_ABI);
        assert_true(strlen(strategy->name) > 0 && strlen(strategy->summary) > 0);
        assert_true(strategy->create && strategy->ask && strategy->destroy);
        assert_true(registry_find(strategy->name) == strategy);
        for (size_t k = 0; strategy->options && strategy->options[k].name; k++)
            assert_true(strlen(strategy->options[k].help) > 0);
    }
}

static void every_default_is_valid(void **state)
{
    (void)state;
    for (size_t i = 0; registry_builtin[i]; i++) {
        struct err err = {{0}};
        struct gannet_setting *settings = strategy_settings_read(registry_builtin[i], NULL, &err);
        if (!settings)
            fail_msg("%s", err.text);
        free(settings);
    }
}

static void an_unknown_name_is_not_found(void **state)
{
    (void)state;
    assert_null(registry_find("annealing"));
    assert_null(registry_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_strategy_is_whole),
        cmocka_unit_test(every_default_is_valid),
        cmocka_unit_test(an_unknown_name_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
