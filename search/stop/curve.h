/* Where a learning curve will be: a Bayesian mixture of power laws and exponentials.
 *
 * Each member of the mixture is  y(t) = c + a f(t) + noise  with a fixed f: (t / t1)^-p for several p, and
 * exp(-r (t - t1) / (T - t1)) for several r. With a conjugate prior for c, a and the variance of the noise, the
 * posterior of each is exact (Bishop: "Pattern recognition and machine learning", 3.3; Murphy: "Conjugate Bayesian
 * analysis of the Gaussian distribution", 2007): what it predicts is a Student t, and its evidence is its weight. The
 * idea is that of Domhan, Springenberg, Hutter: "Speeding up automatic hyperparameter optimization of deep neural
 * networks by extrapolation of learning curves", IJCAI 2015; the sums in closed form take the place of their Markov
 * chains. */
#ifndef GANNET_SEARCH_STOP_CURVE_H
#define GANNET_SEARCH_STOP_CURVE_H

#include <stddef.h>

struct curve_forecast {
    double mean;   /* of y at T */
    double chance; /* that y at T is below the bar */
};

/* n >= 3 finite points, t > 0 and rising; T the step to look at, bar the loss to be beaten. */
struct curve_forecast curve_forecast(const double *t, const double *y, size_t n, double T, double bar);

#endif
