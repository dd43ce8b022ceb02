/* Threads on trial; see threads.h. */
#include "common/threads.h"
#include "common/mem.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* Waits until whoever started it lets go of the lock. */
static void *wait_for_end(void *context)
{
    pthread_mutex_lock(context);
    pthread_mutex_unlock(context);
    return NULL;
}

static size_t count_threads(void)
{
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    while (tasks && readdir(tasks))
        count++;
    if (tasks)
        closedir(tasks);
    return count;
}

/* A thread that was joined counts for a moment more. */
static void await_end(size_t before)
{
    enum { LOOKS = 100 };
    static const struct timespec between = {.tv_nsec = 1000000};
    for (int i = 0; i < LOOKS && count_threads() > before; i++)
        nanosleep(&between, NULL);
}

/* The sentence ends as err_is_shortage has it: it may pass by itself. */
static int refuse_threads(int why, struct err *err)
{
    struct rlimit limit;
    bool limited = getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    errno = why;
    if (limited)
        return err_errno(err,
                         "can't start another thread: your processes and threads on this machine are near their limit, "
                         "%llu (ulimit -u), or the job's; end some, or raise it",
                         (unsigned long long)limit.rlim_cur);
    return err_errno(err, "can't start another thread: a limit of this machine or job on threads is reached");
}

int threads_check(unsigned count, struct err *err)
{
    pthread_mutex_t end = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *threads = MEM_ARRAY(pthread_t, count);
    unsigned started = 0;
    int why = 0;
    size_t before_them = count_threads();
    sigset_t all, before;
    sigfillset(&all); /* signals belong to the loop */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&end);
    while (started < count && !(why = pthread_create(&threads[started], NULL, wait_for_end, &end)))
        started++;
    pthread_mutex_unlock(&end);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    await_end(before_them);
    free(threads);
    return why ? refuse_threads(why, err) : 0;
}
