/* Says which plug-in it was when the process dies in the code of one. A plug-in runs in our process and takes it along
 * when it crashes; nothing can be done about that here, but the person should know whom to blame. */
#ifndef GANNET_SEARCH_GUARD_H
#define GANNET_SEARCH_GUARD_H

/* From now on a signal of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) in a thread that runs a plug-in writes one
 * line with the plug-in's path to the standard error; then the process dies of it as ever. Signals that somebody
 * handles already are left alone. */
void guard_install(void);

/* This thread enters the code of the plug-in of this path, until guard_leave. The path must live so long; NULL: the
 * code is our own, nobody is blamed. */
void guard_enter(const char *path);
void guard_leave(void);

#endif
