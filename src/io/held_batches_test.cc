#include "io/held_batches.h"

#include <gtest/gtest.h>

#include <optional>

#include "io/array_builder.h"

namespace pentimento::held_batches_test {
namespace {

// Two batches of a column of texts and one of words from a dictionary; fails instead of the second where it is told to.
ArrowArrayStream TwoBatches(bool fails = false) {
  const std::vector<std::string> words = {"flu", "cold"};
  const auto dictionary = ShareTexts(words);
  auto made = std::make_shared<int>(0);
  return MakeStream({{"name", "u"}, {"disease", "u", true}}, [=]() -> Result<ArrowArray> {
    if (*made == 2) return ArrowArray{};
    if (++*made == 2 && fails) return Error{ErrorCode::kInternal, "Ann has the flu"};
    TextColumnBuilder names(2, 0);
    for (const char* name : {"Ada", "Bob"}) names.Append(name);
    return MakeBatch(2, {std::move(names).Finish(), MakeDictionaryColumn({0, 1}, Validity(2), dictionary)});
  });
}

std::shared_ptr<const HeldBatches> Hold() { return HeldBatches::Take("people", TwoBatches()).value(); }

TEST(HeldBatchesTest, TheSameRowsAreHandedOutAsOftenAsSomebodyAsks) {
  const auto held = Hold();
  EXPECT_EQ(held->rows(), 4U);
  for (int i = 0; i < 2; ++i) {
    ArrowArrayStream stream = held->Stream();
    ArrowSchema schema{};
    ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
    EXPECT_STREQ(schema.children[1]->dictionary->format, "u");
    schema.release(&schema);
    std::int64_t rows = 0;
    for (ArrowArray batch{}; stream.get_next(&stream, &batch) == 0 && batch.release != nullptr; batch.release(&batch))
      rows += batch.length;
    EXPECT_EQ(rows, 4);
    stream.release(&stream);
    EXPECT_EQ(stream.release, nullptr);
  }
}

TEST(HeldBatchesTest, AColumnThatWasTakenOutOutlivesItsBatchAndWhatWasHeld) {
  auto held = Hold();
  ArrowArrayStream stream = held->Stream();
  ArrowArray batch{};
  ASSERT_EQ(stream.get_next(&stream, &batch), 0);
  ArrowArray column = *batch.children[1];
  batch.children[1]->release = nullptr;
  batch.release(&batch);
  stream.release(&stream);
  held.reset();
  ASSERT_NE(column.release, nullptr);
  const auto* texts = static_cast<const char*>(column.dictionary->buffers[2]);
  EXPECT_EQ(std::string_view(texts, 7), "flucold");
  column.release(&column);
}

TEST(HeldBatchesTest, AStreamThatFailsIsAnErrorWithoutItsMessageWhichMayShowACell) {
  const auto held = HeldBatches::Take("people", TwoBatches(/*fails=*/true));
  ASSERT_FALSE(held.ok());
  EXPECT_EQ(held.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(held.error().message.find("Ann"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::held_batches_test
