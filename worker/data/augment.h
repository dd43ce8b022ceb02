/* Augmentation of images: each time an example is trained on it is another one, which its label is true of as well.
 * What is done to it is a function of the seed, the epoch and the example, whoever does it and whenever. In this order:
 *
 *     shift     moved by a random number of rows and columns; the pixels at the edge are repeated
 *     crop      zeros are put around it, and a random part of the old size is cut out of that
 *     flip      left and right swapped, or not
 *     cutout    a square around a random pixel becomes zero (DeVries and Taylor 2017); it may lie partly outside
 *
 * Images come scaled, so that zero is the mean of a pixel (scaling standard) or its least value (unit). */
#ifndef GANNET_WORKER_DATA_AUGMENT_H
#define GANNET_WORKER_DATA_AUGMENT_H

#include "worker/data/dataset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How much of each; {0}: nothing. */
struct augment {
    double shift;  /* rows and columns at most, as a share of the height and the width */
    size_t crop;   /* rows and columns of zeros on each side */
    double flip;   /* the probability */
    size_t cutout; /* rows and columns of the square */
};

/* Whether anything is done at all. */
bool augment_is_any(const struct augment *augment);

/* to[H,W,C] becomes what `from` is in this epoch; they don't overlap. `example`: its number in the data set. */
void augment_image(const struct augment *augment, const struct dataset_shape *image, uint64_t seed, uint64_t epoch,
                   uint64_t example, const float *from, float *to);

#endif
