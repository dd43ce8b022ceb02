/* A person's program for tests, which "starts CUDA" as NVIDIA's driver does for one: it loads what
 * CUDA_INJECTION64_PATH names and calls InitializeInjection. Each argument is then a word for fake_play (fake_cupti.c),
 * or
 *
 *     fork    a child that ends by exit
 *     kill    the end of it, by SIGKILL */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void start_cuda(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    int (*start)(void) = NULL;
    void *function = library ? dlsym(library, "InitializeInjection") : NULL;
    memcpy(&start, &function, sizeof start);
    printf("%s\n", !path ? "nothing to load" : !start ? dlerror() : start() == 1 ? "loaded" : "failed");
}

static void play(const char *what)
{
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
    int (*fake)(const char *what) = NULL;
    void *function = cupti ? dlsym(cupti, "fake_play") : NULL;
    memcpy(&fake, &function, sizeof fake);
    printf("%s: %s\n", what, fake && fake(what) == 0 ? "played" : "not recorded");
}

int main(int count, char **words)
{
    start_cuda();
    for (int i = 1; i < count; i++) {
        if (strncmp(words[i], "--", 2) == 0)
            continue; /* a parameter */
        if (strcmp(words[i], "fork") == 0) {
            fflush(stdout);
            pid_t child = fork();
            if (!child)
                exit(0);
            waitpid(child, NULL, 0);
        } else if (strcmp(words[i], "kill") == 0) {
            fflush(stdout);
            raise(SIGKILL);
        } else {
            play(words[i]);
        }
    }
    printf("loss=0.5\n");
    return 0;
}
