#include "io/encode.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <set>
#include <variant>

#include "base/check.h"
#include "base/machine_limits.h"
#include "base/parallel.h"
#include "base/suggest.h"
#include "fmt/core.h"
#include "io/bad_cells.h"
#include "io/column_encoder.h"
#include "io/input_table.h"
#include "io/keep_records.h"
#include "table/encoded_table.h"

namespace pentimento {
namespace {

// Batches are encoded side by side in waves; the wave bounds how many wait in memory.
constexpr std::size_t kEncodedWave = 8;

using QuasiEncoder = std::variant<CategoricalEncoder, NumericEncoder>;
using QuasiChunk = std::variant<CategoricalEncoder::Chunk, NumericEncoder::Chunk>;

struct OwnedArray {
  ArrowArray array{};
  OwnedArray() = default;
  OwnedArray(OwnedArray&& other) noexcept : array(std::exchange(other.array, {})) {}
  OwnedArray& operator=(OwnedArray&&) = delete;
  ~OwnedArray() {
    if (array.release != nullptr) array.release(&array);
  }
};

struct OwnedSchema {
  ArrowSchema schema{};
  OwnedSchema() = default;
  OwnedSchema(const OwnedSchema&) = delete;
  ~OwnedSchema() {
    if (schema.release != nullptr) schema.release(&schema);
  }
};

// Where the plan's columns are in one source.
struct SourceColumns {
  std::vector<std::int64_t> child;  // by plan column
  std::vector<CellLayout> layout;
};

struct EncodedBatch {
  std::int64_t rows = 0;
  std::vector<QuasiChunk> quasi;
  std::vector<ValueEncoder::Chunk> values;
  std::optional<IdEncoder::Chunk> ids;
  BucketedRecords keep;
  std::vector<std::uint8_t> buckets;
  std::vector<std::pair<std::size_t, BadCells>> bad;  // by plan column, of those that have any
};

class TableEncoder {
 public:
  TableEncoder(const TableParts& parts, const EncodePlan& plan, const EncodeOptions& options)
      : parts_(parts),
        plan_(plan),
        options_(options),
        missing_(plan.missing),
        ids_(options.identity_hasher, options.id_form),
        drawer_(options.seed) {
    for (const ColumnPlan& column : plan.columns) {
      if (column.role != Role::kQuasiIdentifier) continue;
      if (column.taxonomy) {
        quasi_.emplace_back(CategoricalEncoder(column.taxonomy, missing_, column.reading));
      } else {
        quasi_.emplace_back(NumericEncoder(column.range->first, column.range->second, missing_,
                                           plan.codes_middles_of_gaps, column.reading));
      }
    }
    types_.resize(plan.columns.size());
  }

  Result<EncodedInput> Run() {
    result_.keep_records.emplace(options_.spill_folder, options_.keep_memory);
    for (std::size_t part = 0; part < parts_.count; ++part) {
      const Status read = ReadPart(part);
      if (!read.ok())
        return HasBadCells() && read.error().code == ErrorCode::kBadInput ? Both(read.error()) : read.error();
      result_.rows_after_part.push_back(result_.table.rows);
    }
    if (HasBadCells()) return Refusal();
    return Finish();
  }

 private:
  bool HasBadCells() const { return !bad_.empty(); }

  Error Refusal() const {
    std::vector<std::string> names;
    for (const ColumnPlan& column : plan_.columns) names.push_back(column.name);
    return TellBadCells(names, bad_, source_names_, options_.shows_bad_values);
  }

  // What was counted until the table could not be read any further.
  Error Both(const Error& end) const {
    Error both = Refusal();
    both.message += "\n  " + end.message;
    return both;
  }

  Status ReadPart(std::size_t part) {
    PENTIMENTO_ASSIGN(TableSource source, parts_.open(part));
    source_names_.push_back(source.name());
    return ReadSource(source);
  }

