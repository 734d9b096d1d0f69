#include "taxonomy/arx_text.h"

#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

// One very long line would make each of very many as long.
constexpr std::uint64_t kMostPaddedLabels = 100'000'000;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t";

std::string_view WithoutLeadingBlanks(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlanks);
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

std::string_view WithoutTrailingBlanks(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kBlanks);
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

char SeparatorOf(std::string_view first_line) {
  bool quoted = false;
  for (const char c : first_line) {
    if (c == '"') quoted = !quoted;
    if (c == ';' && !quoted) return ';';
  }
  return ',';
}

bool NeedsQuotes(std::string_view label) {
  if (label.empty()) return true;
  return label.find_first_of(";\"") != std::string_view::npos ||
         kBlanks.find(label.front()) != std::string_view::npos ||
         kBlanks.find(label.back()) != std::string_view::npos || label.starts_with(kByteOrderMark);
}

}  // namespace

std::string PaddedText(const Taxonomy& taxonomy) {
  const std::uint32_t height = taxonomy.height();
  if (std::uint64_t{height} * taxonomy.leaf_count() > kMostPaddedLabels) return taxonomy.ToText();
  std::string text;
  std::vector<std::string_view> path;
  for (Code code = 0; code < taxonomy.leaf_count(); ++code) {
    Taxonomy::NodeId id = taxonomy.leaf_node(code);
    path.assign(height - taxonomy.node(id).depth, taxonomy.node(id).label);
    for (; id != Taxonomy::kRoot; id = taxonomy.node(id).parent) path.push_back(taxonomy.node(id).label);
    path.push_back(kPublishedRoot);
    text += WriteArxLine(path);
  }
  return text;
}

ArxLines::ArxLines(std::string_view text, std::string_view source) : rest_(text), source_(source) {
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

Error ArxLines::ErrorHere(std::string_view message) const {
  return {ErrorCode::kBadPolicy, fmt::format("{}:{}: {}", source_, line_, message)};
}

Result<std::vector<std::string>> ArxLines::Next() {
  while (TakeLine()) {
    if (WithoutLeadingBlanks(current_).empty()) continue;
    if (const auto bad = FindBadUtf8(current_)) {
      return ErrorHere(fmt::format("byte {} of the line is not valid UTF-8; save the file as UTF-8", *bad + 1));
    }
    if (separator_ == '\0') separator_ = SeparatorOf(current_);
    return SplitCurrent();
  }
  return std::vector<std::string>();
}

bool ArxLines::TakeLine() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  current_ = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  if (current_.ends_with('\r')) current_.remove_suffix(1);
  ++line_;
  return true;
}

Result<std::vector<std::string>> ArxLines::SplitCurrent() const {
  std::vector<std::string> labels;
  std::string_view rest = current_;
  while (true) {
    PENTIMENTO_ASSIGN(std::string label, TakeLabel(rest));
    labels.push_back(std::move(label));
    if (rest.empty()) return labels;
    rest.remove_prefix(1);  // the separator; a label, though an empty one, always follows it
  }
}

// Leaves `rest` at the separator, or empty at the end of the line.
Result<std::string> ArxLines::TakeLabel(std::string_view& rest) const {
  rest = WithoutLeadingBlanks(rest);
  if (rest.starts_with('"')) return TakeQuotedLabel(rest);
  const std::string_view label = rest.substr(0, rest.find(separator_));
  rest.remove_prefix(label.size());
  if (label.find('"') != std::string_view::npos) {
    return ErrorHere(
        "a quote stands inside an unquoted label; put the label in quotes and double the quotes inside it");
  }
  return std::string(WithoutTrailingBlanks(label));
}

Result<std::string> ArxLines::TakeQuotedLabel(std::string_view& rest) const {
  std::string label;
  rest.remove_prefix(1);
  while (true) {
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos) {
      return ErrorHere("a quoted label has no closing quote on its line; add it");
    }
    label += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    label += '"';
    rest.remove_prefix(1);
  }
  rest = WithoutLeadingBlanks(rest);
  if (!rest.empty() && rest.front() != separator_) {
    return ErrorHere(fmt::format("text follows the closing quote of a label; put '{}' between labels", separator_));
  }
  return label;
}

std::string WriteArxLine(const std::vector<std::string_view>& labels) {
  std::string line;
  for (const std::string_view label : labels) {
    if (!line.empty()) line += ';';
    if (!NeedsQuotes(label)) {
      line += label;
      continue;
    }
    line += '"';
    for (const char c : label) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  line += '\n';
  return line;
}

}  // namespace pentimento
