// The one place where elements of a tensor change while other threads may look at them.
//
// Reference variables are updated in place, and whoever read them before shares their memory without a lock
// (semantics.md 7.3, 7.5); updates with use_locking=false do not even exclude each other (7.9, 7.13). Users choose
// this: lost increments and half-updated tensors are its contract, but never a torn element, a wrong shape or freed
// memory. Shapes and buffers are counted and locked as always; only the elements are plain loads and stores, each at
// most 8 bytes wide and aligned, which the machines that Flowlatch runs on never tear. Elements of two parts and those
// that own memory (complex numbers, strings, handles, variants) have no such access: ops lock for them.
//
// The loops are plain so that compilers vectorise them; relaxed atomics would cost a factor of eight. ThreadSanitizer
// is told to look away from these functions, and only from these.
#ifndef FLOWLATCH_RUNTIME_RESOURCE_RACY_ACCESS_H_
#define FLOWLATCH_RUNTIME_RESOURCE_RACY_ACCESS_H_

#include <cstddef>
#include <cstdint>

#include "graph/tensor/dtype.h"

#define FLOWLATCH_RACY __attribute__((no_sanitize("thread")))
// Before a loop whose iterations do not depend on each other.
#if defined(__clang__)
#define FLOWLATCH_RACY_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define FLOWLATCH_RACY_LOOP _Pragma("GCC ivdep")
#endif

namespace flowlatch {

// Whether elements may be changed without a lock at all.
constexpr bool MayRace(DType dtype) {
  return !IsObjectDType(dtype) && dtype != DType::kComplex64 && dtype != DType::kComplex128;
}

// target[i] = update(target[i], source[i * source_step]); source_step is 1, or 0 for one value for all.
template <typename T, typename Update>
FLOWLATCH_RACY void RacyUpdate(T* target, const T* source, int64_t n, int64_t source_step, Update update) {
  if (source_step == 0) {
    const T value = *source;
    for (int64_t i = 0; i < n; ++i) target[i] = update(target[i], value);
  } else {
    for (int64_t i = 0; i < n; ++i) target[i] = update(target[i], source[i]);
  }
}

// target[i * target_step] = source[i * source_step].
template <typename T>
FLOWLATCH_RACY void RacyCopy(T* target, const T* source, int64_t n, int64_t source_step, int64_t target_step = 1) {
  for (int64_t i = 0; i < n; ++i) target[i * target_step] = source[i * source_step];
}

// Elements i of all targets, as W, go through step(values, source[i]) and back. Targets may be the same memory as the
// source, but do not overlap otherwise.
template <typename W, typename T, size_t kTargets, typename Step>
FLOWLATCH_RACY void RacyUpdateTogether(T* const (&targets)[kTargets], const T* source, int64_t begin, int64_t end,
                                       Step step) {
  T* elements[kTargets];
  for (size_t t = 0; t < kTargets; ++t) elements[t] = targets[t];
  FLOWLATCH_RACY_LOOP
  for (int64_t i = begin; i < end; ++i) {
    W values[kTargets];
    for (size_t t = 0; t < kTargets; ++t) values[t] = static_cast<W>(elements[t][i]);
    step(values, static_cast<W>(source[i]));
    for (size_t t = 0; t < kTargets; ++t) elements[t][i] = static_cast<T>(values[t]);
  }
}

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_RESOURCE_RACY_ACCESS_H_
