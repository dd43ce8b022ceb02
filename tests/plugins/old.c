/* A strategy for another version of the interface: nothing behind the number may be read. */
#include <stdint.h>

extern const struct old gannet_strategy;

const struct old {
    uint32_t abi;
    const char *garbage[20];
} gannet_strategy = {.abi = 99, .garbage = {(const char *)1, (const char *)2, (const char *)3}};
