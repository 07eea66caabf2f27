#include "ops/iterator_ops.h"

#include <mutex>
#include <set>
#include <thread>

#include "tests/ops/pipeline.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr auto kOutOfRange = absl::StatusCode::kOutOfRange;

AttrMap IteratorAttrs(const std::string& shared_name = "") {
  return ElementAttrs({DType::kInt64}).With("container", "").With("shared_name", shared_name);
}

struct Iterator {
  Iterator(Pipeline& p, const std::string& dataset, const std::string& shared_name = "")
      : handle(p.Add("IteratorV2", {}, IteratorAttrs(shared_name))),
        begin(p.Add("MakeIterator", {dataset, handle})),
        next(p.Add("IteratorGetNext", {handle}, ElementAttrs({DType::kInt64}))) {}
  const std::string handle, begin, next;
};

absl::StatusOr<std::string> Get(Session& session, const std::string& fetch) {
  const absl::StatusOr<std::vector<Tensor>> element = session.Run({}, {fetch}, {});
  if (!element.ok()) return element.status();
  return ElementText(*element);
}

TEST(IteratorOpsTest, ElementsAndTheEnd) {
  Pipeline p;
  const Iterator it(p, p.Range(2));
  const std::string sync = p.Add("IteratorGetNextSync", {it.handle}, ElementAttrs({DType::kInt64}));
  const auto session = p.Start();
  EXPECT_EQ(Get(*session, it.next).status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(session->Run({}, {}, {it.begin}).ok());
  EXPECT_EQ(Get(*session, it.next).value(), "0");
  EXPECT_EQ(Get(*session, sync).value(), "1");
  for (int i = 0; i < 2; ++i) {
    const absl::Status end = Get(*session, it.next).status();
    EXPECT_EQ(end.code(), kOutOfRange);
    EXPECT_THAT(std::string(end.message()), ::testing::HasSubstr("End of sequence"));
  }
  ASSERT_TRUE(session->Run({}, {}, {it.begin}).ok());
  EXPECT_EQ(Get(*session, it.next).value(), "0");
}

TEST(IteratorOpsTest, Optionals) {
  Pipeline p;
  const Iterator it(p, p.Range(1));
  const std::string optional = p.Add("IteratorGetNextAsOptional", {it.handle}, ElementAttrs({DType::kInt64}));
  const std::string has_value = p.Add("OptionalHasValue", {optional});
  const auto session = p.Start();
  ASSERT_TRUE(session->Run({}, {}, {it.begin}).ok());
  EXPECT_EQ(Get(*session, has_value).value(), "true");
  EXPECT_EQ(Get(*session, has_value).value(), "false");
}

TEST(IteratorOpsTest, Names) {
  Pipeline p;
  const Iterator it(p, p.Range(3), "a"), same(p, p.Range(3), "a"), own(p, p.Range(3)), other(p, p.Range(3));
  const std::string misfit = p.Add("Iterator", {}, ElementAttrs({DType::kString}).With("container", "").With("shared_name", "a"));
  const auto session = p.Start();
  ASSERT_TRUE(session->Run({}, {}, {it.begin}).ok());
  ASSERT_TRUE(session->Run({}, {}, {own.begin}).ok());
  EXPECT_EQ(Get(*session, it.next).value(), "0");
  EXPECT_EQ(Get(*session, same.next).value(), "1");
  EXPECT_EQ(Get(*session, own.next).value(), "0");
  EXPECT_EQ(Get(*session, other.next).status().code(), absl::StatusCode::kFailedPrecondition);
  ExpectInvalid(session->Run({}, {misfit}, {}).status(), "iterator of this name: expected string");
}

TEST(IteratorOpsTest, StringHandles) {
  Pipeline p;
  const Iterator it(p, p.Range(3));
  const std::string text = p.Add("IteratorToStringHandle", {it.handle});
  const std::string fed = p.Add("Placeholder", {}, {{"dtype", DType::kString}, {"shape", PartialShape()}});
  const std::string from = p.Add("IteratorFromStringHandleV2", {fed}, ElementAttrs({DType::kInt64}));
  const std::string untyped = p.Add("IteratorFromStringHandle", {fed});
  const std::string misfit = p.Add("IteratorFromStringHandle", {fed}, ElementAttrs({DType::kString}));
  const std::string next = p.Add("IteratorGetNext", {from}, ElementAttrs({DType::kInt64}));
  const std::string next_untyped = p.Add("IteratorGetNext", {untyped}, ElementAttrs({DType::kInt64}));
  const std::string device = p.Add("IteratorGetDevice", {from});
  const std::string anonymous = p.Add("IteratorToStringHandle", {p.Add("AnonymousIteratorV3", {}, ElementAttrs({DType::kInt64}))});
  const auto session = p.Start();
  ASSERT_TRUE(session->Run({}, {}, {it.begin}).ok());
  const Tensor handle = session->Run({}, {text}, {}).value()[0];
  EXPECT_EQ(ElementText(session->Run({{fed, handle}}, {next}, {}).value()), "0");
  EXPECT_EQ(ElementText(session->Run({{fed, handle}}, {next_untyped}, {}).value()), "1");
  EXPECT_EQ(Get(*session, it.next).value(), "2");
  EXPECT_EQ(ElementText(session->Run({{fed, handle}}, {device}, {}).value()), "'/job:localhost/replica:0/task:0/device:CPU:0'");
  ExpectInvalid(session->Run({{fed, handle}}, {misfit}, {}).status(), "iterator: expected string");
  ExpectInvalid(session->Run({{fed, Tensor::Scalar("abc")}}, {from}, {}).status(), "string_handle");
  ExpectInvalid(session->Run({{fed, Tensor::Scalar("")}}, {from}, {}).status(), "string_handle");
  ExpectInvalid(session->Run({{fed, Strings({2}, {"a", "b"})}}, {from}, {}).status(), "string_handle: expected a scalar");
  ExpectInvalid(session->Run({}, {anonymous}, {}).status(), "got an anonymous one");
}

TEST(IteratorOpsTest, AnonymousIterators) {
  for (const char* op : {"AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3"}) {
    Pipeline p;
    const std::string handle = p.Add(op, {}, ElementAttrs({DType::kInt64}));
    const std::string begin = p.Add("MakeIterator", {p.Prefetch(p.Range(5), 2), handle});
    const std::string next = p.Add("IteratorGetNext", {handle, "^" + begin}, ElementAttrs({DType::kInt64}));
    const auto session = p.Start();
    EXPECT_EQ(Get(*session, next).value(), "0") << op;
    EXPECT_EQ(Get(*session, next).value(), "0") << op;  // a new one each time
  }
}

TEST(IteratorOpsTest, Delete) {
  Pipeline p;
  const Iterator it(p, p.Prefetch(p.Range(5), 2), "a");
  const std::string none = p.Add("OptionalNone", {});
  const std::string deleted = p.Add("DeleteIterator", {it.handle, none});
  const std::string anonymous = p.Add("AnonymousIteratorV3", {}, ElementAttrs({DType::kInt64}));
  const std::string gone = p.Add("DeleteIterator", {anonymous, none});
  const std::string next = p.Add("IteratorGetNext", {anonymous, "^" + gone}, ElementAttrs({DType::kInt64}));
  const auto session = p.Start({.threads = 2});
  ASSERT_TRUE(session->Run({}, {}, {it.begin}).ok());
  EXPECT_EQ(Get(*session, it.next).value(), "0");
  EXPECT_TRUE(session->Run({}, {}, {deleted}).ok());
  EXPECT_EQ(Get(*session, it.next).status().code(), absl::StatusCode::kFailedPrecondition);  // a new one of this name
  EXPECT_EQ(Get(*session, next).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(IteratorOpsTest, OneShot) {
  Pipeline p;
  p.Define({"Three", {}, {"r DT_VARIANT"},
            {"n Const  dtype=type:DT_INT64;value=tensor{dtype:DT_INT64,tensor_shape{},int64_val:3}", "d Numbers n:output:0"},
            {"r d:r:0"}});
  p.Define({"Fails", {}, {"r DT_VARIANT"}, {"o OptionalNone"}, {"r o:optional:0"}});
  const auto one_shot = [&](const char* function) {
    return p.Add("OneShotIterator", {}, IteratorAttrs().With("dataset_factory", FunctionRef{function, {}}));
  };
  const std::string handle = one_shot("Three");
  const std::string next = p.Add("IteratorGetNext", {handle}, ElementAttrs({DType::kInt64}));
  const std::string optional = p.Add("IteratorGetNextAsOptional", {handle}, ElementAttrs({DType::kInt64}));
  const std::string value = p.Add("OptionalGetValue", {optional}, ElementAttrs({DType::kInt64}));
  const std::string bad = one_shot("Fails");
  const auto session = p.Start();
  EXPECT_EQ(Get(*session, next).value(), "0");
  EXPECT_EQ(Get(*session, value).value(), "1");  // in another step of the session
  EXPECT_EQ(Get(*session, next).value(), "2");
  EXPECT_EQ(Get(*session, next).status().code(), kOutOfRange);
  ExpectInvalid(session->Run({}, {bad}, {}).status(), "result of dataset_factory: expected a dataset");
}

TEST(IteratorOpsTest, Places) {
  Pipeline p;
  const std::string shuffled = p.Dataset("ShuffleDataset", {p.Range(9), p.Number(9), p.Number(1), p.Number(2)},
                                         {{"reshuffle_each_iteration", false}});
  const Iterator it(p, shuffled);
  const std::string place = p.Add("SerializeIterator", {it.handle});
  const std::string fed = p.Add("Placeholder", {}, {{"dtype", DType::kVariant}, {"shape", PartialShape()}});
  const std::string go = p.Add("DeserializeIterator", {it.handle, fed});
  const auto session = p.Start();
  EXPECT_EQ(session->Run({}, {place}, {}).status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(session->Run({}, {}, {it.begin}).ok());
  Get(*session, it.next).value();
  Get(*session, it.next).value();
  const Tensor third = session->Run({}, {place}, {}).value()[0];
  const std::string expected = Get(*session, it.next).value();
  Get(*session, it.next).value();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(session->Run({{fed, third}}, {}, {go}).ok());
    EXPECT_EQ(Get(*session, it.next).value(), expected);
  }
  ExpectInvalid(session->Run({{fed, Tensor::Scalar(Variant())}}, {}, {go}).status(), "serialized: expected the place of an iterator");
}

TEST(IteratorOpsTest, Misfits) {
  Pipeline p;
  const Iterator it(p, p.Range(3));
  const std::string floats = p.Dataset("TensorDataset", {p.Const(Tensor::Scalar(1.f))}, {}, {DType::kFloat32});
  const std::string begin_floats = p.Add("MakeIterator", {floats, it.handle});
  const std::string begin_none = p.Add("MakeIterator", {p.Add("OptionalNone", {}), it.handle});
  const std::string other_dtype = p.Add("IteratorGetNext", {it.handle}, ElementAttrs({DType::kInt32}));
  const std::string other_shape =
      p.Add("IteratorGetNext", {it.handle},
            {{"output_types", std::vector<DType>{DType::kInt64}}, {"output_shapes", std::vector<PartialShape>{Shape::Of({3})}}});
  const std::string other_kind = p.Add("IteratorGetNext", {p.Add("DummyMemoryCache", {})}, ElementAttrs({DType::kInt64}));
  const auto session = p.Start();
  ExpectInvalid(session->Run({}, {}, {begin_floats}).status(), "component 0 of dataset: expected int64?, got float32?");
  ExpectInvalid(session->Run({}, {}, {begin_none}).status(), "dataset: expected a dataset, got Optional");
  ASSERT_TRUE(session->Run({}, {}, {it.begin}).ok());
  ExpectInvalid(session->Run({}, {other_dtype}, {}).status(), "component 0 of element: expected int32?, got int64[]");
  ExpectInvalid(session->Run({}, {other_shape}, {}).status(), "component 0 of element: expected int64[3], got int64[]");
  ExpectInvalid(session->Run({}, {other_kind}, {}).status(), "expected one of a Iterator");
  EXPECT_EQ(Get(*session, it.next).value(), "2");  // those two are gone
}

// Steps of several threads share the elements.
TEST(IteratorOpsTest, StepsTakeTurns) {
  constexpr int kThreads = 4, kElements = 400;
  Pipeline p;
  const Iterator it(p, p.Prefetch(p.ParallelMap(p.Range(kElements), "Double"), 4));
  const auto session = p.Start({.threads = 3});
  ASSERT_TRUE(session->Run({}, {}, {it.begin}).ok());
  std::mutex mu;
  std::multiset<std::string> all;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (;;) {
        const absl::StatusOr<std::string> element = Get(*session, it.next);
        if (!element.ok()) {
          EXPECT_EQ(element.status().code(), kOutOfRange);
          return;
        }
        std::lock_guard<std::mutex> lock(mu);
        all.insert(*element);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(all.size(), static_cast<size_t>(kElements));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), static_cast<size_t>(kElements));
}

// What goes on in the background ends with its session, wherever it is.
TEST(IteratorOpsTest, CloseStopsTheBackground) {
  for (int round = 0; round < 20; ++round) {
    Pipeline p;
    const Iterator it(p, p.Prefetch(p.ParallelMap(p.Repeat(p.Range(100), -1), "Double"), 1000));
    const auto session = p.Start({.threads = 4});
    ASSERT_TRUE(session->Run({}, {}, {it.begin}).ok());
    for (int i = 0; i < round; ++i) ASSERT_TRUE(session->Run({}, {it.next}, {}).ok());
    if (round % 3 == 0) {
      ASSERT_TRUE(session->Run({}, {}, {it.begin}).ok());
    }
    if (round % 2 == 0) {
      EXPECT_TRUE(session->Close().ok());
    }
  }
}

// A handle that outlives the session, and a function that gets hold of the iterator which calls it.
TEST(IteratorOpsTest, HandlesThatOutliveTheSession) {
  Tensor handle;
  {
    Pipeline p;
    const std::string anonymous = p.Add("AnonymousIteratorV3", {}, ElementAttrs({DType::kInt64}));
    const std::string begin = p.Add("MakeIterator", {p.Prefetch(p.Repeat(p.Range(9), -1), 5), anonymous});
    const std::string next = p.Add("IteratorGetNext", {anonymous, "^" + begin}, ElementAttrs({DType::kInt64}));
    const auto session = p.Start({.threads = 2});
    auto out = session->Run({}, {anonymous, next}, {});
    ASSERT_TRUE(out.ok()) << out.status();
    handle = (*out)[0];
  }
  EXPECT_TRUE(handle.has_value());
}

TEST(IteratorOpsTest, AFunctionDeletesItsOwnIterator) {
  for (const int threads : {1, 3}) {
    Pipeline p;
    p.Define({"Deletes", {"x DT_INT64", "it DT_RESOURCE"}, {"r DT_INT64"},
              {"o OptionalNone", "d DeleteIterator it,o:optional:0", "i Identity x,^d T=type:DT_INT64"}, {"r i:output:0"}});
    const std::string handle = p.Add("IteratorV2", {}, IteratorAttrs());
    const AttrMap attrs{{"f", FunctionRef{"Deletes", {}}}, {"Targuments", std::vector<DType>{DType::kResource}}};
    const std::string map = p.Dataset("ParallelMapDatasetV2", {p.Range(9), handle, p.Number(2)}, attrs);
    const std::string begin = p.Add("MakeIterator", {p.Prefetch(map, 3), handle});
    const std::string next = p.Add("IteratorGetNext", {handle}, ElementAttrs({DType::kInt64}));
    const auto session = p.Start({.threads = threads});
    ASSERT_TRUE(session->Run({}, {}, {begin}).ok());
    (void)session->Run({}, {next}, {});  // the element, or that there is no iterator any more
    EXPECT_TRUE(session->Close().ok());
  }
}

// A function that asks the iterator which calls it for the next element waits for itself, until the step's time is up.
TEST(IteratorOpsTest, AFunctionThatWaitsForItsOwnIteratorEndsInTime) {
  for (const int threads : {1, 3}) {
    Pipeline p;
    p.Define({"Asks", {"x DT_INT64", "it DT_RESOURCE"}, {"r DT_INT64"},
              {"n IteratorGetNext it output_types=list{type:DT_INT64};output_shapes=list{shape{}}"}, {"r n:components:0"}});
    const std::string handle = p.Add("IteratorV2", {}, IteratorAttrs());
    const std::string map = p.Dataset("MapDataset", {p.Range(9), handle},
                                      {{"f", FunctionRef{"Asks", {}}}, {"Targuments", std::vector<DType>{DType::kResource}}});
    const std::string begin = p.Add("MakeIterator", {p.Prefetch(map, 3), handle});
    const std::string next = p.Add("IteratorGetNext", {handle}, ElementAttrs({DType::kInt64}));
    const auto session = p.Start({.threads = threads, .timeout = std::chrono::milliseconds(50)});
    ASSERT_TRUE(session->Run({}, {}, {begin}).ok());
    EXPECT_EQ(session->Run({}, {next}, {}).status().code(), absl::StatusCode::kDeadlineExceeded);
  }
}

TEST(IteratorOpsTest, Shapes) {
  OpLibrary library;
  ASSERT_TRUE(RegisterIteratorOps(library).ok());
  const AttrMap attrs{{"output_types", std::vector<DType>{DType::kInt64}},
                      {"output_shapes", std::vector<PartialShape>{PartialShape::Of({-1, 2})}}};
  EXPECT_EQ(InferShapes(library, "IteratorGetNext", attrs, {PartialShape()}).value()[0], PartialShape::Of({-1, 2}));
  ExpectInvalid(InferShapes(library, "IteratorGetNext", attrs, {Shape::Of({1})}).status(), "");
  EXPECT_EQ(InferShapes(library, "AnonymousIteratorV3", attrs, {}).value()[0], Shape());
}

}  // namespace
}  // namespace flowlatch
