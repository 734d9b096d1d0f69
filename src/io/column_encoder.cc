#include "io/column_encoder.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/blanks.h"
#include "base/check.h"
#include "base/fold_case.h"
#include "io/cell_faults.h"

namespace pentimento {
namespace {

// Calls body(row, bytes or nothing for a null) for every cell, looking through a dictionary.
template <typename Body>
void ForEachCell(const ArrowArray& array, const CellLayout& layout, const Body& body) {
  if (!layout.is_dictionary()) {
    const Cells cells(array, layout);
    for (std::int64_t row = 0; row < array.length; ++row) {
      if (cells.IsNull(row)) {
        body(row, std::optional<std::string_view>());
      } else {
        body(row, std::optional<std::string_view>(cells.Bytes(row)));
      }
    }
    return;
  }
  const DictionaryIndices indices(array, layout.index_format);
  const Cells values(*array.dictionary, layout);
  indices.ForEach([&](std::int64_t row, std::int64_t index) {
    if (index < 0 || values.IsNull(index)) {
      body(row, std::optional<std::string_view>());
    } else {
      body(row, std::optional<std::string_view>(values.Bytes(index)));
    }
  });
}

// Calls store(row, code_of(bytes or nothing)) for every cell; the cells of a dictionary are asked for once each.
template <typename CodeOf, typename Store>
void EncodeCells(const ArrowArray& array, const CellLayout& layout, const CodeOf& code_of, const Store& store) {
  if (!layout.is_dictionary()) {
    ForEachCell(array, layout,
                [&](std::int64_t row, std::optional<std::string_view> bytes) { store(row, code_of(bytes)); });
    return;
  }
  const DictionaryIndices indices(array, layout.index_format);
  const Cells values(*array.dictionary, layout);
  using Answer = decltype(code_of(std::nullopt));
  std::vector<std::optional<Answer>> answers(static_cast<std::size_t>(values.size()) + 1);
  indices.ForEach([&](std::int64_t row, std::int64_t index) {
    std::optional<Answer>& answer = answers[static_cast<std::size_t>(index + 1)];
    if (!answer) {
      const bool null = index < 0 || values.IsNull(index);
      answer = null ? code_of(std::nullopt) : code_of(std::optional(values.Bytes(index)));
    }
    store(row, *answer);
  });
}

// Looks at all cells once more, since some do not fit: fault_of(bytes or nothing) says what is wrong with one, or null.
template <typename FaultOf>
BadCells CollectBadCells(const ArrowArray& array, const CellLayout& layout, const FaultOf& fault_of) {
  BadCells bad;
  ForEachCell(array, layout, [&](std::int64_t row, std::optional<std::string_view> bytes) {
    const char* const what = fault_of(bytes);
    if (what == nullptr) return;
    CellScratch scratch;
    bad.Add(row, bytes ? CellText(*bytes, layout.type, scratch) : std::nullopt, what);
  });
  return bad;
}

template <typename Chunk, typename SizeOf>
std::size_t TotalRows(const std::vector<Chunk>& chunks, const SizeOf& size_of) {
  std::size_t rows = 0;
  for (const Chunk& chunk : chunks) rows += size_of(chunk);
  return rows;
}

}  // namespace

MissingRule::MissingRule(std::span<const std::string> tokens) {
  for (const std::string& token : tokens) tokens_.FindOrAdd(token);
}

// ---- categorical ----

CategoricalEncoder::CategoricalEncoder(std::shared_ptr<const Taxonomy> taxonomy, const MissingRule& missing,
                                       const CellReading& reading)
    : taxonomy_(std::move(taxonomy)),
      reading_(reading),
      size_(taxonomy_->leaf_count() + (missing.allows_missing() ? 1 : 0)),
      allows_missing_(missing.allows_missing()) {
  if (taxonomy_->calendar()) dates_.emplace(*taxonomy_->calendar(), reading_.date_form);
  for (Code code = 0; code < taxonomy_->leaf_count() && !dates_; ++code) {
    Check(!missing.IsMissing(taxonomy_->leaf_label(code)), "binding refuses a leaf that also counts as missing");
    codes_.Add(taxonomy_->leaf_label(code), code);
  }
  for (const std::string_view token : missing.tokens()) codes_.Add(token, taxonomy_->leaf_count());
  if (!reading_.folds_case) return;
  const auto fold = [this](std::string_view text, Code code) {
    const std::string folded = FoldCase(text);
    const Code found = folded_.Find(folded);
    Check(found == TextCodes::kAbsent || found == code, "binding refuses values that differ in their case alone");
    if (found == TextCodes::kAbsent) folded_.Add(folded, code);
  };
  for (Code code = 0; code < taxonomy_->leaf_count(); ++code) fold(taxonomy_->leaf_label(code), code);
  for (const std::string_view token : missing.tokens()) fold(token, taxonomy_->leaf_count());
}

Code CategoricalEncoder::LookupDate(std::string_view bytes, const CellType& type) const {
  const bool is_text = type.is_text();
  if (const Code missing = is_text ? codes_.Find(bytes) : TextCodes::kAbsent; missing != TextCodes::kAbsent)
    return missing;
  const std::string_view text = is_text && reading_.trims ? WithoutBlanks(bytes) : bytes;
  if (const std::optional<Code> day = dates_->CodeOf(text, type)) return *day;
  return is_text ? codes_.Find(text) : TextCodes::kAbsent;
}

Code CategoricalEncoder::Lookup(std::string_view bytes, const CellType& type) const {
  if (dates_) return LookupDate(bytes, type);
  CellScratch scratch;
  const std::optional<std::string_view> text = type.is_text() ? std::optional(bytes) : CellText(bytes, type, scratch);
  if (!text) return TextCodes::kAbsent;
  const Code code = codes_.Find(*text);  // a leaf may have blanks itself
  return code != TextCodes::kAbsent ? code : LookupNormalized(*text);
}

Code CategoricalEncoder::LookupNormalized(std::string_view text) const {
  if (reading_.trims) text = WithoutBlanks(text);
  const Code code = reading_.trims ? codes_.Find(text) : TextCodes::kAbsent;
  return code != TextCodes::kAbsent || !reading_.folds_case ? code : folded_.Find(FoldCase(text));
}

CategoricalEncoder::Chunk CategoricalEncoder::Encode(const ArrowArray& array, const CellLayout& layout) const {
  Chunk chunk{CodeColumn(size_, static_cast<std::size_t>(array.length)), {}};
  const Code null_code = codes_.Find("");
  const auto code_of = [&](std::optional<std::string_view> bytes) {
    return bytes ? Lookup(*bytes, layout.type) : null_code;
  };
  bool fits = true;
  chunk.codes.VisitMutable([&](auto& codes) {
    using Narrow = std::remove_reference_t<decltype(codes[0])>;
    EncodeCells(array, layout, code_of, [&](std::int64_t row, Code code) {
      fits &= code != TextCodes::kAbsent;
      codes[static_cast<std::size_t>(row)] = static_cast<Narrow>(code);
    });
  });
  if (!fits) chunk.bad = FindBadCells(array, layout);
  return chunk;
}

BadCells CategoricalEncoder::FindBadCells(const ArrowArray& array, const CellLayout& layout) const {
  std::optional<LeafFaults> faults;
  if (!dates_) faults.emplace(*taxonomy_, reading_);
  const Code null_code = codes_.Find("");
  return CollectBadCells(array, layout, [&](std::optional<std::string_view> bytes) -> const char* {
    if ((bytes ? Lookup(*bytes, layout.type) : null_code) != TextCodes::kAbsent) return nullptr;
    CellScratch scratch;
    const std::string_view text = bytes ? CellText(*bytes, layout.type, scratch).value_or("") : "";
    if (faults) return (*faults)(text);
    const std::string_view shown = WithoutBlanks(text);
    return shown.empty() ? kMissingNotAllowed : dates_->FaultOf(shown, layout.type);
  });
}

std::pair<Domain, CodeColumn> CategoricalEncoder::Finish(std::vector<Chunk> chunks) const {
  CodeColumn column(size_);
  column.VisitMutable([&](auto& codes) {
    codes.reserve(TotalRows(chunks, [](const Chunk& chunk) { return chunk.codes.size(); }));
    for (Chunk& chunk : chunks) {
      chunk.codes.Visit([&](auto cells) { codes.insert(codes.end(), cells.begin(), cells.end()); });
      chunk.codes = CodeColumn();
    }
  });
  return {Domain(taxonomy_, allows_missing_), std::move(column)};
}

// ---- numeric ----

NumericEncoder::NumericEncoder(Decimal lo, Decimal hi, const MissingRule& missing, bool codes_middles_of_gaps,
                               const CellReading& reading)
    : lo_(lo),
      hi_(hi),
      base_scale_(std::max({lo.scale, hi.scale, reading.decimals.value_or(0)})),
      missing_(&missing),
      codes_middles_of_gaps_(codes_middles_of_gaps),
      reading_(reading) {
  lo_units_ = UnitsAtScale(lo, base_scale_).value();
  hi_units_ = UnitsAtScale(hi, base_scale_).value();
  std::int64_t width = 0;
  is_plain_ = base_scale_ == 0;
  for (const std::string_view token : missing.tokens()) is_plain_ = is_plain_ && !ParseDecimal(token);
  on_grid_ = !__builtin_sub_overflow(hi_units_, lo_units_, &width) && width < (1 << 16) - 2;
}

bool NumericEncoder::Read(std::string_view bytes, const CellType& type, std::optional<Decimal>& value) const {
  CellScratch scratch;
  const std::optional<std::string_view> text = CellText(bytes, type, scratch);
  if (!text) return false;
  if (missing_->IsMissing(*text)) return true;  // asked first: 999 may stand for "unknown"
  if (reading_.trims && missing_->IsMissing(WithoutBlanks(*text))) return true;
  value = ReadNumber(*text, type.is_text());
  return value.has_value();
}

const char* NumericEncoder::FaultOf(std::optional<std::string_view> bytes, const CellType& type) const {
  if (!bytes) return missing_->IsMissing("") ? nullptr : kMissingNotAllowed;
  std::optional<Decimal> value;
  if (!Read(*bytes, type, value)) {
    CellScratch scratch;
    return NumberFault(CellText(*bytes, type, scratch).value_or("?"), reading_);
  }
  if (!value) return nullptr;
  const int scale = std::max(base_scale_, value->scale);
  const std::optional<std::int64_t> lo = UnitsAtScale(lo_, scale), hi = UnitsAtScale(hi_, scale);
  if (!lo || !hi) return kTooManyDecimals;
  const std::optional<std::int64_t> units = UnitsAtScale(*value, scale);
  return units && *units >= *lo && *units <= *hi ? nullptr : kOutsideDomain;
}

BadCells NumericEncoder::FindBadCells(const ArrowArray& array, const CellLayout& layout) const {
  return CollectBadCells(array, layout,
                         [&](std::optional<std::string_view> bytes) { return FaultOf(bytes, layout.type); });
}

// A number that `is_written` is a text of the table: it has the decimal point of its country.
std::optional<Decimal> NumericEncoder::ReadNumber(std::string_view text, bool is_written) const {
  std::string with_point;
  if (is_written && reading_.decimal_point != '.') {
    if (text.find('.') != text.npos) return std::nullopt;  // 1.234,5: nobody knows what 1.234 is
    with_point = text;
    std::ranges::replace(with_point, reading_.decimal_point, '.');
    text = with_point;
  }
  return reading_.decimals ? ParseRounded(text, *reading_.decimals) : ParseDecimal(text);
}

namespace {

// Whole numbers of up to nine digits, the usual case, without the general reader.
bool ReadSmallNumber(std::string_view text, std::int64_t& number) {
  if (text.empty() || text.size() > 9) return false;
  std::int64_t value = 0;
  for (const char c : text) {
    const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
    if (digit > 9) return false;
    value = value * 10 + digit;
  }
  number = value;
  return true;
}

constexpr std::int32_t kNeedsFullValues = -1;
constexpr std::int32_t kBad = -2;

}  // namespace

NumericEncoder::Chunk NumericEncoder::Encode(const ArrowArray& array, const CellLayout& layout) const {
  if (on_grid_) {
    Chunk chunk = EncodeOnGrid(array, layout);
    if (chunk.codes.size() == static_cast<std::size_t>(array.length)) return chunk;
  }
  return EncodeInFull(array, layout);
}

// Gives up (fewer codes than rows) at a value between the grid's points.
NumericEncoder::Chunk NumericEncoder::EncodeOnGrid(const ArrowArray& array, const CellLayout& layout) const {
  Chunk chunk;
  chunk.scale = base_scale_;
  chunk.codes.resize(static_cast<std::size_t>(array.length));
  const std::int32_t missing_code = static_cast<std::int32_t>(hi_units_ - lo_units_ + 1);
  const auto code_of = [&](std::optional<std::string_view> bytes) -> std::int32_t {
    std::int64_t units = 0;
    if (!bytes) return missing_->IsMissing("") ? missing_code : kBad;
    if (!is_plain_ || !layout.type.is_text() || !ReadSmallNumber(*bytes, units)) {
      std::optional<Decimal> value;
      if (!Read(*bytes, layout.type, value)) return kBad;
      if (!value) return missing_code;
      const std::optional<std::int64_t> on_grid = UnitsAtScale(*value, base_scale_);
      if (!on_grid && value->scale > base_scale_) return kNeedsFullValues;
      units = on_grid.value_or(INT64_MAX);
    }
    return units < lo_units_ || units > hi_units_ ? kBad : static_cast<std::int32_t>(units - lo_units_);
  };
  bool fits = true, give_up = false;
  EncodeCells(array, layout, code_of, [&](std::int64_t row, std::int32_t code) {
    if (code >= 0) [[likely]] {
      chunk.codes[static_cast<std::size_t>(row)] = static_cast<std::uint16_t>(code);
    } else if (code == kNeedsFullValues) {
      give_up = true;
    } else {
      fits = false;
    }
  });
  if (give_up) {
    chunk.codes.clear();
  } else if (!fits) {
    chunk.bad = FindBadCells(array, layout);
  }
  return chunk;
}

NumericEncoder::Chunk NumericEncoder::EncodeInFull(const ArrowArray& array, const CellLayout& layout) const {
  Chunk chunk;
  chunk.scale = base_scale_;
  chunk.units.resize(static_cast<std::size_t>(array.length), kMissing);
  std::vector<std::optional<Decimal>> values(static_cast<std::size_t>(array.length));
  bool fits = true;
  ForEachCell(array, layout, [&](std::int64_t row, std::optional<std::string_view> bytes) {
    std::optional<Decimal>& value = values[static_cast<std::size_t>(row)];
    fits &= bytes ? Read(*bytes, layout.type, value) : missing_->IsMissing("");
    if (value) chunk.scale = std::max(chunk.scale, value->scale);
  });
  const std::optional<std::int64_t> lo = UnitsAtScale(lo_, chunk.scale), hi = UnitsAtScale(hi_, chunk.scale);
  for (std::size_t row = 0; row < values.size() && fits; ++row) {
    if (!values[row]) continue;
    const std::optional<std::int64_t> units = UnitsAtScale(*values[row], chunk.scale);
    fits = lo && hi && units && *units >= *lo && *units <= *hi;
    if (fits) chunk.units[row] = *units;
  }
  if (!fits) chunk.bad = FindBadCells(array, layout);
  return chunk;
}

std::pair<Domain, CodeColumn> NumericEncoder::Finish(std::vector<Chunk> chunks) const {
  const bool all_on_grid =
      on_grid_ && std::all_of(chunks.begin(), chunks.end(), [](const Chunk& c) { return c.units.empty(); });
  if (!all_on_grid) return FinishRanked(std::move(chunks));
  Domain domain(NumericRange{lo_units_, hi_units_, base_scale_, {}}, missing_->allows_missing());
  CodeColumn column(domain.size());
  column.VisitMutable([&](auto& codes) {
    using Narrow = std::remove_reference_t<decltype(codes[0])>;
    codes.reserve(TotalRows(chunks, [](const Chunk& chunk) { return chunk.codes.size(); }));
    for (Chunk& chunk : chunks) {
      for (const std::uint16_t code : chunk.codes) codes.push_back(static_cast<Narrow>(code));
      std::vector<std::uint16_t>().swap(chunk.codes);
    }
  });
  return {std::move(domain), std::move(column)};
}

namespace {

// `points` ascend. A cut between two of them stands before the second number that is added: the same place as where
// every number has a code.
std::vector<std::int64_t> WithMiddlesOfGaps(const std::vector<std::int64_t>& points) {
  std::vector<std::int64_t> filled;
  for (const std::int64_t point : points) {
    if (!filled.empty()) {
      const std::int64_t below = filled.back();
      // Unsigned, because a gap can be more than a signed number holds.
      const std::uint64_t between = static_cast<std::uint64_t>(point) - static_cast<std::uint64_t>(below) - 1;
      const std::int64_t middle = below + 1 + static_cast<std::int64_t>(between / 2);
      if (middle - 1 > below) filled.push_back(middle - 1);
      if (middle < point) filled.push_back(middle);
    }
    filled.push_back(point);
  }
  return filled;
}

}  // namespace

// Brings all chunks to one scale, and numbers the values that occur by rank.
std::pair<Domain, CodeColumn> NumericEncoder::FinishRanked(std::vector<Chunk> chunks) const {
  int scale = base_scale_;
  for (const Chunk& chunk : chunks) scale = std::max(scale, chunk.scale);
  const std::int64_t missing_grid_code = hi_units_ - lo_units_ + 1;
  std::vector<std::int64_t> units;
  for (Chunk& chunk : chunks) {
    for (const std::uint16_t code : chunk.codes)
      chunk.units.push_back(code == missing_grid_code ? kMissing : lo_units_ + code);
    for (const std::int64_t value : chunk.units) {
      units.push_back(value == kMissing ? kMissing : UnitsAtScale({value, chunk.scale}, scale).value());
    }
    chunk = Chunk();
  }
  NumericRange range{UnitsAtScale(lo_, scale).value(), UnitsAtScale(hi_, scale).value(), scale, units};
  std::erase(range.points, kMissing);
  range.points.push_back(range.lo);
  range.points.push_back(range.hi);
  std::sort(range.points.begin(), range.points.end());
  range.points.erase(std::unique(range.points.begin(), range.points.end()), range.points.end());
  if (codes_middles_of_gaps_) range.points = WithMiddlesOfGaps(range.points);

  Domain domain(std::move(range), missing_->allows_missing());
  const std::vector<std::int64_t>& points = domain.range().points;
  CodeColumn column(domain.size(), units.size());
  column.VisitMutable([&](auto& codes) {
    using Narrow = std::remove_reference_t<decltype(codes[0])>;
    for (std::size_t row = 0; row < units.size(); ++row) {
      const auto rank = std::lower_bound(points.begin(), points.end(), units[row]) - points.begin();
      codes[row] = static_cast<Narrow>(units[row] == kMissing ? domain.value_count() : static_cast<Code>(rank));
    }
  });
  return {std::move(domain), std::move(column)};
}

// ---- values ----

ValueEncoder::Chunk ValueEncoder::Encode(const ArrowArray& array, const CellLayout& layout, bool trims) {
  Chunk chunk;
  chunk.codes.resize(static_cast<std::size_t>(array.length));
  const bool is_trimmed = trims && layout.type.arrow_format == "u";
  const auto code_of = [&](std::optional<std::string_view> bytes) {
    if (!bytes) return kNull;
    return chunk.texts.FindOrAdd(is_trimmed ? WithoutBlanks(*bytes) : *bytes);
  };
  EncodeCells(array, layout, code_of,
              [&](std::int64_t row, std::uint32_t code) { chunk.codes[static_cast<std::size_t>(row)] = code; });
  return chunk;
}

namespace {

// One zero and one NaN of a floating-point type, whose magnitudes above `infinity` are all NaN.
template <typename Bits>
std::string UniteFloats(std::string_view bytes, Bits infinity) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  Bits bits;
  std::memcpy(&bits, bytes.data(), sizeof bits);
  const Bits magnitude = bits & static_cast<Bits>(~kSign);
  if (magnitude == 0) bits = 0;
  if (magnitude > infinity) bits = static_cast<Bits>(~kSign);
  return std::string(reinterpret_cast<const char*>(&bits), sizeof bits);
}

// What stands for all values that mean the same; nothing for a missing one. Without a rule each value stands for
// itself.
std::optional<std::string> MeantBy(std::string_view bytes, const CellType& type, const MissingRule* unites) {
  if (unites == nullptr) return std::string(bytes);
  CellScratch scratch;
  const std::optional<std::string_view> text = CellText(bytes, type, scratch);
  if (text && (text->empty() || unites->IsMissing(*text))) return std::nullopt;
  if (type.arrow_format == "e") return UniteFloats<std::uint16_t>(bytes, 0x7C00);
  if (type.arrow_format == "f") return UniteFloats<std::uint32_t>(bytes, 0x7F800000);
  if (type.arrow_format == "g") return UniteFloats<std::uint64_t>(bytes, 0x7FF0000000000000);
  return std::string(bytes);
}

}  // namespace

