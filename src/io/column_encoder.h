// Encoders of one column: batches of cells in, codes out. A batch is encoded without touching shared state, so that
// batches can be encoded side by side; Finish() then joins them in the order of the input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/hash.h"
#include "io/arrow_c_data.h"
#include "io/bad_cells.h"
#include "io/cells.h"
#include "io/date_cells.h"
#include "io/encode.h"
#include "io/text_codes.h"
#include "table/code_column.h"
#include "table/values.h"
#include "taxonomy/domain.h"

namespace pentimento {

// What counts as missing, by the policy's rule. A null counts like an empty text.
class MissingRule {
 public:
  explicit MissingRule(std::span<const std::string> tokens);
  bool IsMissing(std::string_view text) const {
    return tokens_.size() != 0 && tokens_.Find(text) != TextCodes::kAbsent;
  }
  bool allows_missing() const { return tokens_.size() != 0; }
  std::vector<std::string_view> tokens() const { return tokens_.texts(); }

 private:
  TextCodes tokens_;
};

// Leaves of a taxonomy; of a calendar, days in the form of the column.
class CategoricalEncoder {
 public:
  CategoricalEncoder(std::shared_ptr<const Taxonomy> taxonomy, const MissingRule& missing,
                     const CellReading& reading = {});

  struct Chunk {
    CodeColumn codes;
    BadCells bad;
  };
  Chunk Encode(const ArrowArray& array, const CellLayout& layout) const;
  std::pair<Domain, CodeColumn> Finish(std::vector<Chunk> chunks) const;

 private:
  BadCells FindBadCells(const ArrowArray& array, const CellLayout& layout) const;
  Code Lookup(std::string_view bytes, const CellType& type) const;
  Code LookupNormalized(std::string_view text) const;
  Code LookupDate(std::string_view bytes, const CellType& type) const;

  std::shared_ptr<const Taxonomy> taxonomy_;
  CellReading reading_;
  std::optional<DateCells> dates_;  // of a calendar: then codes_ has what counts as missing, and nothing else
  TextCodes codes_;
  TextCodes folded_;  // the same without case, where case is folded
  Code size_;
  bool allows_missing_;
};

// Points of a declared range. Codes are grid points where the range is small; otherwise the values are kept in full
// until Finish() ranks them.
class NumericEncoder {
 public:
  // `codes_middles_of_gaps`: where values are coded by rank, the two numbers in the middle of each gap between
  // neighbours get codes as well. Whoever cuts between two of them then has an end to write that is nobody's value.
  NumericEncoder(Decimal lo, Decimal hi, const MissingRule& missing, bool codes_middles_of_gaps = false,
                 const CellReading& reading = {});

  struct Chunk {
    std::vector<std::uint16_t> codes;  // grid points at the base scale …
    std::vector<std::int64_t> units;   // … or, where those do not do, units of 10^-scale (kMissing for missing)
    int scale = 0;
    BadCells bad;
  };
  Chunk Encode(const ArrowArray& array, const CellLayout& layout) const;
  std::pair<Domain, CodeColumn> Finish(std::vector<Chunk> chunks) const;

 private:
  static constexpr std::int64_t kMissing = INT64_MIN;

  Chunk EncodeOnGrid(const ArrowArray& array, const CellLayout& layout) const;
  Chunk EncodeInFull(const ArrowArray& array, const CellLayout& layout) const;
  // Puts the value of one cell into `value`; false where it has none. A missing cell leaves nothing in `value`.
  bool Read(std::string_view bytes, const CellType& type, std::optional<Decimal>& value) const;
  BadCells FindBadCells(const ArrowArray& array, const CellLayout& layout) const;
  const char* FaultOf(std::optional<std::string_view> bytes, const CellType& type) const;
  std::optional<Decimal> ReadNumber(std::string_view text, bool is_written) const;
  std::pair<Domain, CodeColumn> FinishRanked(std::vector<Chunk> chunks) const;

  Decimal lo_, hi_;
  int base_scale_ = 0;
  std::int64_t lo_units_ = 0, hi_units_ = 0;  // at the base scale
  bool on_grid_ = false;                      // at the base scale there are few enough points for 16 bits
  bool is_plain_ = false;                     // whole numbers, none of which means "missing"
  const MissingRule* missing_;
  bool codes_middles_of_gaps_ = false;
  CellReading reading_;
};

// Any values, published as they are. With a rule of what is missing, values that mean the same are one: what counts as
// missing, or is empty, is no value; -0 is 0; and one NaN is like the other.
class ValueEncoder {
 public:
  struct Chunk {
    std::vector<std::uint32_t> codes;  // into the chunk's own texts; kNull for a null
    TextCodes texts;
  };
  static constexpr std::uint32_t kNull = UINT32_MAX - 1;

  static Chunk Encode(const ArrowArray& array, const CellLayout& layout, bool trims = false);
  static ValueColumn Finish(std::string name, CellType type, std::vector<Chunk> chunks,
                            const MissingRule* unites = nullptr);
};

// Identities, as keyed hashes. A missing identity is a bad cell.
class IdEncoder {
 public:
  explicit IdEncoder(const IdentityHasher& hasher, std::optional<IdForm> form = std::nullopt)
      : hasher_(hasher), form_(form) {}

  struct Chunk {
    std::vector<IdentityHash> hashes;
    BadCells bad;
  };
  Chunk Encode(const ArrowArray& array, const CellLayout& layout, const MissingRule& missing,
               const CellReading& reading = {}) const;

 private:
  IdentityHasher hasher_;
  std::optional<IdForm> form_;
};

}  // namespace pentimento
