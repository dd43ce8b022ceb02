/* SPDX-License-Identifier: 0BSD
 *
 * A training of ten steps in C, that tells its loss, saves checkpoints and stops when it is to:
 *
 *     cc -std=c99 example.c -o example -lm && GANNET_PARAM_lr=0.4 ./example */
#define _POSIX_C_SOURCE 200809L
#include "gannet_trial.h"

/* The step behind that of a checkpoint. */
static long first_step(const struct gannet_trial *trial)
{
    long step = 0;
    FILE *file = trial->restore_path ? fopen(trial->restore_path, "r") : NULL;
    if (file && fscanf(file, "%ld", &step) != 1)
        step = 0;
    if (file)
        fclose(file);
    return step + 1;
}

/* Beside its place first, so that there is never half a checkpoint. */
static void save(struct gannet_trial *trial, long step)
{
    char beside[4096];
    if (!trial->checkpoint_path)
        return;
    snprintf(beside, sizeof beside, "%s.new", trial->checkpoint_path);
    FILE *file = fopen(beside, "w");
    if (!file)
        return;
    fprintf(file, "%ld\n", step);
    if (fclose(file) == 0 && rename(beside, trial->checkpoint_path) == 0)
        gannet_trial_saved(trial, step);
}

int main(void)
{
    struct gannet_trial trial;
    gannet_trial_open(&trial);
    double lr = gannet_trial_real(&trial, "lr", 0.3);
    for (long step = first_step(&trial); step <= 9; step++) {
        gannet_trial_begin(&trial, "data");
        gannet_trial_end(&trial, "data");
        int stop = gannet_trial_metric(&trial, "loss", (lr - 0.3) * (lr - 0.3) + 1.0 / (double)step, step);
        save(&trial, step);
        if (stop) {
            printf("stops: %s\n", trial.reason);
            break;
        }
    }
    gannet_trial_close(&trial);
    return 0;
}
