#pragma once
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Makes glibc return large blocks to the system when they are freed (mallopt(3)). By default it raises the size from which it
/// does so with each large block that is freed, and keeps a heap for each thread.
static inline void return_freed_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_ARENA_MAX, 2);
#endif
}

/// Makes all threads share one arena (mallopt(3)). Another thread's arena grows page by page, with a system call each time.
static inline void share_one_arena(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}
