/* See service_question.h. */
#include "tests/service_question.h"
#include "tests/claims.h"
#include "tests/until.h"

#include <pthread.h>

static void *ask_in_thread(void *argument)
{
    struct service_question *question = argument;
    struct link_context *links = link_context_create(&question->err);
    struct service_client *client = service_connect(links, question->dir, question->role, &question->err);
    json_t *arguments = question->arguments ? json_loads(question->arguments, JSON_DECODE_ANY, NULL) : NULL;
    question->status =
        client ? service_ask(client, question->what, arguments, question->seconds, &question->answer, &question->err)
               : 69;
    json_decref(arguments);
    service_disconnect(client);
    link_context_destroy(links);
    atomic_store(&question->done, true);
    return NULL;
}

static bool is_done(void *context)
{
    struct service_question *question = context;
    return atomic_load(&question->done);
}

void service_question_ask(struct service_question *question, struct loop *loop, const struct rundir *dir,
                          const char *what, const char *arguments)
{
    pthread_t thread;
    *question = (struct service_question){
        .dir = dir, .role = question->role, .what = what, .arguments = arguments, .seconds = 60};
    assert_int_equal(pthread_create(&thread, NULL, ask_in_thread, question), 0);
    until(loop, is_done, question);
    pthread_join(thread, NULL);
}
