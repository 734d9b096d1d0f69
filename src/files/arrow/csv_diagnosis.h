// What is wrong with a CSV file, in words for its owner; and its quotes, which the reader does not check.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/result.h"

namespace pentimento {

// Quotes of a CSV file, checked strictly while it is read. Arrow's reader takes an open quote at the end of the file
// for a cell that ends there: all rows below it, ids included, would become part of one cell and be published with it.
class QuoteCheck {
 public:
  explicit QuoteCheck(char separator = ',') : separator_(separator) {}

  // The next bytes of the file; false as soon as a quoted cell is followed by anything but a separator or a line end.
  bool Accept(std::string_view block) {
    const char* at = block.data();
    const char* end = at + block.size();
    while (at != end) {
      if (state_ == State::kAfterQuote) {
        if (*at != '"' && *at != separator_ && *at != '\n' && *at != '\r') return false;
        state_ = *at == '"' ? State::kInside : State::kOutside;  // a doubled quote stands for one
        last_ = *at++;
        continue;
      }
      const char* quote = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
      if (quote == nullptr) break;
      const char before = quote == block.data() ? last_ : quote[-1];
      if (state_ == State::kInside) {
        state_ = State::kAfterQuote;
      } else if (before == separator_ || before == '\n' || before == '\r') {
        state_ = State::kInside;  // elsewhere a quote is a character like any other
      }
      at = quote + 1;
    }
    if (!block.empty()) last_ = end[-1];
    return true;
  }

  // At the end of the file: no quote may be open.
  bool End() const { return state_ != State::kInside; }

 private:
  enum class State { kOutside, kInside, kAfterQuote };
  char separator_;
  State state_ = State::kOutside;
  char last_ = '\n';
};

// The longest row that is read: Arrow takes a file in blocks of this size.
inline constexpr std::int32_t kCsvBlock = 2 << 20;

struct CsvForm;
struct TableFile;

// Only after the real reader has failed. Walks the file once and names the first line that is wrong: another number of
// cells than the header, an open quote at the end of the file, bytes that are no text in its encoding. Never quotes a
// cell.
Error DiagnoseCsv(const TableFile& file, const CsvForm& form);

}  // namespace pentimento