ValueColumn ValueEncoder::Finish(std::string name, CellType type, std::vector<Chunk> chunks,
                                 const MissingRule* unites) {
  ValueColumn column{std::move(name), std::move(type), {}, std::nullopt, {}};
  bool has_null = false;
  std::vector<std::vector<std::optional<std::string>>> meant(chunks.size());
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (const std::string_view text : chunks[c].texts.texts()) {
      meant[c].push_back(MeantBy(text, column.type, unites));
      if (meant[c].back()) column.values.push_back(*meant[c].back());
      has_null |= !meant[c].back();
    }
    has_null |= std::find(chunks[c].codes.begin(), chunks[c].codes.end(), kNull) != chunks[c].codes.end();
  }
  std::sort(column.values.begin(), column.values.end());
  column.values.erase(std::unique(column.values.begin(), column.values.end()), column.values.end());
  TextCodes codes;
  for (const std::string& value : column.values) codes.FindOrAdd(value);
  if (has_null) {
    column.null_code = static_cast<Code>(column.values.size());
    column.values.emplace_back();
  }
  column.codes = CodeColumn(column.values.size());
  column.codes.VisitMutable([&](auto& out) {
    using Narrow = std::remove_reference_t<decltype(out[0])>;
    out.reserve(TotalRows(chunks, [](const Chunk& chunk) { return chunk.codes.size(); }));
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      std::vector<Code> translated;
      for (const auto& value : meant[c]) translated.push_back(value ? codes.Find(*value) : *column.null_code);
      for (const std::uint32_t code : chunks[c].codes) {
        out.push_back(static_cast<Narrow>(code == kNull ? *column.null_code : translated[code]));
      }
      chunks[c] = Chunk();
    }
  });
  return column;
}

// ---- identities ----

IdEncoder::Chunk IdEncoder::Encode(const ArrowArray& array, const CellLayout& layout, const MissingRule& missing,
                                   const CellReading& reading) const {
  Chunk chunk;
  chunk.hashes.resize(static_cast<std::size_t>(array.length));
  CellScratch scratch;
  ForEachCell(array, layout, [&](std::int64_t row, std::optional<std::string_view> bytes) {
    std::optional<std::string_view> text = bytes ? CellText(*bytes, layout.type, scratch) : std::nullopt;
    if (text && reading.trims && !missing.IsMissing(*text)) text = WithoutBlanks(*text);
    const bool is_id = text && (form_ ? form_->fits(*text) : !text->empty() && !missing.IsMissing(*text));
    if (!is_id) {
      chunk.bad.Add(row, text, form_ ? form_->otherwise : "holds no identity; every row must say who it is about");
      return;
    }
    chunk.hashes[static_cast<std::size_t>(row)] = reading.folds_case ? hasher_(FoldCase(*text)) : hasher_(*text);
  });
  return chunk;
}

}  // namespace pentimento
