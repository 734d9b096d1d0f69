#include "engine/composition/promise_on_record.h"

#include <gtest/gtest.h>

namespace pentimento::promise_on_record_test {
namespace {

TEST(PromiseOnRecord, NamesTheAttackerItIsJudgedBy) {
  const auto membership = [](const char* json) { return ReadPromise("r", json).membership; };
  EXPECT_EQ(membership(R"([{"type": "k-anonymity", "k": 5}])"), Membership::kUnknown);
  EXPECT_EQ(membership(R"([{"type": "incremental-k-anonymity", "k": 5, "series": "s"}])"), Membership::kUnknown);
  // Its k is about the groups of each release. The chance of ever, for whoever knows who is in which, is on the
  // account.
  EXPECT_EQ(membership(R"([{"type": "global-guarantee", "k": 5, "series": "s"}])"), Membership::kUnknown);
  EXPECT_EQ(membership(R"([{"type": "history", "k": 5, "membership": "unknown"}])"), Membership::kUnknown);
  EXPECT_EQ(membership(R"([{"type": "history", "k": 5, "membership": "known"}])"), Membership::kKnown);
}

TEST(PromiseOnRecord, SaysWhetherItIsOfASeries) {
  const PromiseOnRecord series = ReadPromise("r", R"([{"type": "incremental-k-anonymity", "k": 5, "series": "s"}])");
  EXPECT_TRUE(series.is_of_series);
  EXPECT_TRUE(series.spans_releases);
  const PromiseOnRecord history = ReadPromise("r", R"([{"type": "k-anonymity", "k": 5}, {"type": "history", "k": 5}])");
  EXPECT_FALSE(history.is_of_series);
  EXPECT_TRUE(history.spans_releases);
}

TEST(PromiseOnRecord, ThatCannotBeReadPromisesNothing) {
  for (const char* json : {"", "{}", "[7]"}) {
    const PromiseOnRecord promise = ReadPromise("r", json);
    EXPECT_EQ(promise.k, 0U);
    EXPECT_FALSE(promise.spans_releases);
  }
}

}  // namespace
}  // namespace pentimento::promise_on_record_test
