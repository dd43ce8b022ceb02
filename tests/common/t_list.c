/* Lists whose links lie in the items. */
#include "common/list.h"
#include "tests/claims.h"

struct item {
    char name;
    struct list_link in; /* of the list */
};

/* The names in order. */
static const char *names(const struct list_link *list)
{
    static char text[16];
    size_t length = 0;
    for (struct list_link *link = list->after; link != list; link = link->after)
        text[length++] = LIST_ITEM(link, struct item, in)->name;
    text[length] = '\0';
    return text;
}

static void items_stand_where_they_were_put(void **state)
{
    (void)state;
    struct list_link list;
    struct item a = {.name = 'a'}, b = {.name = 'b'}, c = {.name = 'c'};
    list_init(&list);
    assert_true(list_is_empty(&list));
    assert_null(list_first(&list));
    list_append(&list, &b.in);
    list_append(&list, &c.in);
    list_prepend(&list, &a.in);
    assert_string_equal(names(&list), "abc");
    assert_ptr_equal(list_first(&list), &a.in);
    assert_true(list_has(&a.in));
}

static void items_can_be_taken_out_anywhere(void **state)
{
    (void)state;
    struct list_link list;
    struct item a = {.name = 'a'}, b = {.name = 'b'}, c = {.name = 'c'};
    list_init(&list);
    list_append(&list, &a.in);
    list_append(&list, &b.in);
    list_append(&list, &c.in);
    list_remove(&b.in);
    list_remove(&b.in);
    assert_false(list_has(&b.in));
    assert_string_equal(names(&list), "ac");
    list_remove(&a.in);
    list_remove(&c.in);
    assert_true(list_is_empty(&list));
    list_append(&list, &b.in);
    assert_string_equal(names(&list), "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_stand_where_they_were_put),
        cmocka_unit_test(items_can_be_taken_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
