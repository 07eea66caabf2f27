// Hints to the compiler for elementwise loops.
#ifndef FLOWLATCH_OPS_KERNELS_LOOP_MACROS_H_
#define FLOWLATCH_OPS_KERNELS_LOOP_MACROS_H_

// Before a for loop: its iterations do not depend on each other, although an output may be the same memory as an input.
// Only GCC is told: Clang, with which sanitizers run, would warn of every loop that it leaves as it is.
#if defined(__clang__)
#define FLOWLATCH_INDEPENDENT_ITERATIONS
#else
#define FLOWLATCH_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

#endif  // FLOWLATCH_OPS_KERNELS_LOOP_MACROS_H_
