// The text form of a taxonomy: the hierarchy files of ARX, one line per leaf, leaf first and root last.
// Here are only the lines and their labels; what the labels mean together is the builder's business.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

// Walks through the lines of such a text. It does not own the text.
class ArxLines {
 public:
  // `source` names the file in messages.
  ArxLines(std::string_view text, std::string_view source);

  // The labels of the next line that is not blank, leaf first; empty at the end of the text.
  Result<std::vector<std::string>> Next();
  // The number of the line that Next() gave last, counted from 1.
  std::size_t line() const { return line_; }

  // "file:line: message" for the line that Next() gave last.
  Error ErrorHere(std::string_view message) const;

 private:
  bool TakeLine();  // moves the next line from rest_ to current_; false at the end of the text
  Result<std::vector<std::string>> SplitCurrent() const;
  Result<std::string> TakeLabel(std::string_view& rest) const;
  Result<std::string> TakeQuotedLabel(std::string_view& rest) const;

  std::string_view rest_;
  std::string source_;
  std::string_view current_;
  std::size_t line_ = 0;
  char separator_ = '\0';  // decided at the first line
};

// One line with its line break: labels joined by ';', quoted where a reader would otherwise read another label.
std::string WriteArxLine(const std::vector<std::string_view>& labels);

// A taxonomy as it is published: a table whose lines all have as many labels as the longest:
// Taxonomy::ToText() with shorter lines filled up by repeating their leaf, as ARX does, so that tools that expect a
// table can read it. Taxonomy::Parse() of either gives an equal taxonomy. Where that would be more
// than a hundred million labels, lines stay as they are.
std::string PaddedText(const Taxonomy& taxonomy);

}  // namespace pentimento
