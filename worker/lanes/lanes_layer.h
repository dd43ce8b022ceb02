/* The layers of struct lanes_network: dense and dropout. Shapes: B examples, I inputs, O outputs. */
#ifndef GANNET_WORKER_LANES_LANES_LAYER_H
#define GANNET_WORKER_LANES_LANES_LAYER_H

#include "worker/backend/operations.h"
#include "worker/lanes/product.h"

struct lanes_layer {
    bool drops; /* else it is dense */
    size_t I, O, x_row, y_row;
    enum activation activation;
    size_t w, b;             /* where its weights [O,I], of rows x_row apart, and [O] are among all */
    lanes *y;                /* [B,O]: of dropout what is left in training */
    lanes *kept;             /* [B,O]: of dropout what outputs are multiplied with; z where f's slope needs it */
    lanes *dx;               /* [B,I]; NULL: nobody wants it */
    struct lanes_matrix out; /* of the last forward: y, or what came in */
    lanes scale;             /* what is left by dropout is multiplied with it */
    lanes_bits bound;        /* random numbers below it drop */
    lanes_bits stream;       /* of random numbers */
};

/* What a pass through the layers has in common. */
struct lanes_pass {
    struct backend *backend;
    size_t B;
    bool training;
    const lanes *w; /* all weights, */
    lanes *dw;      /* and their gradients */
};

void lanes_layer_forward(struct lanes_layer *layer, const struct lanes_pass *pass, const struct lanes_matrix *x);

/* Sets the gradients of the weights from dy, which it writes over; dx, or NULL. */
lanes *lanes_layer_backward(struct lanes_layer *layer, const struct lanes_pass *pass, const struct lanes_matrix *x,
                            lanes *dy);

#endif