  Status ReadSource(TableSource& source) {
    PENTIMENTO_ASSIGN(const SourceColumns columns, MatchColumns(source));
    std::uint64_t rows_before = 0;
    for (bool more = true; more;) {
      std::vector<OwnedArray> arrays;
      arrays.reserve(kEncodedWave);  // tasks point into it
      const std::size_t first = batches_.size();
      TaskGroup tasks;
      while (arrays.size() < kEncodedWave) {
        OwnedArray next;
        if (const int error = source.stream()->get_next(source.stream(), &next.array); error != 0) {
          tasks.Wait();
          return source.Explain(error);
        }
        more = next.array.release != nullptr;
        if (!more) break;
        if (!IsWhole(next.array, columns)) {
          tasks.Wait();
          return Error{
              ErrorCode::kBadInput,
              fmt::format("{}: a batch has columns that are too short, or rows that are null as a whole; write "
                          "the table anew",
                          source.name())};
        }
        batches_.emplace_back().rows = next.array.length;
        batches_.back().buckets = drawer_.Draw(static_cast<std::size_t>(next.array.length));
        arrays.push_back(std::move(next));
        tasks.Run([this, &columns, batch = &batches_.back(), array = &arrays.back().array] {
          EncodeBatch(columns, *array, *batch);
        });
      }
      tasks.Wait();
      PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
      PENTIMENTO_RETURN_IF_ERROR(TakeWave(first, rows_before));
      ShowProgress(source);
    }
    bytes_before_ += source.bytes_read();
    return {};
  }

  static bool IsWhole(const ArrowArray& batch, const SourceColumns& columns) {
    const auto fits = [&](std::int64_t child) { return batch.children[child]->length >= batch.offset + batch.length; };
    const auto* const validity = static_cast<const std::uint8_t*>(batch.n_buffers > 0 ? batch.buffers[0] : nullptr);
    bool has_null = false;
    for (std::int64_t bit = batch.offset; validity != nullptr && bit < batch.offset + batch.length; ++bit)
      has_null |= (validity[bit >> 3] >> (bit & 7) & 1) == 0;
    return !has_null && std::all_of(columns.child.begin(), columns.child.end(), fits);
  }

  // A view of the column's part in the batch, which may be cut out of a larger one.
  static ArrowArray ColumnOf(const ArrowArray& batch, std::int64_t child) {
    ArrowArray column = *batch.children[child];
    if (column.length != batch.length && column.null_count != 0) column.null_count = -1;  // nobody has counted
    column.offset += batch.offset;
    column.length = batch.length;
    column.release = nullptr;
    return column;
  }

  void ShowProgress(const TableSource& source) const {
    if (options_.progress == nullptr || parts_.bytes == 0 || source.bytes_read() == 0) return;
    options_.progress->Advance(static_cast<double>(bytes_before_ + source.bytes_read()) /
                               static_cast<double>(parts_.bytes));
  }

  // Looks at the batches from `first` on in the order of the input. Once a cell does not fit, the rest of the table is
  // read for more of them, and not kept.
  Status TakeWave(std::size_t first, std::uint64_t& rows_before) {
    std::uint64_t before = rows_before;
    for (std::size_t i = first; i < batches_.size(); ++i) {
      if (!batches_[i].bad.empty()) bad_.resize(plan_.columns.size());
      for (const auto& [column, cells] : batches_[i].bad) bad_[column].Join(cells, source_names_.size() - 1, before);
      before += static_cast<std::uint64_t>(batches_[i].rows);
    }
    if (HasBadCells()) {
      rows_before = before;
      batches_.clear();
      return {};
    }
    for (std::size_t i = first; i < batches_.size(); ++i) {
      EncodedBatch& batch = batches_[i];
      rows_before += static_cast<std::uint64_t>(batch.rows);
      result_.table.rows += static_cast<std::size_t>(batch.rows);
      if (result_.table.rows >= UINT32_MAX - 1) {
        return Error{ErrorCode::kBadInput,
                     "the input has more than 4,294,967,293 rows; split it into several releases"};
      }
      PENTIMENTO_RETURN_IF_ERROR(result_.keep_records->Append(std::move(batch.keep)));
      bucket_of_row_.insert(bucket_of_row_.end(), batch.buckets.begin(), batch.buckets.end());
      std::vector<std::uint8_t>().swap(batch.buckets);
    }
    return {};
  }

  Result<SourceColumns> MatchColumns(TableSource& source) {
    OwnedSchema owned;
    if (const int error = source.stream()->get_schema(source.stream(), &owned.schema); error != 0)
      return source.Explain(error);
    const std::vector<std::string> names = NamesOfColumns(owned.schema);
    SourceColumns columns;
    for (std::size_t i = 0; i < plan_.columns.size(); ++i) {
      const ColumnPlan& column = plan_.columns[i];
      const auto found = std::find(names.begin(), names.end(), column.name);
      if (found == names.end()) {
        return Error{ErrorCode::kBadInput,
                     fmt::format("{}: there is no column '{}' in the table; correct the name, or add the column.{}",
                                 source.name(), column.name, DidYouMean(column.name, names))};
      }
      if (std::find(found + 1, names.end(), column.name) != names.end()) {
        return Error{ErrorCode::kBadInput, fmt::format("{}: column '{}' occurs twice in the header; rename one of them",
                                                       source.name(), column.name)};
      }
      columns.child.push_back(found - names.begin());
      PENTIMENTO_ASSIGN(CellLayout layout, LayoutOf(source, column, *owned.schema.children[columns.child.back()]));
      if (types_[i] && *types_[i] != layout.type) {
        return Error{ErrorCode::kBadInput,
                     fmt::format("{}: column '{}' has another type than in the files before; make them "
                                 "agree",
                                 source.name(), column.name)};
      }
      if (column.role != Role::kQuasiIdentifier && column.role != Role::kId) types_[i] = layout.type;
      columns.layout.push_back(std::move(layout));
    }
    return columns;
  }

