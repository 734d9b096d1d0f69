// A TOML file as a plain tree, each value with its place in the text. The TOML library stays behind this header: it
// is slow to compile, sorts the keys of a table and turns decimals into doubles, and a policy needs the order of
// its columns and its decimals as written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/date.h"
#include "base/decimal.h"
#include "base/result.h"
#include "policy/policy.h"

namespace pentimento::policy_file {

struct Value;
struct Entry;

using Array = std::vector<Value>;
using Table = std::vector<Entry>;  // in the order of the file

// A number with a point or an exponent. Nothing where a Decimal cannot hold it exactly (too many digits, inf, nan).
struct Fractional {
  std::optional<Decimal> exact;
};

// A date or a time. Nothing for all but a plain date that the calendar has.
struct Moment {
  std::optional<Day> day;
};

struct Value {
  SourcePosition position;
  std::variant<bool, std::int64_t, Fractional, std::string, Moment, Array, Table> content;
};

struct Entry {
  std::string key;
  SourcePosition key_position;
  Value value;
};

// "a text", "a whole number", ...: what a value is, for messages.
std::string_view KindOf(const Value& value);

// Names the file in every message.
class Source {
 public:
  explicit Source(std::filesystem::path file) : file_(std::move(file)) {}

  // kBadPolicy, "file:line:column: message"; a position of line 0 is left out.
  Error At(SourcePosition position, std::string_view message) const;

  const std::filesystem::path& file() const { return file_; }
  // What a path written in the policy means: it is relative to the policy's folder.
  std::filesystem::path Resolve(const std::string& path) const { return file_.parent_path() / path; }

 private:
  std::filesystem::path file_;
};

// The whole file as one table. A byte order mark is skipped.
Result<Value> ParseDocument(std::string_view text, const Source& source);

}  // namespace pentimento::policy_file
