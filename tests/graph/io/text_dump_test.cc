#include "graph/io/text_dump.h"

#include "graph/io/graph_def.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

constexpr char kGraph[] = R"(
  node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
  node { name: 'i' op: 'NoOp' }
  node { name: 's' op: 'Switch' input: 'x' input: 'p' attr { key: 'T' value { type: DT_FLOAT } } device: '/cpu:0' }
  node { name: 'p' op: 'Const' attr { key: 'dtype' value { type: DT_BOOL } }
         attr { key: 'value' value { tensor { dtype: DT_BOOL tensor_shape { } bool_val: true } } } }
  node { name: 'a/y' op: 'F' input: 's:1' input: '^i' }
  library {
    function {
      signature { name: 'F' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'r' type: DT_FLOAT } control_output: 'c' }
      node_def { name: 'n' op: 'Neg' input: 'a' attr { key: 'T' value { type: DT_FLOAT } } }
      ret { key: 'r' value: 'n:y:0' } control_ret { key: 'c' value: 'n' }
    }
    gradient { function_name: 'F' gradient_func: 'FGrad' }
  })";

TEST(TextDumpTest, Lines) {
  const OpRegistry registry;
  const auto graph = ReadGraphDefText(kGraph, registry);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(TextDump(*graph),
            "x = Placeholder() -> float32 {dtype=float32}\n"
            "i = NoOp()\n"
            "s = Switch(x, p) -> (float32, float32) {T=float32} @/cpu:0\n"
            "p = Const() -> bool {dtype=bool, value=bool[] = true}\n"
            "a/y = F(s:1, ^i) -> float32\n"
            "function F(a: float32) -> (r: float32)\n"
            "  n = Neg(a) {T=float32}\n"
            "  return r = n:y:0\n"
            "  return ^c = n\n"
            "gradient of F is FGrad\n");
  EXPECT_EQ(NodeText(*graph, 3, /*attrs=*/false), "p = Const() -> bool");
  const PartialShape shapes[] = {PartialShape::Of({2, -1}), PartialShape()};
  EXPECT_EQ(NodeText(*graph, 2, /*attrs=*/false, shapes), "s = Switch(x, p) -> (float32[2,?], float32) @/cpu:0");
  EXPECT_EQ(TextDump(*graph, {.attrs = false, .functions = false}),
            "x = Placeholder() -> float32\n"
            "i = NoOp()\n"
            "s = Switch(x, p) -> (float32, float32) @/cpu:0\n"
            "p = Const() -> bool\n"
            "a/y = F(s:1, ^i) -> float32\n");
}

TEST(TextDumpTest, ReferencesAndUnknownTypes) {
  const OpRegistry registry;
  const auto graph = ReadGraphDefText(
      "node { name: 'v' op: 'Variable' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { "
      "shape { } } } } "
      "node { name: 'm' op: 'Mystery' input: 'v' } node { name: 'e' op: 'Mystery' input: 'm' }",
      registry);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(TextDump(*graph),
            "v = Variable() -> ref float32 {dtype=float32, shape=[]}\n"
            "m = Mystery(v) -> invalid\n"
            "e = Mystery(m)\n");
}

}  // namespace
}  // namespace flowlatch
