#include "tests/mutation/mutations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "flowlatch/proto/attr_value.pb.h"
#include "graph/tensor/tensor_proto.h"

namespace flowlatch {
namespace {

constexpr int64_t kMaxElements = 1 << 16;  // of a mutated tensor that really has its elements
constexpr int kNumDataTypes = 31;          // of the protocol, DT_INVALID included; references are 100 higher

class Mutator {
 public:
  Mutator(const OpRegistry& registry, std::mt19937_64& random, Call& call)
      : registry_(registry), random_(random), call_(call), schema_(registry.Find(call.target().op())) {}

  std::string Mutate() {
    const int kind = Below(20);
    if (kind < 6) return MutateShape();
    if (kind < 11) return MutateElements();
    if (kind < 15) return MutateAttr();
    if (kind < 17) return MutateDType();
    return MutateInputs();
  }

 private:
  int Below(int64_t n) { return n <= 1 ? 0 : static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  template <typename T>
  T OneOf(std::initializer_list<T> values) {
    return values.begin()[Below(static_cast<int64_t>(values.size()))];
  }

  // --- Values

  // A constant of the call: mostly one that the target takes, else one further up. Null if there is none.
  NodeDef* AnyConst() {
    std::vector<NodeDef*> all, near;
    for (NodeDef& node : *call_.graph.mutable_node()) {
      if (node.op() != "Const" || node.attr().count("value") == 0) continue;
      all.push_back(&node);
      for (const std::string& input : call_.target().input()) {
        if (input == node.name() || input == node.name() + ":0") near.push_back(&node);
      }
    }
    const std::vector<NodeDef*>& from = near.empty() || Below(8) == 0 ? all : near;
    return from.empty() ? nullptr : from[Below(static_cast<int64_t>(from.size()))];
  }

  static std::vector<int64_t> DimsOf(const TensorProto& proto) {
    std::vector<int64_t> dims;
    for (const auto& dim : proto.tensor_shape().dim()) dims.push_back(dim.size());
    return dims;
  }

  std::vector<int64_t> OtherDims(std::vector<int64_t> dims) {
    const int rank = static_cast<int>(dims.size());
    switch (Below(10)) {
      case 0:
      case 1:  // one dimension, or all, without elements
        if (rank == 0) return {0};
        dims[Below(rank)] = 0;
        return dims;
      case 2:
        if (rank == 0) return {0, 0};
        std::fill(dims.begin(), dims.end(), 0);
        return dims;
      case 3:  // a rank less
        if (rank == 0) return {1};
        dims.erase(Below(2) == 0 ? dims.begin() : dims.end() - 1);
        return dims;
      case 4:  // a rank more
        dims.insert(Below(2) == 0 ? dims.begin() : dims.end(), OneOf<int64_t>({0, 1, 2}));
        return dims;
      case 5: return {};
      case 6: return std::vector<int64_t>(OneOf<size_t>({5, 8, 9, 254, 255}), 1);
      case 7: return {OneOf<int64_t>({0, 1, 2, 3, 17})};
      default:  // an element more or less than its companions have
        if (rank == 0) return {2};
        dims[Below(rank)] += OneOf<int64_t>({-1, 1, 1, 7});
        for (int64_t& dim : dims) dim = std::max<int64_t>(dim, 0);
        return dims;
    }
  }

  // The tensor's elements, again from the first when there are too few, under other dimensions.
  static bool Resize(const std::vector<int64_t>& dims, TensorProto& proto) {
    const absl::StatusOr<Tensor> from = TensorFromProto(proto);
    if (!from.ok()) return false;
    int64_t count = 1;
    for (const int64_t dim : dims) {
      count *= dim;
      if (count > kMaxElements) return false;
    }
    absl::StatusOr<Tensor> to = Tensor::Zeros(from->dtype(), Shape::Of({count}));
    if (!to.ok()) return false;
    const int64_t n = from->num_elements();
    for (int64_t i = 0; i < count && n > 0; ++i) {
      if (from->dtype() == DType::kString) {
        to->mutable_data<String>()[i] = from->data<String>()[i % n];
      } else if (!IsObjectDType(from->dtype())) {
        const size_t size = DTypeSize(from->dtype());
        std::memcpy(static_cast<char*>(to->raw_mutable_data()) + i * size,
                    static_cast<const char*>(from->raw_data()) + (i % n) * size, size);
      }
    }
    if (!TensorToProto(*to, &proto).ok()) return false;
    ShapeToProto(absl::Span<const int64_t>(dims), proto.mutable_tensor_shape());  // perhaps more than a tensor may have
    return true;
  }

  std::string MutateShape() {
    NodeDef* const node = AnyConst();
    if (node == nullptr) return "";
    TensorProto& proto = *(*node->mutable_attr())["value"].mutable_tensor();
    const std::vector<int64_t> before = DimsOf(proto), dims = OtherDims(before);
    if (dims == before || !Resize(dims, proto)) return "";
    return absl::StrCat(node->name(), ": [", absl::StrJoin(before, ","), "] becomes [",
                        dims.size() > 10 ? absl::StrCat(dims.size(), " dimensions") : absl::StrJoin(dims, ","), "]");
  }

  int64_t OddInt() {
    constexpr int64_t kOne = 1;
    return OneOf<int64_t>({-1, 0, 1, 2, 3, 4, 5, -2, -3, -7, 255, 256, 65536, std::numeric_limits<int32_t>::max(),
                           std::numeric_limits<int32_t>::min(), std::numeric_limits<int64_t>::max(),
                           std::numeric_limits<int64_t>::min(), kOne << 31, kOne << 32, (kOne << 32) + 1, (kOne << 60) - 1,
                           kOne << 62, 100000, 1 << 30});
  }
  double OddFloat() {
    return OneOf<double>({std::nan(""), INFINITY, -INFINITY, 0.0, -0.0, 1e-45, 1e38, -1e38, 1e308, -1.0, 0.5, 1.0, 2.0, 1e10});
  }
  std::string OddString() {
    switch (Below(12)) {
      case 0: return "";
      case 1: return "x";
      case 2: return "12345678";
      case 3: return std::string("a\0b", 3);
      case 4: return "\xff\xfe\x80";
      case 5: return "%n%s%d";
      case 6: return std::string(1 << 20, 'a');
      case 7: return "-1";
      case 8: return "nan";
      case 9: return std::string(300, '(') + "[[*+?{9999}";
      case 10: return "\xf4\x90\x80\x80\xed\xa0\x80";
      default: return "99999999999999999999";
    }
  }

  template <typename T, typename V>
  void SetSome(Tensor& tensor, V&& odd) {
    const int64_t n = tensor.num_elements();
    const bool all = Below(3) == 0;
    const int64_t only = Below(n);
    const T value = odd();
    for (int64_t i = 0; i < n; ++i) {
      if (all || i == only) tensor.mutable_data<T>()[i] = Below(4) == 0 ? odd() : value;
    }
  }

  std::string MutateElements() {
    NodeDef* const node = AnyConst();
    if (node == nullptr) return "";
    TensorProto& proto = *(*node->mutable_attr())["value"].mutable_tensor();
    const absl::StatusOr<Tensor> from = TensorFromProto(proto);
    if (!from.ok() || from->num_elements() == 0) return "";
    absl::StatusOr<Tensor> to = from->Clone();
    if (!to.ok()) return "";
    switch (to->dtype()) {
      case DType::kInt32: SetSome<int32_t>(*to, [this] { return static_cast<int32_t>(OddInt()); }); break;
      case DType::kInt64: SetSome<int64_t>(*to, [this] { return OddInt(); }); break;
      case DType::kUInt8: SetSome<uint8_t>(*to, [this] { return static_cast<uint8_t>(OddInt()); }); break;
      case DType::kInt8: SetSome<int8_t>(*to, [this] { return static_cast<int8_t>(OddInt()); }); break;
      case DType::kInt16: SetSome<int16_t>(*to, [this] { return static_cast<int16_t>(OddInt()); }); break;
      case DType::kUInt16: SetSome<uint16_t>(*to, [this] { return static_cast<uint16_t>(OddInt()); }); break;
      case DType::kUInt32: SetSome<uint32_t>(*to, [this] { return static_cast<uint32_t>(OddInt()); }); break;
      case DType::kUInt64: SetSome<uint64_t>(*to, [this] { return static_cast<uint64_t>(OddInt()); }); break;
      case DType::kFloat32: SetSome<float>(*to, [this] { return static_cast<float>(OddFloat()); }); break;
      case DType::kFloat64: SetSome<double>(*to, [this] { return OddFloat(); }); break;
      case DType::kFloat16: SetSome<Half>(*to, [this] { return Half(static_cast<float>(OddFloat())); }); break;
      case DType::kBFloat16: SetSome<BFloat16>(*to, [this] { return BFloat16(static_cast<float>(OddFloat())); }); break;
      case DType::kComplex64:
        SetSome<std::complex<float>>(*to, [this] { return std::complex<float>(static_cast<float>(OddFloat()), static_cast<float>(OddFloat())); });
        break;
      case DType::kComplex128: SetSome<std::complex<double>>(*to, [this] { return std::complex<double>(OddFloat(), OddFloat()); }); break;
      case DType::kBool: SetSome<bool>(*to, [this] { return Below(2) == 0; }); break;
      case DType::kString: SetSome<String>(*to, [this] { return String(OddString()); }); break;
      default: return "";
    }
    const std::vector<int64_t> dims = DimsOf(proto);
    if (!TensorToProto(*to, &proto).ok()) return "";
    return absl::StrCat(node->name(), ": elements become ", to->DebugString(8).substr(0, 300));
  }

  // --- Attributes

  DataType OddType() { return static_cast<DataType>(Below(12) == 0 ? 101 + Below(kNumDataTypes) : Below(kNumDataTypes)); }

  void OddShape(TensorShapeProto& shape) {
    switch (Below(6)) {
      case 0: shape.Clear(); shape.set_unknown_rank(true); break;
      case 1: shape.Clear(); break;
      case 2: shape.add_dim()->set_size(OddInt()); break;
      case 3:
        shape.Clear();
        for (int i = 0; i < 3; ++i) shape.add_dim()->set_size(int64_t{1} << 31);
        break;
      case 4:
        if (shape.dim_size() > 0) shape.mutable_dim(Below(shape.dim_size()))->set_size(OddInt());
        break;
      default:
        if (shape.dim_size() > 0) shape.mutable_dim()->RemoveLast();
    }
  }

  template <typename List, typename Change>
  void ChangeList(List* list, Change&& change) {
    switch (Below(4)) {
      case 0: list->Clear(); break;
      case 1:
        if (!list->empty()) list->RemoveLast();
        break;
      case 2: {
        if (list->empty()) break;
        auto last = list->Get(list->size() - 1);
        *list->Add() = last;
        break;
      }
      default:
        if (!list->empty()) change(*list->Mutable(Below(list->size())));
    }
  }

  // One more or less; the largest and the smallest are neighbours.
  int64_t Neighbour(int64_t value) {
    return static_cast<int64_t>(static_cast<uint64_t>(value) + static_cast<uint64_t>(OneOf<int64_t>({-1, 1})));
  }

  bool ChangeAttr(AttrValue& value) {
    switch (value.value_case()) {
      case AttrValue::kI: value.set_i(Below(3) == 0 ? Neighbour(value.i()) : OddInt()); return true;
      case AttrValue::kF: value.set_f(static_cast<float>(OddFloat())); return true;
      case AttrValue::kB: value.set_b(!value.b()); return true;
      case AttrValue::kS: value.set_s(OddString()); return true;
      case AttrValue::kType: value.set_type(OddType()); return true;
      case AttrValue::kShape: OddShape(*value.mutable_shape()); return true;
      case AttrValue::kTensor: return Resize(OtherDims(DimsOf(value.tensor())), *value.mutable_tensor());
      case AttrValue::kFunc: value.mutable_func()->set_name(OneOf<const char*>({"", "nothing", "Add"})); return true;
      case AttrValue::kList: {
        AttrValue::ListValue& list = *value.mutable_list();
        if (list.i_size() > 0) {
          switch (Below(3)) {
            case 0: list.clear_i(); break;
            case 1: list.add_i(OddInt()); break;
            default: list.set_i(Below(list.i_size()), OddInt());
          }
        } else if (list.f_size() > 0) {
          Below(2) == 0 ? list.add_f(static_cast<float>(OddFloat())) : list.set_f(Below(list.f_size()), static_cast<float>(OddFloat()));
        } else if (list.b_size() > 0) {
          Below(2) == 0 ? list.add_b(true) : list.mutable_b()->RemoveLast();
        } else if (list.type_size() > 0) {
          switch (Below(3)) {
            case 0: list.clear_type(); break;
            case 1: list.add_type(OddType()); break;
            default: list.set_type(Below(list.type_size()), OddType());
          }
        } else if (list.s_size() > 0) {
          ChangeList(list.mutable_s(), [this](std::string& s) { s = OddString(); });
        } else if (list.shape_size() > 0) {
          ChangeList(list.mutable_shape(), [this](TensorShapeProto& shape) { OddShape(shape); });
        } else if (list.func_size() > 0) {
          ChangeList(list.mutable_func(), [](NameAttrList& f) { f.set_name("nothing"); });
        } else {
          list.add_i(OddInt());
        }
        return true;
      }
      default: return false;
    }
  }

  // Puts the defaults of attributes that the node leaves out into it, so that they can be changed too.
  void AddDefaults(NodeDef& node) {
    for (const AttrSpec& spec : schema_->attrs()) {
      if (!spec.default_value.has_value() || node.attr().count(spec.name) != 0) continue;
      AttrValue value;
      if (const auto* i = spec.default_value->Get<int64_t>()) value.set_i(*i);
      if (const auto* f = spec.default_value->Get<float>()) value.set_f(*f);
      if (const auto* b = spec.default_value->Get<bool>()) value.set_b(*b);
      if (const auto* s = spec.default_value->Get<std::string>()) value.set_s(*s);
      if (const auto* ints = spec.default_value->Get<std::vector<int64_t>>()) {
        for (const int64_t i : *ints) value.mutable_list()->add_i(i);
      }
      if (value.value_case() != AttrValue::VALUE_NOT_SET) (*node.mutable_attr())[spec.name] = value;
    }
  }

  std::string MutateAttr() {
    NodeDef& node = Below(8) == 0 ? *call_.graph.mutable_node(Below(call_.graph.node_size())) : call_.target();
    if (node.op() == "Const") return "";
    if (schema_ != nullptr && &node == &call_.target()) AddDefaults(node);
    std::vector<std::string> names;
    for (const auto& [name, value] : node.attr()) names.push_back(name);
    if (names.empty()) return "";
    std::sort(names.begin(), names.end());
    // Types are the business of MutateDType, and seldom changed alone.
    std::string name = names[Below(static_cast<int64_t>(names.size()))];
    if (node.attr().at(name).value_case() == AttrValue::kType && Below(4) != 0) name = names[Below(static_cast<int64_t>(names.size()))];
    if (Below(16) == 0) {
      node.mutable_attr()->erase(name);
      return absl::StrCat(node.name(), ": no ", name);
    }
    AttrValue& value = (*node.mutable_attr())[name];
    if (!ChangeAttr(value)) return "";
    return absl::StrCat(node.name(), ": ", name, " becomes ", value.ShortDebugString().substr(0, 200));
  }

  // --- Another dtype everywhere where an attribute of the target tells it

  // The elements as another dtype, as far as both are numbers; zeros or empty strings else.
  static bool CastTo(DType dtype, TensorProto& proto) {
    const absl::StatusOr<Tensor> from = TensorFromProto(proto);
    if (!from.ok() || dtype == DType::kResource || dtype == DType::kVariant) return false;
    absl::StatusOr<Tensor> to = Tensor::Zeros(dtype, from->shape());
    if (!to.ok()) return false;
    for (int64_t i = 0; i < to->num_elements(); ++i) {
      double x = 1;
      switch (from->dtype()) {
        case DType::kFloat32: x = from->data<float>()[i]; break;
        case DType::kFloat64: x = from->data<double>()[i]; break;
        case DType::kInt32: x = from->data<int32_t>()[i]; break;
        case DType::kInt64: x = static_cast<double>(from->data<int64_t>()[i]); break;
        case DType::kBool: x = from->data<bool>()[i] ? 1 : 0; break;
        default: break;
      }
      if (!(std::abs(x) < 100)) x = 1;
      switch (dtype) {
        case DType::kFloat32: to->mutable_data<float>()[i] = static_cast<float>(x); break;
        case DType::kFloat64: to->mutable_data<double>()[i] = x; break;
        case DType::kFloat16: to->mutable_data<Half>()[i] = Half(static_cast<float>(x)); break;
        case DType::kBFloat16: to->mutable_data<BFloat16>()[i] = BFloat16(static_cast<float>(x)); break;
        case DType::kComplex64: to->mutable_data<std::complex<float>>()[i] = {static_cast<float>(x), 1}; break;
        case DType::kComplex128: to->mutable_data<std::complex<double>>()[i] = {x, 1}; break;
        case DType::kInt64: to->mutable_data<int64_t>()[i] = static_cast<int64_t>(x); break;
        case DType::kInt32: to->mutable_data<int32_t>()[i] = static_cast<int32_t>(x); break;
        case DType::kInt16: to->mutable_data<int16_t>()[i] = static_cast<int16_t>(x); break;
        case DType::kUInt16: to->mutable_data<uint16_t>()[i] = static_cast<uint16_t>(std::abs(x)); break;
        case DType::kUInt32: to->mutable_data<uint32_t>()[i] = static_cast<uint32_t>(std::abs(x)); break;
        case DType::kUInt64: to->mutable_data<uint64_t>()[i] = static_cast<uint64_t>(std::abs(x)); break;
        case DType::kInt8: to->mutable_data<int8_t>()[i] = static_cast<int8_t>(x); break;
        case DType::kUInt8: to->mutable_data<uint8_t>()[i] = static_cast<uint8_t>(std::abs(x)); break;
        case DType::kBool: to->mutable_data<bool>()[i] = x > 0; break;
        case DType::kString: to->mutable_data<String>()[i] = String("x"); break;
        default: break;
      }
    }
    return TensorToProto(*to, &proto).ok();
  }

  std::string MutateDType() {
    if (schema_ == nullptr) return "";
    std::vector<const AttrSpec*> types;
    for (const AttrSpec& spec : schema_->attrs()) {
      if (spec.kind == "type") types.push_back(&spec);
    }
    if (types.empty()) return "";
    const AttrSpec& spec = *types[Below(static_cast<int64_t>(types.size()))];
    const DataType type = static_cast<DataType>(1 + Below(kNumDataTypes - 1));
    NodeDef& target = call_.target();
    (*target.mutable_attr())[spec.name].set_type(type);
    // The inputs in the order of the arguments; arguments of several ports end the walk, as their number is not known here.
    int port = 0;
    for (const ArgSpec& arg : schema_->inputs()) {
      if (!arg.number_attr.empty() || !arg.type_list_attr.empty() || port >= target.input_size()) break;
      const std::string& source = target.input(port++);
      if (arg.type_attr != spec.name) continue;
      for (NodeDef& node : *call_.graph.mutable_node()) {
        if (node.name() != source) continue;
        if (node.op() == "Const") {
          TensorProto& proto = *(*node.mutable_attr())["value"].mutable_tensor();
          if (CastTo(static_cast<DType>(type), proto)) (*node.mutable_attr())["dtype"].set_type(proto.dtype());
        } else if (node.attr().count("dtype") != 0) {
          (*node.mutable_attr())["dtype"].set_type(type);
        }
      }
    }
    return absl::StrCat(spec.name, " becomes ", DataType_Name(type), " everywhere");
  }

  // --- Inputs

  std::string MutateInputs() {
    NodeDef& target = call_.target();
    const int n = target.input_size();
    GraphDef& graph = call_.graph;
    switch (Below(7)) {
      case 0: {  // nothing that was to come before comes before: handles of nothing
        if (graph.node_size() < 2) return "";
        for (NodeDef& node : *graph.mutable_node()) {
          for (int i = node.input_size() - 1; i >= 0; --i) {
            if (absl::StartsWith(node.input(i), "^")) node.mutable_input()->DeleteSubrange(i, 1);
          }
        }
        return "no control inputs";
      }
      case 1:  // one buffer twice
        if (n < 2) return "";
        target.set_input(Below(n), target.input(Below(n)));
        return "an input is another one";
      case 2:
        if (n == 0) return "";
        target.mutable_input()->DeleteSubrange(Below(n), 1);
        return "an input less";
      case 3:
        target.add_input(graph.node(Below(graph.node_size())).name());
        return "an input more";
      case 4: {  // dead
        if (n == 0) return "";
        const int i = Below(n);
        if (absl::StartsWith(target.input(i), "^")) return "";
        return Insert("Switch", i, {{"predicate", false}}, ":1");
      }
      case 5: {  // another node's value: a foreign handle
        if (n == 0) return "";
        target.set_input(Below(n), graph.node(Below(graph.node_size() - 1)).name());
        return "an input is another node's";
      }
      default: {  // a handle that nothing stands behind
        if (n == 0) return "";
        NodeDef handle;
        handle.set_name("mutation/handle");
        handle.set_op("VarHandleOp");
        (*handle.mutable_attr())["dtype"].set_type(static_cast<DataType>(1 + Below(kNumDataTypes - 1)));
        (*handle.mutable_attr())["shape"].mutable_shape()->set_unknown_rank(true);
        (*handle.mutable_attr())["shared_name"].set_s("mutation");
        const int i = Below(n);
        target.set_input(i, handle.name());
        AddBeforeTarget(handle);
        return absl::StrCat("input ", i, " is a handle of nothing");
      }
    }
  }

  void AddBeforeTarget(const NodeDef& node) {
    *call_.graph.add_node() = node;
    call_.graph.mutable_node()->SwapElements(call_.graph.node_size() - 2, call_.graph.node_size() - 1);
  }

  struct BoolConst {
    std::string name;
    bool value;
  };
  std::string Insert(const char* op, int input, const BoolConst& predicate, const char* port) {
    const DType dtype = InputDType(input);
    if (dtype == DType::kInvalid) return "";
    NodeDef constant;
    constant.set_name("mutation/" + predicate.name);
    constant.set_op("Const");
    (*constant.mutable_attr())["dtype"].set_type(DT_BOOL);
    TensorProto& value = *(*constant.mutable_attr())["value"].mutable_tensor();
    value.set_dtype(DT_BOOL);
    value.mutable_tensor_shape();
    value.add_bool_val(predicate.value);
    NodeDef node;
    node.set_name(absl::StrCat("mutation/", op));
    node.set_op(op);
    node.add_input(call_.target().input(input));
    node.add_input(constant.name());
    (*node.mutable_attr())["T"].set_type(static_cast<DataType>(dtype));
    call_.target().set_input(input, node.name() + port);
    AddBeforeTarget(constant);
    AddBeforeTarget(node);
    return absl::StrCat("input ", input, " is dead");
  }

  // The dtype of a constant that is an input; kInvalid for other inputs.
  DType InputDType(int input) {
    for (const NodeDef& node : call_.graph.node()) {
      if (node.name() == call_.target().input(input) && node.op() == "Const") {
        return static_cast<DType>(node.attr().at("dtype").type());
      }
    }
    return DType::kInvalid;
  }

  const OpRegistry& registry_;
  std::mt19937_64& random_;
  Call& call_;
  const OpSchema* const schema_;
};

}  // namespace

std::string MutateOnce(const OpRegistry& registry, std::mt19937_64& random, Call& call) {
  return Mutator(registry, random, call).Mutate();
}

Call MutatedCall(const OpRegistry& registry, const Call& call, uint64_t seed, int number, std::string* how) {
  Call mutated = call;
  how->clear();
  if (number == 0) return mutated;
  std::seed_seq mix{seed, seed >> 32, static_cast<uint64_t>(number)};
  std::mt19937_64 random(mix);
  const int mutations = 1 + number % 2;
  for (int done = 0, tries = 0; done < mutations && tries < 20; ++tries) {
    const std::string what = MutateOnce(registry, random, mutated);
    if (what.empty()) continue;
    absl::StrAppend(how, done == 0 ? "" : "; ", what);
    ++done;
  }
  return mutated;
}

}  // namespace flowlatch
