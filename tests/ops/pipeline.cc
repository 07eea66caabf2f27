#include "tests/ops/pipeline.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ops/default_ops.h"

namespace flowlatch {
namespace {

constexpr char kLong[] = "T=type:DT_INT64";
constexpr char kDataset[] = "output_types=list{type:DT_INT64};output_shapes=list{shape{}}";

std::string LongConst(const std::string& name, int64_t value) {
  return absl::StrCat(name, " Const  dtype=type:DT_INT64;value=tensor{dtype:DT_INT64,tensor_shape{},int64_val:", value, "}");
}

std::vector<std::string> Iterate(Session& session, const std::string& begin, const std::string& next,
                                 const std::vector<DType>& dtypes, int max) {
  std::vector<std::string> fetches, texts;
  for (size_t i = 0; i < dtypes.size(); ++i) fetches.push_back(absl::StrCat(next, ":", i));
  if (const absl::Status made = session.Run({}, {}, {begin}).status(); !made.ok()) return {made.ToString()};
  while (static_cast<int>(texts.size()) < max) {
    const absl::StatusOr<std::vector<Tensor>> element = session.Run({}, fetches, {});
    if (absl::IsOutOfRange(element.status())) break;
    texts.push_back(element.ok() ? ElementText(*element) : absl::StatusCodeToString(element.status().code()));
  }
  return texts;
}

}  // namespace

std::string ElementText(const std::vector<Tensor>& element) {
  std::string text;
  for (const Tensor& t : element) {
    const std::string whole = t.DebugString();
    const size_t at = whole.find(" = ");
    absl::StrAppend(&text, text.empty() ? "" : "|", at == std::string::npos ? whole : whole.substr(at + 3));
  }
  return text;
}

AttrMap ElementAttrs(const std::vector<DType>& dtypes, AttrMap attrs, const char* types) {
  return attrs.With(types, dtypes).With("output_shapes", std::vector<PartialShape>(dtypes.size()));
}

Pipeline::Pipeline() : functions_(std::make_shared<FunctionLibrary>(DefaultOps().registry())) {
  const std::vector<std::string> x{"x DT_INT64"}, long_result{"r DT_INT64"}, dataset_result{"r DT_VARIANT"};
  Define({"Double", x, long_result, {absl::StrCat("s AddV2 x,x ", kLong)}, {"r s:z:0"}});
  Define({"Plus", {"x DT_INT64", "y DT_INT64"}, long_result, {absl::StrCat("s AddV2 x,y ", kLong)}, {"r s:z:0"}});
  Define({"IsOdd", x, {"r DT_BOOL"},
          {LongConst("two", 2), LongConst("one", 1), absl::StrCat("m FloorMod x,two:output:0 ", kLong),
           absl::StrCat("e Equal m:z:0,one:output:0 ", kLong)},
          {"r e:z:0"}});
  Define({"BelowThree", x, {"r DT_BOOL"}, {LongConst("three", 3), absl::StrCat("l Less x,three:output:0 ", kLong)}, {"r l:z:0"}});
  Define({"FailAtTwo", x, long_result,
          {LongConst("two", 2), absl::StrCat("n NotEqual x,two:output:0 ", kLong), "a Assert n:z:0,x T=list{type:DT_INT64}",
           absl::StrCat("i Identity x,^a ", kLong)},
          {"r i:output:0"}});
  // x + the first of the numbers below 2 - x.
  Define({"EndAtTwo", x, long_result,
          {LongConst("zero", 0), LongConst("one", 1), LongConst("two", 2),
           absl::StrCat("left Sub two:output:0,x ", kLong),
           absl::StrCat("d RangeDataset zero:output:0,left:z:0,one:output:0 ", kDataset),
           absl::StrCat("it AnonymousIteratorV3  ", kDataset), "make MakeIterator d:handle:0,it:handle:0",
           absl::StrCat("get IteratorGetNext it:handle:0,^make ", kDataset), absl::StrCat("s AddV2 x,get:components:0 ", kLong)},
          {"r s:z:0"}});
  Define({"CopiesOf", x, dataset_result,
          {"t TensorDataset x Toutput_types=list{type:DT_INT64};output_shapes=list{shape{}}",
           absl::StrCat("d RepeatDataset t:handle:0,x ", kDataset)},
          {"r d:handle:0"}});
  Define({"Numbers", x, dataset_result,
          {LongConst("zero", 0), LongConst("one", 1),
           absl::StrCat("d RangeDataset zero:output:0,x,one:output:0 ", kDataset)},
          {"r d:handle:0"}});
  Define({"RunningSum", {"s DT_INT64", "x DT_INT64"}, {"t DT_INT64", "r DT_INT64"},
          {LongConst("ten", 10), absl::StrCat("a AddV2 s,x ", kLong), absl::StrCat("m Mul s,ten:output:0 ", kLong)},
          {"t a:z:0", "r m:z:0"}});
  Define({"Vector", x, long_result,
          {"zero Const  dtype=type:DT_INT32;value=tensor{dtype:DT_INT32,tensor_shape{},int_val:0}",
           "e ExpandDims x,zero:output:0 T=type:DT_INT64;Tdim=type:DT_INT32",
           "f Fill e:output:0,x T=type:DT_INT64;index_type=type:DT_INT64"},
          {"r f:output:0"}});
}

Pipeline& Pipeline::Define(const FunctionText& f) {
  const absl::Status status = functions_->Add(flowlatch::Define(f));
  EXPECT_TRUE(status.ok()) << status;
  return *this;
}

std::string Pipeline::Const(const Tensor& value) {
  return Add("Const", {}, {{"dtype", value.dtype()}, {"value", value}});
}

std::string Pipeline::Add(const std::string& op, std::vector<std::string> inputs, AttrMap attrs) {
  nodes_.push_back({absl::StrCat(op, "_", nodes_.size()), op, std::move(inputs), std::move(attrs)});
  return nodes_.back().name;
}

std::string Pipeline::Dataset(const std::string& op, std::vector<std::string> inputs, AttrMap attrs, std::vector<DType> dtypes) {
  const OpSchema* schema = DefaultOps().registry().Find(op);
  EXPECT_NE(schema, nullptr) << op;
  const bool has_inputs = schema != nullptr && schema->FindAttr("Toutput_types") != nullptr;
  if (schema != nullptr && schema->FindAttr("Targuments") != nullptr && !attrs.contains("Targuments")) {
    attrs = attrs.With("Targuments", std::vector<DType>());
  }
  return Add(op, std::move(inputs), ElementAttrs(dtypes, std::move(attrs), has_inputs ? "Toutput_types" : "output_types"));
}

std::string Pipeline::Range(int64_t n) { return Dataset("RangeDataset", {Number(0), Number(n), Number(1)}); }

std::string Pipeline::Map(const std::string& input, const std::string& function, std::vector<DType> dtypes) {
  return Dataset("MapDataset", {input}, {{"f", FunctionRef{function, {}}}}, std::move(dtypes));
}

std::string Pipeline::ParallelMap(const std::string& input, const std::string& function, int64_t calls) {
  return Dataset("ParallelMapDatasetV2", {input, Number(calls)}, {{"f", FunctionRef{function, {}}}});
}

std::string Pipeline::Batch(const std::string& input, int64_t size, bool drop_remainder) {
  return Dataset("BatchDatasetV2", {input, Number(size), Const(Tensor::Scalar(drop_remainder))});
}

absl::StatusOr<Graph> Pipeline::Build(const std::vector<Node>& more) const {
  TestGraph graph(DefaultOps().registry());
  graph.set_library(functions_);
  for (const std::vector<Node>* nodes : {&nodes_, &more}) {
    for (const Node& node : *nodes) graph.Add(node.name, node.op, node.inputs, node.attrs);
  }
  return graph.Build();
}

std::unique_ptr<Session> Pipeline::Start(SessionOptions options) const {
  absl::StatusOr<Graph> graph = Build({});
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return nullptr;
  return Session::Create(*std::move(graph), DefaultOps(), std::move(options)).value();
}

absl::StatusOr<std::vector<Tensor>> Pipeline::Run(const std::string& fetch, SessionOptions options) const {
  return Start(std::move(options))->Run({}, {fetch}, {});
}

std::vector<std::string> Pipeline::Elements(const std::string& dataset, std::vector<DType> dtypes, int max) const {
  const AttrMap attrs = ElementAttrs(dtypes);
  absl::StatusOr<Graph> graph =
      Build({{"it", "IteratorV2", {}, attrs.With("container", "").With("shared_name", "")},
             {"begin", "MakeIterator", {dataset, "it"}, {}},
             {"next", "IteratorGetNext", {"it"}, attrs}});
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return {};
  std::vector<std::string> first;
  for (const int threads : {1, 4}) {
    const auto session = Session::Create(graph->Clone(), DefaultOps(), {.threads = threads, .allow_files = true}).value();
    const std::vector<std::string> texts = Iterate(*session, "begin", "next", dtypes, max);
    if (threads == 1) first = texts;
    EXPECT_EQ(texts, first) << "with " << threads << " threads";
  }
  return first;
}

absl::Status Pipeline::Error(const std::string& dataset) const {
  return Run(dataset, {.allow_files = true}).status();
}

int64_t Pipeline::Cardinality(const std::string& dataset) {
  const absl::StatusOr<std::vector<Tensor>> n = Run(Add("DatasetCardinality", {dataset}), {.allow_files = true});
  EXPECT_TRUE(n.ok()) << n.status();
  return n.ok() ? (*n)[0].scalar<int64_t>() : -100;
}

}  // namespace flowlatch
