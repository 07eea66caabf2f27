// Mutations: small ways to make a valid call of an op invalid, or odd. They are those that found most of the faults of graph
// runtimes in the past: empty tensors, other ranks, extreme numbers, lists of other lengths, wrong dtypes, handles of nothing.
#ifndef FLOWLATCH_TESTS_MUTATION_MUTATIONS_H_
#define FLOWLATCH_TESTS_MUTATION_MUTATIONS_H_

#include <cstdint>
#include <random>
#include <string>

#include "graph/schema/op_registry.h"
#include "tests/mutation/call.h"

namespace flowlatch {

// Mutates `call` once and says how: "input 1: [2,3] becomes [0,3]". "" when what was drawn does not fit the call.
std::string MutateOnce(const OpRegistry& registry, std::mt19937_64& random, Call& call);

// The case `number` of a call: no mutation for 0, then one or two. The same numbers give the same case. `how` says what was done.
Call MutatedCall(const OpRegistry& registry, const Call& call, uint64_t seed, int number, std::string* how);

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_MUTATION_MUTATIONS_H_
