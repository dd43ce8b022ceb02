/* Answers that are given again; see answers.h. */
#include "scheduler/coordinator/answers.h"

#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

/* Seconds for which an answer is given again; the longer one while nothing was written since, for what an answer says
 * of the present moment. Whoever looks asks every two seconds for what came since the last answer: within longer than
 * that all of them are given the same, ask the same again, and stay in step. With half a second twenty of them were
 * five or six groups for ever, for each of which the same trials were read. */
static const double fresh_seconds = 2.5, unchanged_seconds = 5;

static void forget_answer(struct answers *answers, struct kept_answer *answer)
{
    answers->bytes -= answer->bytes;
    free(answer->question);
    free(answer->text);
    *answer = (struct kept_answer){0};
}

void answers_fini(struct answers *answers)
{
    for (size_t i = 0; i < ANSWERS_MOST; i++)
        forget_answer(answers, &answers->items[i]);
}

const char *answers_find(const struct answers *answers, const char *question, uint64_t change, double now)
{
    for (size_t i = 0; i < ANSWERS_MOST; i++) {
        const struct kept_answer *answer = &answers->items[i];
        double lasts = answer->change == change ? unchanged_seconds : fresh_seconds;
        if (answer->question && now - answer->made < lasts && strcmp(answer->question, question) == 0)
            return answer->text;
    }
    return NULL;
}

/* Makes room; from the oldest on. */
static struct kept_answer *take_place(struct answers *answers, size_t bytes)
{
    struct kept_answer *place = &answers->items[answers->next];
    forget_answer(answers, place);
    for (size_t i = 1; answers->bytes + bytes > ANSWERS_BYTES; i++)
        forget_answer(answers, &answers->items[(answers->next + i) % ANSWERS_MOST]);
    answers->next = (answers->next + 1) % ANSWERS_MOST;
    return place;
}

void answers_keep(struct answers *answers, const char *question, const char *text, uint64_t change, double now)
{
    size_t bytes = strlen(question) + strlen(text) + 2;
    if (bytes > ANSWERS_BYTES)
        return;
    struct kept_answer *place = take_place(answers, bytes);
    *place = (struct kept_answer){
        .question = mem_text(question), .text = mem_text(text), .bytes = bytes, .change = change, .made = now};
    answers->bytes += bytes;
}
