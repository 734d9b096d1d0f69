#include "engine/generate/people.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "engine/generate/life.h"
#include "engine/generate/vocabulary.h"
#include "fmt/core.h"
#include "io/array_builder.h"

namespace pentimento {
namespace {

using people::Draws;
using people::Record;
using people::Row;
using people::Scramble;

constexpr std::uint64_t kMostRows = 1'000'000'000;
constexpr unsigned kPlaceBits = 16;
static_assert(PeopleGenerator::kBlockRows == std::size_t{1} << kPlaceBits);

// In each quarter from the first on, this many places of a block change hands: every place once in 50 quarters.
constexpr std::uint32_t kLeaversPerBlock = 1311;
static_assert(kLeaversPerBlock * people::kLastQuarter <= PeopleGenerator::kBlockRows, "a place changes hands once");

constexpr std::size_t kWidestCell = 32;
constexpr std::size_t kUsualCell = 14;
constexpr std::size_t kDayWidth = 10;

// Enough to keep a few cores busy, little enough to forget about the memory (some 10 MB each).
constexpr std::uint64_t kBlocksAhead = 4;

// Digits are written by hand: formatting a cell at a time would cost more than making up the person.
char* WriteDigits(char* to, std::uint64_t number, std::size_t at_least) {
  std::array<char, 20> reversed;
  std::size_t count = 0;
  while (number > 0 || count < at_least) {
    reversed[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  return std::reverse_copy(reversed.begin(), reversed.begin() + count, to);
}

char* WriteText(char* to, std::string_view text) { return std::copy(text.begin(), text.end(), to); }

char* WritePerson(char* to, std::uint64_t id) {
  *to++ = 'P';
  return WriteDigits(to, id, 8);
}

char* WriteWeight(char* to, std::uint32_t cents) {
  to = WriteDigits(to, cents / 100, 1);
  *to++ = '.';
  return WriteDigits(to, cents % 100, 2);
}

// Mostly a remark, sometimes "BP 128/84" or "ref. 48213", so that the column has many values.
char* WriteNote(char* to, std::uint64_t word) {
  Draws draws(word, 0);
  const std::uint32_t kind = draws.Below(10);
  if (kind == 0) return WriteDigits(WriteText(to, "ref. "), draws.Below(100'000), 5);
  if (kind > 2)
    return WriteText(to, people::Remarks()[draws.Below(static_cast<std::uint32_t>(people::Remarks().size()))]);
  to = WriteDigits(WriteText(to, "BP "), 100 + draws.Below(80), 1);
  *to++ = '/';
  return WriteDigits(to, 60 + draws.Below(40), 1);
}

std::vector<std::array<char, kDayWidth>> DaysOf(std::uint32_t quarter) {
  using namespace std::chrono;
  const year_month_day first = year{2026} / January / day{1} + months{3 * quarter};
  std::vector<std::array<char, kDayWidth>> days(people::kVisitDays);
  for (std::uint32_t i = 0; i < people::kVisitDays; ++i) {
    const year_month_day date = sys_days{first} + std::chrono::days{i};
    char* to = WriteDigits(days[i].data(), static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
    *to++ = '-';
    to = WriteDigits(to, static_cast<unsigned>(date.month()), 2);
    *to++ = '-';
    WriteDigits(to, static_cast<unsigned>(date.day()), 2);
  }
  return days;
}

// The columns of one block, appended from left to right.
class BlockColumns {
 public:
  BlockColumns(std::span<const Row> rows, bool typed) : rows_(rows), typed_(typed) {}

  // write(to, row) writes one cell of at most kWidestCell bytes and returns its end.
  template <typename Writer>
  void Write(Writer write) {
    std::array<char, kWidestCell> cell;
    Append([&](const Row& row) { return std::string_view(cell.data(), write(cell.data(), row)); });
  }
  template <typename LabelOf>
  void Label(LabelOf label_of) {
    Append([&](const Row& row) { return label_of(row.record); });
  }
  // Digits, or an integer where the columns are typed.
  template <typename NumberOf>
  void Number(NumberOf number_of) {
    if (!typed_) return Write([&](char* to, const Row& row) { return WriteDigits(to, number_of(row.record), 1); });
    std::vector<char> bytes(rows_.size() * sizeof(std::int64_t));
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const std::int64_t number = number_of(rows_[row].record);
      std::memcpy(bytes.data() + row * sizeof number, &number, sizeof number);
    }
    columns_.push_back(MakeFixedColumn(rows_.size(), Validity(rows_.size()), std::move(bytes)));
  }
  ArrowArray Finish() && { return MakeBatch(rows_.size(), std::move(columns_)); }

 private:
  template <typename TextOf>
  void Append(TextOf text_of) {
    TextColumnBuilder column(rows_.size(), rows_.size() * kUsualCell);
    for (const Row& row : rows_) column.Append(text_of(row));
    columns_.push_back(std::move(column).Finish());
  }

  std::span<const Row> rows_;
  bool typed_;
  std::vector<ArrowArray> columns_;
};

// The stream's state. Blocks are made a handful at a time, inside the call that asks for the next one, so memory is
// bounded and it does not matter which thread asks.
class PeopleStream {
 public:
  explicit PeopleStream(const PeopleGenerator& generator) : generator_(generator) {}
  ~PeopleStream() {
    for (ArrowArray& block : ready_) block.release(&block);
  }
  PeopleStream(const PeopleStream&) = delete;
  PeopleStream& operator=(const PeopleStream&) = delete;

  // The next block, or an array that is already released at the end.
  ArrowArray Next() {
    if (ready_.empty()) MakeAhead();
    if (ready_.empty()) return ArrowArray{};
    const ArrowArray block = ready_.front();
    ready_.pop_front();
    return block;
  }

 private:
  void MakeAhead() {
    const std::uint64_t count = std::min(kBlocksAhead, generator_.block_count() - next_block_);
    ready_.resize(count);
    ParallelFor(count, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ready_[i] = generator_.MakeBlock(next_block_ + i);
    });
    next_block_ += count;
  }

  PeopleGenerator generator_;
  std::uint64_t next_block_ = 0;
  std::deque<ArrowArray> ready_;
};

}  // namespace

Result<PeopleGenerator> PeopleGenerator::Create(const PeopleOptions& options) {
  if (options.rows > kMostRows) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} rows are too many to generate: ask for at most {}", options.rows, kMostRows)};
  }
  if (options.quarter > people::kLastQuarter) {
    return Error{ErrorCode::kUsage,
                 fmt::format("quarter {} is too late: the register goes from quarter 0 to quarter {}", options.quarter,
                             people::kLastQuarter)};
  }
  if (options.stay > 100)
    return Error{ErrorCode::kUsage, fmt::format("a chance of {} percent cannot be: ask for at most 100", options.stay)};
  return PeopleGenerator(options);
}

PeopleGenerator::PeopleGenerator(const PeopleOptions& options)
    : options_(options),
      seed_(SeedFromNumber(options.seed)),
      life_model_(10 * options.stay),
      days_(DaysOf(options.quarter)) {}

std::vector<Row> PeopleGenerator::RowsOf(std::uint64_t block) const {
  Random random(seed_, fmt::format("people, block {}", block));
  // Ids are scattered over twice as many numbers as there are places, so they tell neither the place nor the arrival.
  const Scramble id_of(kPlaceBits + 1, random.Next64());
  const Scramble turn_of(kPlaceBits, random.Next64());
  const std::uint64_t first_id = block * 2 * kBlockRows;

  std::vector<Row> rows(std::min<std::uint64_t>(kBlockRows, options_.rows - block * kBlockRows));
  for (std::uint32_t place = 0; place < rows.size(); ++place) {
    const std::uint64_t life = random.Next64();
    const std::uint32_t handover = 1 + turn_of(place) / kLeaversPerBlock;
    if (options_.quarter < handover) {
      rows[place] = {first_id + id_of(place), life_model_.At(life, 0, options_.quarter)};
    } else {
      const std::uint32_t newcomer = place + static_cast<std::uint32_t>(kBlockRows);
      rows[place] = {first_id + id_of(newcomer), life_model_.At(people::Mix(~life), handover, options_.quarter)};
    }
  }
  return rows;
}

ArrowArray PeopleGenerator::MakeBlock(std::uint64_t block) const {
  Check(block < block_count(), "a block past the end was asked for");
  const std::vector<Row> rows = RowsOf(block);
  BlockColumns columns(rows, options_.typed);
  columns.Write([](char* to, const Row& row) { return WritePerson(to, row.id); });
  columns.Number([](const Record& record) { return record.age; });
  columns.Label([](const Record& record) { return people::Sexes()[record.sex]; });
  columns.Label([](const Record& record) { return std::string_view(people::ZipCodes()[record.zip].digits); });
  columns.Label([](const Record& record) { return people::Jobs()[record.job].branch.label; });
  columns.Label([](const Record& record) { return people::Educations()[record.education].branch.label; });
  columns.Label([](const Record& record) { return people::MaritalStatuses()[record.marital]; });
  columns.Label([](const Record& record) { return people::Countries()[record.origin].branch.label; });
  columns.Number([](const Record& record) { return record.hours; });
  columns.Label([](const Record& record) { return people::Diseases()[record.disease].label; });
  columns.Label([](const Record& record) { return std::string_view(record.high_income ? ">50K" : "<=50K"); });
  columns.Write([](char* to, const Row& row) { return WriteWeight(to, row.record.weight_in_cents); });
  columns.Label([&](const Record& record) { return std::string_view(days_[record.visit_day].data(), kDayWidth); });
  columns.Write([](char* to, const Row& row) { return WriteDigits(WriteText(to, "W-"), row.record.ward, 2); });
  columns.Write([](char* to, const Row& row) { return WriteNote(to, row.record.note); });
  return std::move(columns).Finish();
}

ArrowArrayStream PeopleGenerator::OpenStream() const {
  std::vector<FieldSpec> fields;
  for (const std::string_view name : kPeopleColumns) {
    const bool integer = options_.typed && (name == "age" || name == "hours");
    fields.push_back({std::string(name), integer ? "l" : "u"});
  }
  const auto state = std::make_shared<PeopleStream>(*this);
  return MakeStream(std::move(fields), [state] { return Result<ArrowArray>(state->Next()); });
}

}  // namespace pentimento
