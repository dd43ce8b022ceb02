/* CLONES before a function makes the compiler build it for several x86 processors and choose when the program starts,
 * so that our programs run everywhere and use the wide registers that are there. Sanitizers are not ready when that
 * choice is made, so sanitized builds have the plain form alone. They are for static functions: clang up to 17 gives
 * others a name that no other file finds. What makes the choice has a name that all files see, so no two have one name.
 *
 * CLONES_OF_PRODUCTS also knows the processors that multiply and add in one instruction but have no AVX-512; its files
 * are built with -ffp-contract=fast.
 *
 * The loops in such functions are marked `#pragma omp simd`: their iterations are independent. */
#ifndef GANNET_COMMON_CLONES_H
#define GANNET_COMMON_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(GANNET_SANITIZED)
#if __has_attribute(target_clones)
#define CLONES             __attribute__((target_clones("avx512f", "avx2", "default")))
#define CLONES_OF_PRODUCTS __attribute__((target_clones("avx512f", "fma", "default")))
#endif
#endif

#ifndef CLONES
#define CLONES
#define CLONES_OF_PRODUCTS
#endif

#endif
