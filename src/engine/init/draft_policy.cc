#include "engine/init/draft_policy.h"

#include <algorithm>

#include "base/plural.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

constexpr std::size_t kLongestName = 80;
constexpr std::size_t kLineLength = 118;

constexpr std::string_view kHead = R"(#
# Every role below is a guess, and has a '?' behind it. Nothing is published before somebody who knows the table has looked at
# every column, chosen its role, and taken the '?' away:
#
#   id                who a row is about. Never published.
#   quasi-identifier  what others may know of a person, such as age, place and job. Made less exact, together with all others.
#   sensitive         what nobody should learn about a person. Published as it is; alpha-k-anonymity limits what it tells.
#   class             what analysts want to predict. Published as it is.
#   keep              Published as it is, whatever it says.
#
# Only a quasi-identifier has a domain, a taxonomy or values: remove these where you choose another role. A column without a
# line is not published. If in doubt, leave 'quasi-identifier', or remove the line.
)";

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\';
    if (byte < 0x20 || byte == 0x7F)
      quoted += fmt::format("\\u{:04X}", byte);
    else
      quoted += c;
  }
  return quoted + "\"";
}

std::string Key(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, IsPlain) ? std::string(name) : Quoted(name);
}

std::string List(std::span<const std::string> texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + Quoted(text);
  return "[" + list + "]";
}

// Nothing that a table or a path says ends a comment.
std::string Comment(std::string_view text) {
  std::string comment, line = "#";
  std::string shown;
  for (const char c : text) shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  std::string_view left = shown;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(' '), left.size());
    if (line.size() > 1 && line.size() + 1 + end > kLineLength) {
      comment += line + "\n";
      line = "#";
    }
    line += " " + std::string(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return comment + line + "\n";
}

std::string InputText(const DraftInput& input) {
  std::string text = "[input]\n";
  text += fmt::format("path = {}\n", input.paths.size() == 1 ? Quoted(input.paths[0]) : List(input.paths));
  if (input.text.separator)
    text += fmt::format("separator = {}\n",
                        *input.text.separator == '\t' ? "\"\\t\"" : Quoted(std::string(1, *input.text.separator)));
  if (input.text.encoding) text += fmt::format("encoding = \"{}\"\n", NameOf(*input.text.encoding));
  if (!input.text.names.empty()) text += fmt::format("names = {}\n", List(input.text.names));
  if (input.text.skip_lines > 0) text += fmt::format("skip_lines = {}\n", input.text.skip_lines);
  if (!input.missing.empty()) {
    std::vector<std::string> missing = {""};
    missing.insert(missing.end(), input.missing.begin(), input.missing.end());
    text += Comment(
        "Texts of the table that most likely say that nothing is known, as empty cells do. Remove what is a value.");
    text += fmt::format("missing = {}\n", List(missing));
  }
  if (input.decimal_point == ',') text += Comment("Numbers have a comma before their decimals.") + "decimal = \",\"\n";
  if (input.trims) text += Comment("Cells have blanks around them, which do not count.") + "trim = true\n";
  return text;
}

std::string ColumnText(const DraftColumn& column) {
  const Suggestion& suggested = column.suggestion;
  std::string remarks;
  for (const std::string& remark : suggested.remarks) remarks += (remarks.empty() ? "" : " ") + remark;
  const std::string key = Key(column.name);
  if (suggested.role == SuggestedRole::kNone) return "\n" + Comment(key + ": " + remarks);
  const std::string taxonomy = column.taxonomy.empty() ? "" : ", taxonomy = " + Quoted(column.taxonomy);
  return "\n" + Comment(remarks) +
         fmt::format("{} = {{ role = \"{}?\"{}{} }}\n", key, NameOf(suggested.role), taxonomy, suggested.keys);
}

}  // namespace

std::string PolicyText(const PolicyDraft& draft) {
  std::string text = Comment(fmt::format(
      "A draft by 'pentimento init' of {}: {} {}, {} {}{}.", draft.input.about, WithCommas(draft.rows),
      Plural(draft.rows, "row", "rows"), WithCommas(draft.columns.size()),
      Plural(draft.columns.size(), "column", "columns"), draft.form.empty() ? "" : ", read as " + draft.form));
  text += kHead;
  text += fmt::format("\nversion = 1\nrelease = {}\n\n", Quoted(draft.release));
  text += InputText(draft.input);
  text += "\n[columns]\n";
  for (const DraftColumn& column : draft.columns) text += ColumnText(column);
  text += "\n" + Comment("At least k people share every combination of published quasi-identifiers.");
  for (const std::string& remark : draft.remarks) text += Comment(remark);
  text += fmt::format("[[guarantee]]\ntype = \"k-anonymity\"\nk = {}\n", draft.k);
  return text;
}

std::string SafeName(std::string_view name, std::string_view otherwise) {
  std::string safe;
  for (const char c : name.substr(0, kLongestName)) safe += IsPlain(c) || c == '.' ? c : '-';
  while (!safe.empty() && (safe.front() == '.' || safe.front() == '-')) safe.erase(0, 1);
  while (!safe.empty() && safe.back() == '-') safe.pop_back();
  return safe.empty() ? std::string(otherwise) : safe;
}

std::string_view NameOf(SuggestedRole role) {
  switch (role) {
    case SuggestedRole::kId:
      return "id";
    case SuggestedRole::kQuasiIdentifier:
      return "quasi-identifier";
    case SuggestedRole::kSensitive:
      return "sensitive";
    case SuggestedRole::kNone:
      break;
  }
  return "";
}

}  // namespace pentimento