  static Result<CellLayout> LayoutOf(const TableSource& source, const ColumnPlan& column, const ArrowSchema& schema) {
    Result<CellLayout> layout = ReadLayout(schema);
    if (!layout.ok()) return Error{layout.error().code, fmt::format("{}: {}", source.name(), layout.error().message)};
    const bool must_have_text = column.role == Role::kQuasiIdentifier || column.role == Role::kId;
    if (must_have_text && !HasText(layout->type)) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: column '{}' is neither text nor a plain number; convert it to text first",
                               source.name(), column.name)};
    }
    if (column.taxonomy && column.taxonomy->calendar() && HasForeignZone(layout->type)) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: column '{}' holds points in time of a time zone; on which day they are depends on "
                               "the zone, so convert them to dates first",
                               source.name(), column.name)};
    }
    if (column.range && IsTime(layout->type)) {
      return Error{
          ErrorCode::kBadInput,
          fmt::format("{}: column '{}' holds dates or times, and the policy gives it a domain of numbers; "
                      "give it a domain of dates, [1900-01-01, 2026-12-31], a taxonomy, or convert it to numbers",
                      source.name(), column.name)};
    }
    return layout;
  }

  void EncodeBatch(const SourceColumns& columns, ArrowArray& array, EncodedBatch& batch) const {
    std::vector<ArrowArray> cells;
    for (const std::int64_t child : columns.child) cells.push_back(ColumnOf(array, child));
    std::vector<KeepColumn> keep;
    std::size_t quasi = 0;
    for (std::size_t i = 0; i < plan_.columns.size(); ++i) {
      const ArrowArray& child = cells[i];
      const CellLayout& layout = columns.layout[i];
      switch (plan_.columns[i].role) {
        case Role::kQuasiIdentifier:
          std::visit(
              [&](const auto& encoder) {
                auto chunk = encoder.Encode(child, layout);
                NoteBadCells(batch, i, chunk.bad);
                batch.quasi.emplace_back(std::move(chunk));
              },
              quasi_[quasi++]);
          break;
        case Role::kSensitive:
        case Role::kClass:
          batch.values.push_back(ValueEncoder::Encode(child, layout, plan_.columns[i].reading.trims));
          break;
        case Role::kId:
          batch.ids = ids_.Encode(child, layout, missing_, plan_.columns[i].reading);
          NoteBadCells(batch, i, batch.ids->bad);
          break;
        case Role::kKeep:
          keep.push_back({&child, &layout, plan_.columns[i].reading.trims});
          break;
      }
    }
    batch.keep = FileByBucket(keep, batch.buckets);
    array.release(&array);
  }

  static void NoteBadCells(EncodedBatch& batch, std::size_t column, const BadCells& bad) {
    if (!bad.empty()) batch.bad.emplace_back(column, bad);
  }

  template <typename Chunk, typename Take>
  std::vector<Chunk> Gather(const Take& take) {
    std::vector<Chunk> chunks;
    chunks.reserve(batches_.size());
    for (EncodedBatch& batch : batches_) chunks.push_back(take(batch));
    return chunks;
  }

  // Columns are joined side by side, each into a place of its own.
  Result<EncodedInput> Finish() {
    std::vector<std::optional<std::pair<Domain, CodeColumn>>> joined(quasi_.size());
    const auto is_value = [](const ColumnPlan& column) {
      return column.role == Role::kSensitive || column.role == Role::kClass;
    };
    result_.values.resize(static_cast<std::size_t>(std::ranges::count_if(plan_.columns, is_value)));
    TaskGroup tasks;
    tasks.Run([this] { result_.order = RowOrder(options_.seed, bucket_of_row_); });
    std::size_t quasi = 0, value = 0;
    for (std::size_t i = 0; i < plan_.columns.size(); ++i) {
      switch (plan_.columns[i].role) {
        case Role::kQuasiIdentifier:
          tasks.Run([this, quasi, &its = joined[quasi]] { its.emplace(FinishQuasiIdentifier(quasi)); });
          ++quasi;
          break;
        case Role::kSensitive:
        case Role::kClass:
          tasks.Run([this, i, value] { FinishValues(i, value); });
          ++value;
          break;
        case Role::kId:
          tasks.Run([this] { FinishIds(); });
          break;
        case Role::kKeep:
          result_.keep.emplace_back(plan_.columns[i].name, *types_[i]);
          break;
      }
    }
    tasks.Wait();
    for (auto& column : joined) {
      result_.domains.push_back(std::move(column->first));
      result_.table.quasi_identifiers.push_back(std::move(column->second));
    }
    return std::move(result_);
  }

  std::pair<Domain, CodeColumn> FinishQuasiIdentifier(std::size_t quasi) {
    return std::visit(
        [&](const auto& encoder) {
          using Chunk = typename std::remove_cvref_t<decltype(encoder)>::Chunk;
          auto chunks =
              Gather<Chunk>([&](EncodedBatch& batch) { return std::get<Chunk>(std::move(batch.quasi[quasi])); });
          return encoder.Finish(std::move(chunks));
        },
        quasi_[quasi]);
  }

  void FinishValues(std::size_t column, std::size_t value) {
    auto chunks = Gather<ValueEncoder::Chunk>([&](EncodedBatch& batch) { return std::move(batch.values[value]); });
    const bool unites = plan_.unites_sensitive_values && plan_.columns[column].role == Role::kSensitive;
    result_.values[value] = ValueEncoder::Finish(plan_.columns[column].name, *types_[column], std::move(chunks),
                                                 unites ? &missing_ : nullptr);
  }

  void FinishIds() {
    auto parts = Gather<std::vector<IdentityHash>>([](EncodedBatch& batch) { return std::move(batch.ids->hashes); });
    if (!options_.keep_identities) {
      People people = NumberPeople(std::move(parts));
      result_.people = std::move(people.sorted);
      if (result_.people.size() == people.person_of_row.size()) {
        result_.person_of_row = std::move(people.person_of_row);
      } else {
        result_.table.persons =
            Persons{std::move(people.person_of_row), static_cast<std::uint32_t>(result_.people.size())};
      }
      return;
    }
    result_.identity_of_row.reserve(result_.table.rows);
    for (std::vector<IdentityHash>& part : parts) {
      result_.identity_of_row.insert(result_.identity_of_row.end(), part.begin(), part.end());
      std::vector<IdentityHash>().swap(part);
    }
  }

  const TableParts& parts_;
  const EncodePlan& plan_;
  const EncodeOptions& options_;
  MissingRule missing_;
  IdEncoder ids_;
  BucketDrawer drawer_;
  std::vector<QuasiEncoder> quasi_;
  std::vector<std::optional<CellType>> types_;  // by plan column, for those published with their own type
  std::deque<EncodedBatch> batches_;
  std::vector<std::string> source_names_;
  std::vector<BadCells> bad_;       // by plan column; empty while every cell fits
  std::uint64_t bytes_before_ = 0;  // of the sources already read
  std::vector<std::uint8_t> bucket_of_row_;
  EncodedInput result_;
};

}  // namespace

TableSource::TableSource(std::string name, ArrowArrayStream stream, std::function<Error(std::string_view)> explain)
    : name_(std::move(name)), stream_(stream), explain_(std::move(explain)) {}

TableSource::TableSource(TableSource&& other) noexcept
    : name_(std::move(other.name_)),
      stream_(std::exchange(other.stream_, {})),
      explain_(std::move(other.explain_)),
      bytes_read_(std::move(other.bytes_read_)) {}

TableSource::~TableSource() {
  if (stream_.release != nullptr) stream_.release(&stream_);
}

Error TableSource::Explain(int error_number) const {
  if (error_number == ENOMEM) return OutOfMemory();
  auto* stream = const_cast<ArrowArrayStream*>(&stream_);
  const char* message = stream->get_last_error(stream);
  if (explain_) return explain_(message == nullptr ? "" : message);
  return {ErrorCode::kBadInput, fmt::format("{}: cannot be read to its end", name_)};
}

Result<EncodedInput> EncodeTable(const TableParts& parts, const EncodePlan& plan, const EncodeOptions& options) {
  return TableEncoder(parts, plan, options).Run();
}

}  // namespace pentimento
