/* Owen's nested uniform scrambling of binary digits, done by a hash.
 *
 * Each digit is flipped or not, by chance but the same for all numbers that agree in the digits above it. So a set of
 * numbers keeps its elementary intervals - every aligned interval of length 2^-k still holds as many - and becomes
 * random otherwise. (Owen: "Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995. The hash: Laine, Karras:
 * "Stratified sampling for stochastic transparency", EGSR 2011, section 3; its constants, and the order of digits:
 * Burley: "Practical hash-based Owen scrambling", JCGT 9(4), 2020, section 3.) */
#ifndef GANNET_SEARCH_SIMPLE_OWEN_H
#define GANNET_SEARCH_SIMPLE_OWEN_H

#include <stdint.h>

/* The digits of x scrambled, the highest one first. */
uint32_t owen_scramble(uint32_t x, uint32_t seed);

#endif
