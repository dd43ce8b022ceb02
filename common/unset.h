/* UNSET before an array on the stack says that it is written before it is read: the flag that has all others filled
 * with zeros first (the Makefile's HARDENING_FLAGS) leaves it alone. For arrays of kilobytes in functions that are
 * called a million times a second. */
#ifndef GANNET_COMMON_UNSET_H
#define GANNET_COMMON_UNSET_H

#if defined(__has_attribute)
#if __has_attribute(uninitialized)
#define UNSET __attribute__((uninitialized))
#endif
#endif

#ifndef UNSET
#define UNSET
#endif

#endif
