/* Slurm's reasons in words; see scheduler/slurm/refusal.h. */
#include "scheduler/slurm/refusal.h"
#include "tests/claims.h"

#include <string.h>

static void the_usual_words_have_a_sentence_of_their_own(void **state)
{
    (void)state;
    static const char *const words[] = {"None",
                                        "Priority",
                                        "Resources",
                                        "Dependency",
                                        "BeginTime",
                                        "JobHeldUser",
                                        "JobHeldAdmin",
                                        "PartitionDown",
                                        "PartitionTimeLimit",
                                        "ReqNodeNotAvail",
                                        "QOSMaxJobsPerUserLimit",
                                        "AssocGrpCpuLimit",
                                        "PartitionNodeLimit",
                                        "Licenses",
                                        "BadConstraints",
                                        "QOSMaxCpuPerUserLimit",
                                        "AssocGrpGRES"};
    const char *general = slurm_reason_sentence("SomethingNew");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_string_not_equal(slurm_reason_sentence(words[i]), general);
}

static void the_first_row_that_fits_is_the_more_particular_one(void **state)
{
    (void)state;
    assert_has(slurm_reason_sentence("AssocGrpCPUMinutesLimit"), "budget");
    assert_has(slurm_reason_sentence("AssocGrpCpuLimit"), "share");
    assert_has(slurm_reason_sentence("QOSMaxWallDurationPerJobLimit"), "slurm.time");
    assert_has(slurm_reason_sentence("QOSMaxGRESPerUser"), "a user");
    assert_has(slurm_reason_sentence("ReqNodeNotAvail, UnavailableNodes:n3"), "maintenance");
}

static void a_word_that_is_not_known_sends_to_the_manual(void **state)
{
    (void)state;
    assert_has(slurm_reason_sentence("SomethingNew"), "manual");
    assert_has(slurm_reason_sentence(""), "has not said");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_usual_words_have_a_sentence_of_their_own),
        cmocka_unit_test(the_first_row_that_fits_is_the_more_particular_one),
        cmocka_unit_test(a_word_that_is_not_known_sends_to_the_manual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
