/* Small programs that keep CUDA's rules, or break one: subjects.cu. */
#ifndef GANNET_TESTS_CUDA_SUBJECTS_H
#define GANNET_TESTS_CUDA_SUBJECTS_H

#ifdef __cplusplus
extern "C" {
#endif

/* One that breaks a rule, and a part of the sentence that it ends with. */
struct subject {
    const char *name;
    void (*run)(void);
    const char *sentence;
};

/* NULL names end it. */
extern const struct subject subjects_bad[];

/* Sums of 5,000 numbers by blocks, an 70 x 45 array turned by way of shared memory, sums of warps by exchanges: whether
 * they are right. */
int subjects_sum(void);
int subjects_turn(void);
int subjects_warps(void);

/* Whether several threads may write the same number. */
int subjects_alike(void);

/* Work of two streams that an event puts in order, and a graph that is recorded, changed and started three times. */
int subjects_streams(void);
int subjects_graph(void);

#ifdef __cplusplus
}
#endif

#endif
