#include "ops/kernels/variable_update.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/binary_functors.h"
#include "ops/kernels/slice_copy.h"
#include "ops/kernels/small_floats.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/step_context.h"
#include "runtime/plan/chain.h"
#include "runtime/resource/racy_access.h"

namespace flowlatch {
namespace {

// What 16-bit floats are while they are converted: copied once from memory that others may change, and once back.
template <typename T>
struct FloatPiece {
  T stored[kFloatPiece];
  float wide[kFloatPiece];
  void Load(const T* from, int64_t n) {
    RacyCopy(stored, from, n, 1);
    WidenFloats(stored, wide, n);
  }
  void Store(T* to, int64_t n) {
    NarrowFloats(wide, stored, n);
    RacyCopy(to, stored, n, 1);
  }
};

template <typename T, typename Op>
void Combine(void* target, const void* source, int64_t n, int64_t source_step) {
  bool failed = false;  // divisors were looked at before
  T* const elements = static_cast<T*>(target);
  const T* const others = static_cast<const T*>(source);
  if constexpr (kIs16BitFloat<T>) {
    if (source_step == 1) {
      ForEachFloatPiece(n, [=, &failed](int64_t begin, int64_t count) {
        FloatPiece<T> x, y;
        x.Load(elements + begin, count);
        y.Load(others + begin, count);
        for (int64_t i = 0; i < count; ++i) x.wide[i] = binary::ApplyTo<Op, T>(x.wide[i], y.wide[i], failed);
        x.Store(elements + begin, count);
      });
      return;
    }
  }
  RacyUpdate(elements, others, n, source_step, [&failed](T a, T b) { return T(binary::ApplyTo<Op, T>(a, b, failed)); });
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
// Of the target, with as much of an update at a time: what the first-level cache holds.
constexpr int64_t kPieceBytes = int64_t{16} << 10;

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

absl::StatusOr<UpdateLoops> FindUpdateLoops(const NodeInfo& node, Update update, DType dtype) {
  UpdateLoops loops;
  if (!IsChain(node)) {
    loops.push_back(FindUpdateLoop(update, dtype));
  } else {
    for (const std::string& op : ChainOps(node)) {
      loops.push_back(FindUpdateLoop(absl::StartsWith(op, "AssignSub") ? Update::kSub : Update::kAdd, dtype));
    }
  }
  if (std::count(loops.begin(), loops.end(), nullptr) > 0) return NoKernelFor(node, dtype);
  return loops;
}

absl::Status CheckUpdateShapes(const KernelCall& c, const Tensor& target) {
  for (int i = 1; i < c.num_inputs(); ++i) RETURN_IF_ERROR(ExpectSameShape("value", target.dims(), c.input(i).dims()));
  return absl::OkStatus();
}

void UpdateByInputs(const KernelCall& c, absl::Span<const UpdateLoop> loops, Tensor& target) {
  const int64_t n = target.num_elements(), size = static_cast<int64_t>(DTypeSize(target.dtype()));
  const int64_t piece = loops.size() == 1 ? n : kPieceBytes / size;
  char* const elements = static_cast<char*>(target.raw_mutable_data());
  const auto update = [&](int64_t begin, int64_t end) {
    for (; begin < end; begin += piece) {
      for (size_t i = 0; i < loops.size(); ++i) {
        const char* source = static_cast<const char*>(c.input(static_cast<int>(i) + 1).raw_data());
        loops[i](elements + begin * size, source + begin * size, std::min(piece, end - begin), 1);
      }
    }
  };
  const int64_t bytes = size * static_cast<int64_t>(loops.size());  // of one element
  if (n * bytes < kParallelBytes) return update(0, n);
  c.ParallelFor(n, static_cast<double>(bytes) / 16, update);
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
