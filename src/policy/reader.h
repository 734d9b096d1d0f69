// Reads values out of the tree of a policy and says, with file, line and column, what is wrong with them. `name` is
// always how a message calls the thing: "release", "[input] path", "column 'age'".
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ratio.h"
#include "base/result.h"
#include "policy/document.h"

namespace pentimento::policy_file {

// Fractions above 0 and at most 1: how sure anybody may be, how frequent a value may be, how much is spent at once. And
// factors, which are at least 1.

// What messages say: "alpha", "for example alpha = \"1/3\"".
struct FractionPlace {
  std::string_view name;
  std::string_view example;
  // What is wrong with 0, and with more than 1.
  std::string_view zero = "which only a release without the value could keep";
  std::string_view above_one = "nobody is surer than 1";
};

// A text like "1/4" or "0.25", or a number; exactly as it is written.
Result<Ratio> ReadFraction(const Source& source, const Value& value, const FractionPlace& place);

// The same from 1 to 1,000,000: a number, or a text like "7/2". Of the place only name and example are needed.
Result<Ratio> ReadFactor(const Source& source, const Value& value, const FractionPlace& place);

// A text with its place.
struct Text {
  std::string text;
  SourcePosition position;
};

// `example` is what the user should write instead.
Result<Text> ReadText(const Source& source, const Value& value, std::string_view name, std::string_view example);
Result<std::int64_t> ReadWhole(const Source& source, const Value& value, std::string_view name,
                               std::string_view example);
// A list of texts without repeats.
Result<std::vector<Text>> ReadTexts(const Source& source, const Value& value, std::string_view name,
                                    std::string_view example);
// The index of the text among `choices`.
Result<std::size_t> ReadChoice(const Source& source, const Value& value, std::string_view name,
                               std::span<const std::string> choices);
// A name that can be a folder and be in the ledger on every machine: 1 to 100 ASCII letters, digits, '.', '_' and
// '-', not beginning with '.' or '-'.
Result<Text> ReadName(const Source& source, const Value& value, std::string_view name, std::string_view example);
// The text as a path in the policy's folder; it may not be empty.
Result<std::filesystem::path> ResolvePath(const Source& source, const Text& text, std::string_view name);

// One table of the policy.
class TableReader {
 public:
  // An error where the value is not a table. Keeps a pointer to the value: the document must stay.
  static Result<TableReader> Open(const Source& source, const Value& value, std::string name, std::string_view example);

  // An error at the first key that is not in `keys`, with the key the user may have meant.
  Status AllowOnly(std::span<const std::string> keys) const;

  // Nothing where the key is absent.
  const Entry* Find(std::string_view key) const;
  // An error, at the table, where the key is absent.
  Result<const Entry*> Require(std::string_view key, std::string_view example) const;

  const Table& entries() const { return *entries_; }
  SourcePosition position() const { return position_; }
  const std::string& name() const { return name_; }

 private:
  TableReader(const Source& source, const Table& entries, SourcePosition position, std::string name)
      : source_(&source), entries_(&entries), position_(position), name_(std::move(name)) {}

  const Source* source_;
  const Table* entries_;
  SourcePosition position_;
  std::string name_;
};

// "a, b, c", for messages that list what is possible.
std::string Listed(std::span<const std::string> names);

}  // namespace pentimento::policy_file
