#!/bin/bash
# a person with a program in C, which flushes nothing, comes to its best configuration, with early stopping
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/journeys/lib.sh"
needs cc gcc
journey
cat >train.c <<'END'
/* Fits y = a sin(b x) by gradient descent. cc -O2 -o train train.c -lm; ./train --help */
#define _DEFAULT_SOURCE
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { POINTS = 4000 };

static double mean_error(double a, double b)
{
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        double x = 2.0 * i / POINTS - 1, e = a * sin(b * x) - 2 * sin(3 * x);
        sum += e * e;
    }
    return sum / POINTS;
}

int main(int argc, char **argv)
{
    double lr = 0.001, start = 1;
    int epochs = 9, option;
    static const struct option options[] = {{"lr", required_argument, NULL, 'l'},
                                            {"start", required_argument, NULL, 's'},
                                            {"epochs", required_argument, NULL, 'e'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    while ((option = getopt_long(argc, argv, "l:s:e:h", options, NULL)) != -1) {
        switch (option) {
        case 'l':
            lr = atof(optarg);
            break;
        case 's':
            start = atof(optarg);
            break;
        case 'e':
            epochs = atoi(optarg);
            break;
        case 'h':
            printf("Usage: %s [OPTION]...\n"
                   "  -l, --lr=RATE       learning rate (default: 0.001)\n"
                   "  -s, --start=B       first guess of the frequency (default: 1.0)\n"
                   "  -e, --epochs=N      passes over the data (default: 9)\n",
                   argv[0]);
            return 0;
        default:
            return 2;
        }
    }
    double a = 1, b = start;
    for (int epoch = 1; epoch <= epochs; epoch++) {
        usleep(40000); /* reading the data, which larger ones take their time for */
        for (int pass = 0; pass < 20; pass++) {
            double da = 0, db = 0;
            for (int i = 0; i < POINTS; i++) {
                double x = 2.0 * i / POINTS - 1, e = a * sin(b * x) - 2 * sin(3 * x);
                da += e * sin(b * x);
                db += e * a * x * cos(b * x);
            }
            a -= lr * 2 * da / POINTS;
            b -= lr * 2 * db / POINTS;
        }
        printf("epoch %d: mse %.8f\n", epoch, mean_error(a, b));
    }
    return 0;
}
END
values() { sed -n 's/^.*mse //p'; }
cc -O2 -o train train.c -lm || exit 1

claim "init reads the program's help" person gannet init --from ./train --metric mse --param lr=1e-3..2:log --param start=0.5..6
is "it says what it searches" "lr start" "$(sed -n '/It searches/,/^Not/s/^  \([a-z]*\) .*/\1/p' "$lib_output" | xargs)"
switch_on train.yaml
claim "check has no objection" person gannet check train.yaml
interrupted train train.yaml 24
below "the best is near 0; the defaults come to 0.9" "$(best_value train)" 0.4
arrived train
finish
