#include "ops/kernels/variable_update.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/binary_functors.h"
#include "ops/kernels/slice_copy.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/step_context.h"
#include "runtime/resource/racy_access.h"

namespace flowlatch {
namespace {

template <typename T, typename Op>
void Combine(void* target, const void* source, int64_t n, int64_t source_step) {
  RacyUpdate(static_cast<T*>(target), static_cast<const T*>(source), n, source_step, [](T a, T b) {
    if constexpr (requires { Op::kFails; }) {
      bool failed = false;  // divisors were looked at before
      return T(Op::template Apply<T>(a, b, failed));
    } else {
      return T(Op::template Apply<T>(a, b));
    }
  });
}

template <typename T>
void Copy(void* target, const void* source, int64_t n, int64_t source_step) {
  if (target == source) return;
  RacyCopy(static_cast<T*>(target), static_cast<const T*>(source), n, source_step);
}

template <typename Op, DTypeSet kTypes>
UpdateLoop CombineLoop(DType dtype) {
  return DispatchDType<kTypes>(dtype, UpdateLoop{}, []<typename T>() -> UpdateLoop { return &Combine<T, Op>; });
}

bool HasZeroDivisor(const Tensor& divisors) {
  return DispatchDType<kIntTypes>(divisors.dtype(), false, [&]<typename T>() {
    const absl::Span<const T> values = divisors.values<T>();
    return std::find(values.begin(), values.end(), T{0}) != values.end();
  });
}

// Below this an update is not worth waking a thread for.
constexpr int64_t kParallelBytes = int64_t{256} << 10;

}  // namespace

UpdateLoop FindUpdateLoop(Update update, DType dtype) {
  switch (update) {
    case Update::kAssign:
      return WithStorageType(dtype, []<typename T>() -> UpdateLoop { return &Copy<T>; });
    case Update::kAdd:
      return CombineLoop<binary::Add, kNumberTypes>(dtype);
    case Update::kSub:
      return CombineLoop<binary::Sub, kNumberTypes>(dtype);
    case Update::kMul:
      return CombineLoop<binary::Mul, kNumberTypes>(dtype);
    case Update::kDiv:
      return CombineLoop<binary::Div, kNumberTypes>(dtype);
    case Update::kMin:
      return CombineLoop<binary::Minimum, kRealTypes>(dtype);
    case Update::kMax:
      return CombineLoop<binary::Maximum, kRealTypes>(dtype);
  }
  return nullptr;
}

void UpdateElements(const KernelCall& c, UpdateLoop loop, DType dtype, void* target, const void* source, int64_t n) {
  const int64_t size = static_cast<int64_t>(DTypeSize(dtype));
  if (n * size < kParallelBytes) return loop(target, source, n, 1);
  c.ParallelFor(n, static_cast<double>(size) / 16, [&](int64_t begin, int64_t end) {
    loop(static_cast<char*>(target) + begin * size, static_cast<const char*>(source) + begin * size, end - begin, 1);
  });
}

absl::Status CheckScatterShapes(const PartialShape& target, const PartialShape& indices, const PartialShape& updates) {
  if (target.has_rank() && target.rank() == 0) {
    return absl::InvalidArgumentError("variable: expected at least one dimension, got shape []");
  }
  if (!target.has_rank() || !indices.has_rank() || (updates.has_rank() && updates.rank() == 0)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const PartialShape want, indices.Concatenate(PartialShape::FromValid(target.dims().subspan(1))));
  if (want.CompatibleWith(updates)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("updates: expected shape ", want.ToString(), " or [], got ", updates.ToString()));
}

absl::StatusOr<Indices> ReadRows(const Tensor& indices, int64_t limit) {
  ASSIGN_OR_RETURN(Indices rows, ReadSegmentIds(indices, limit, "indices"));
  const auto negative = std::find_if(rows.begin(), rows.end(), [](int64_t row) { return row < 0; });
  if (negative == rows.end()) return rows;
  return IndexOutOfRange("indices", negative - rows.begin(), indices.dims(), limit, *negative);
}

absl::StatusOr<ScatterPlan> PlanScatter(Update update, const Tensor& target, const Tensor& indices,
                                        const Tensor& updates) {
  RETURN_IF_ERROR(CheckScatterShapes(target.shape(), indices.shape(), updates.shape()));
  if (update == Update::kDiv && HasZeroDivisor(updates)) {
    return absl::InvalidArgumentError("updates: expected divisors other than 0, got 0");
  }
  ScatterPlan plan;
  const int64_t limit = target.dim(0);
  ASSIGN_OR_RETURN(plan.rows, ReadRows(indices, limit));
  plan.row_elements = limit == 0 ? 0 : target.num_elements() / limit;
  if (!updates.is_scalar()) {
    plan.row_step = plan.row_elements;
    plan.source_step = 1;
  }
  return plan;
}

void RunScatter(const ScatterPlan& plan, UpdateLoop loop, Tensor& target, const Tensor& updates) {
  if (plan.row_elements == 0) return;
  const int64_t size = static_cast<int64_t>(DTypeSize(target.dtype()));
  const int64_t row_bytes = plan.row_elements * size;
  char* rows = static_cast<char*>(target.raw_mutable_data());
  const char* source = static_cast<const char*>(updates.raw_data());
  for (const int64_t row : plan.rows) {
    loop(rows + row * row_bytes, source, plan.row_elements, plan.source_step);
    source += plan.row_step * size;
  }
}

absl::Status ExpectSameShape(const char* what, absl::Span<const int64_t> want, absl::Span<const int64_t> got) {
  if (want == got) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected shape ", DimsToString(want), ", got ", DimsToString(got)));
}

absl::StatusOr<RefPtr<Variable>> VariableOfInput(const KernelCall& c, int i) {
  const Tensor& input = c.input(i);
  if (Variable* referenced = ReferencedVariable(input); referenced != nullptr) {
    return RefPtr<Variable>::Share(referenced);
  }
  if (input.dtype() != DType::kResource || !input.has_value() || input.num_elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("input ", i, ": expected a variable, got another"));
  }
  return LookupVariable(c.step().resources(), input.scalar<ResourceHandle>());
}

absl::StatusOr<Tensor> ApartFrom(const Variable& variable, const Tensor& updates) {
  if (variable.value.SharesBufferWith(updates)) return updates.Clone();
  return updates;
}

absl::StatusOr<Tensor> TakeInput(const KernelCall& c, int i) {
  if (c.CanForward(i)) return c.input(i);
  return c.input(i).Clone(c.step().services().allocator);
}

}  // namespace flowlatch
