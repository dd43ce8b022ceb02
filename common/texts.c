/* Lists of texts; see texts.h. */
#include "common/texts.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

void texts_fini(struct texts *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct texts){0};
}

void texts_add(struct texts *list, char *text)
{
    MEM_GROW(list->items, list->capacity, list->count + 2);
    list->items[list->count++] = text;
    list->items[list->count] = NULL;
}

void texts_add_all(struct texts *list, const char *const *more)
{
    for (; more && *more; more++)
        texts_add(list, mem_text(*more));
}

const char *texts_variable(const char *const *list, const char *name)
{
    const char *found = NULL;
    size_t length = strlen(name);
    for (; list && *list; list++)
        if (strncmp(*list, name, length) == 0 && (*list)[length] == '=')
            found = *list + length + 1;
    return found;
}

bool texts_lists(const char *words, char between, const char *word, size_t length)
{
    const char end[] = {between, '\0'};
    for (const char *at = words; at && *at; at += strcspn(at, end), at += *at == between)
        if (strcspn(at, end) == length && strncmp(at, word, length) == 0)
            return true;
    return false;
}
