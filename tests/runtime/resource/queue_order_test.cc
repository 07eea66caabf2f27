#include "runtime/resource/queue_order.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

QueueElement Element(int64_t priority, int64_t value) { return {Tensor::Scalar(priority), Tensor::Scalar(value)}; }
int64_t Value(const QueueElement& element) { return element[1].scalar<int64_t>(); }

std::vector<int64_t> PopAll(QueueOrder& order) {
  std::vector<int64_t> values;
  while (order.size() > 0) values.push_back(Value(order.Pop()));
  return values;
}

// Pops two, puts them back as a batch does that came too late, and pops all.
std::vector<int64_t> PopTwoPutBackPopAll(QueueOrder& order) {
  QueueElement first = order.Pop(), second = order.Pop();
  order.PutBack(std::move(second));
  order.PutBack(std::move(first));
  return PopAll(order);
}

TEST(QueueOrderTest, FirstInFirstOut) {
  const std::unique_ptr<QueueOrder> order = MakeFifoOrder();
  for (int64_t i = 0; i < 5; ++i) order->Push(Element(0, i));
  EXPECT_EQ(order->size(), 5);
  EXPECT_EQ(PopTwoPutBackPopAll(*order), (std::vector<int64_t>{0, 1, 2, 3, 4}));
}

TEST(QueueOrderTest, LeastPriorityThenOldest) {
  const std::unique_ptr<QueueOrder> order = MakePriorityOrder();
  const std::vector<int64_t> priorities = {2, INT64_MAX, 1, 2, 1, INT64_MIN};
  for (size_t i = 0; i < priorities.size(); ++i) order->Push(Element(priorities[i], static_cast<int64_t>(i)));
  const std::vector<int64_t> want = {5, 2, 4, 0, 3, 1};
  EXPECT_EQ(PopTwoPutBackPopAll(*order), want);
}

TEST(QueueOrderTest, EqualPrioritiesArePutBackInOrder) {
  const std::unique_ptr<QueueOrder> order = MakePriorityOrder();
  for (int64_t i = 0; i < 4; ++i) order->Push(Element(7, i));
  EXPECT_EQ(PopTwoPutBackPopAll(*order), (std::vector<int64_t>{0, 1, 2, 3}));
}

TEST(QueueOrderTest, RandomOrderIsAPermutationThatTheWordsName) {
  std::vector<std::vector<int64_t>> orders;
  for (const uint32_t seed : {2, 2, 3}) {
    const std::unique_ptr<QueueOrder> order = MakeRandomOrder(std::mt19937(seed));
    for (int64_t i = 0; i < 20; ++i) order->Push(Element(0, i));
    orders.push_back(PopAll(*order));
    std::vector<int64_t> sorted = orders.back();
    std::sort(sorted.begin(), sorted.end());
    for (int64_t i = 0; i < 20; ++i) EXPECT_EQ(sorted[i], i);
    EXPECT_FALSE(std::is_sorted(orders.back().begin(), orders.back().end()));
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_NE(orders[0], orders[2]);
}

TEST(QueueOrderTest, TheLastTakesThePlaceOfTheChosenOne) {
  uint32_t next = 0;
  const std::unique_ptr<QueueOrder> order = MakeRandomOrder([&] { return next++; });
  for (int64_t i = 0; i < 4; ++i) order->Push(Element(0, i));
  // 0 of 0 1 2 3; 1 of 3 1 2; 2 % 2 of 3 2; 3 % 1 of 2.
  EXPECT_EQ(PopAll(*order), (std::vector<int64_t>{0, 1, 3, 2}));
}

TEST(QueueOrderTest, RandomOrderTakesEachAsOftenAsOthers) {
  const std::unique_ptr<QueueOrder> order = MakeRandomOrder(std::mt19937(3));
  std::map<int64_t, int> first;
  for (int round = 0; round < 4000; ++round) {
    for (int64_t i = 0; i < 4; ++i) order->Push(Element(0, i));
    ++first[Value(order->Pop())];
    PopAll(*order);
  }
  for (int64_t i = 0; i < 4; ++i) EXPECT_NEAR(first[i], 1000, 150) << i;
}

}  // namespace
}  // namespace flowlatch
