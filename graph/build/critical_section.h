// CriticalSection: parts of a graph that never run at the same time, in one step or in several.
//
//   CriticalSection section(b, "counter");
//   Output before = section.Execute([&] {
//     Output now = ops::ReadVariableOp(b, counter, DType::kInt32);
//     BuilderScope after = b.ControlDependencies({now});
//     ops::AssignAddVariableOp(b, counter, 1);
//     return now;
//   });
#ifndef FLOWLATCH_GRAPH_BUILD_CRITICAL_SECTION_H_
#define FLOWLATCH_GRAPH_BUILD_CRITICAL_SECTION_H_

#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "graph/build/graph_builder.h"

namespace flowlatch {

struct CriticalSectionOptions {
  // Sections of one shared_name exclude each other, in other graphs of the session too. "": the section's own.
  std::string_view shared_name = {};
};

struct ExecuteOptions {
  // Whether no other section of the builder may use the resources (variables, queues) that the body uses.
  bool exclusive_resource_access = true;
  std::string_view name = "execute";
};

// A mutex and the rules of its use. What one section executes runs one after another, in an order that nobody knows; two
// sections do not exclude each other. Works in branches, loops and functions. A body that waits for what only another execution
// of the section can bring waits for ever.
//
// As everything about a builder it fails through the builder, belongs to its thread, and must not outlive it.
class CriticalSection {
 public:
  explicit CriticalSection(GraphBuilder& b, std::string_view name = "critical_section", const CriticalSectionOptions& options = {},
                           std::source_location at = std::source_location::current());
  ~CriticalSection();
  CriticalSection(const CriticalSection&) = delete;
  CriticalSection& operator=(const CriticalSection&) = delete;

  // What `body` gives, after the section is free again. `body` is called once, now. All that it makes runs under the lock: it
  // starts when the lock is there, and the lock is released when all of it is done. The lock is not asked for before all is
  // there that the body uses from outside, so it is never held while others compute.
  // Errors: InvalidArgument for a body that uses this section (it would wait for itself), or resources that another section
  // uses, unless both say that they may be shared.
  Outputs Execute(const std::function<Outputs()>& body, const ExecuteOptions& options = {},
                  std::source_location at = std::source_location::current());
  Output Execute(const std::function<Output()>& body, const ExecuteOptions& options = {},
                 std::source_location at = std::source_location::current());

 private:
  class Body;
  struct UsedResource {
    Output source;
    bool exclusive;
  };

  bool CheckResources(const Body& body, bool exclusive, std::source_location at);

  GraphBuilder& b_;
  std::string name_;
  Output mutex_;
  bool executing_ = false;
  std::vector<UsedResource> used_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_CRITICAL_SECTION_H_
