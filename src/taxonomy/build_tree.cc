#include "taxonomy/build_tree.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/date.h"
#include "fmt/core.h"
#include "taxonomy/arx_text.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

// Where a label first stood, and below what.
struct Place {
  std::string parent;
  std::size_t level = 0;
  std::size_t row = 0;
  bool is_leaf = false;
};

// Without missing levels, and without labels that repeat the one below them.
std::vector<std::pair<std::string, std::size_t>> PathOf(const TreeRow& row) {
  std::vector<std::pair<std::string, std::size_t>> path;
  for (std::size_t level = 0; level < row.labels.size(); ++level) {
    const std::string& label = row.labels[level];
    if (!label.empty() && (path.empty() || path.back().first != label)) path.emplace_back(label, level);
  }
  return path;
}

Error NotATree(std::size_t row, std::size_t before, std::string_view below, std::string_view above,
               std::size_t how_many) {
  return {ErrorCode::kBadInput,
          fmt::format("rows {} and {} have the same '{}' below different values of {}, and so it is in {} places; in a "
                      "taxonomy a value has one place. Give values that only share a name different names",
                      before, row, below, above, how_many)};
}

class TreeBuilder {
 public:
  explicit TreeBuilder(std::span<const std::string> levels) : levels_(levels) {}

  Status Add(const TreeRow& row) {
    const auto path = PathOf(row);
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (const auto fault = FindLabelFault(path[i].first))
        return Error{ErrorCode::kBadInput,
                     fmt::format("row {}: the label in '{}' {}", row.row, levels_[path[i].second], *fault)};
      const std::string parent = i + 1 < path.size() ? path[i + 1].first : std::string();
      const Place place{parent, path[i].second, row.row, i == 0};
      const auto [known, is_new] = places_.try_emplace(path[i].first, place);
      if (is_new || (known->second.parent == parent && known->second.is_leaf == place.is_leaf)) continue;
      ++conflicts_;
      if (!conflict_) conflict_ = {row.row, known->second.row, levels_[path[i].second]};
    }
    return {};
  }

  Status Check() const {
    if (!conflict_) return {};
    const auto& [row, before, column] = *conflict_;
    return NotATree(row, before, column, levels_.size() > 2 ? "the columns above it" : "'" + levels_[1] + "'",
                    conflicts_);
  }

 private:
  std::span<const std::string> levels_;
  std::map<std::string, Place> places_;
  std::optional<std::tuple<std::size_t, std::size_t, std::string>> conflict_;
  std::size_t conflicts_ = 0;
};

// The characters that may stand at a place.
std::string CharactersLike(std::span<const std::string> values, std::size_t at) {
  static constexpr std::array<std::string_view, 3> kClasses = {"0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                                                               "abcdefghijklmnopqrstuvwxyz"};
  std::set<char> characters;
  for (const std::string& value : values) {
    const auto found =
        std::ranges::find_if(kClasses, [&](std::string_view known) { return known.find(value[at]) != known.npos; });
    if (found == kClasses.end())
      characters.insert(value[at]);
    else
      characters.insert(found->begin(), found->end());
  }
  return {characters.begin(), characters.end()};
}

constexpr std::array<std::string_view, 4> kSteps = {"month", "quarter", "year", "decade"};

std::string LabelOf(const Date& date, std::size_t step) {
  if (step == 0) return fmt::format("{:04}-{:02}", date.year, date.month);
  if (step == 1) return fmt::format("{:04}-Q{}", date.year, (date.month + 2) / 3);
  return step == 2 ? fmt::format("{:04}", date.year) : fmt::format("{:03}0s", date.year / 10);
}

Result<std::vector<std::size_t>> ReadSteps(std::span<const std::string> steps) {
  std::vector<std::size_t> numbers;
  for (const std::string& step : steps) {
    const auto found = std::ranges::find(kSteps, step);
    const auto number = static_cast<std::size_t>(found - kSteps.begin());
    if (found == kSteps.end() || (!numbers.empty() && number <= numbers.back()))
      return Error{ErrorCode::kUsage,
                   "the steps of --dates are month, quarter, year and decade, some or all, in this order"};
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Result<std::string> BuildTreeTaxonomy(std::span<const TreeRow> rows, std::span<const std::string> levels) {
  TreeBuilder builder(levels);
  std::set<std::vector<std::string>> lines;
  for (const TreeRow& row : rows) {
    if (row.labels.front().empty()) continue;
    PENTIMENTO_RETURN_IF_ERROR(builder.Add(row));
    lines.insert(row.labels);
  }
  PENTIMENTO_RETURN_IF_ERROR(builder.Check());
  if (lines.empty())
    return Error{ErrorCode::kBadInput, fmt::format("no row has a value in '{}'; a taxonomy needs one", levels[0])};
  std::string text;
  for (const std::vector<std::string>& labels : lines) {
    std::vector<std::string_view> path;
    for (const std::string& label : labels)
      if (!label.empty()) path.push_back(label);
    path.push_back(kPublishedRoot);
    text += WriteArxLine(path);
  }
  PENTIMENTO_ASSIGN(const Taxonomy taxonomy, Taxonomy::Parse(text, "the tree"));
  return PaddedText(taxonomy);
}

Result<Taxonomy> WithLeaves(const Taxonomy& taxonomy, std::span<const std::string> values) {
  std::string text = taxonomy.ToText();
  for (const std::string& value : values) text += WriteArxLine({value, kPublishedRoot});
  return Taxonomy::Parse(text, "the taxonomy");
}

Result<std::vector<std::string>> AllCodesLike(std::span<const std::string> values, std::size_t most) {
  std::vector<std::string> codes = {""};
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  for (const std::string& value : values)
    if (value.empty() || value.size() != values.front().size() || !std::ranges::all_of(value, is_ascii))
      return Error{
          ErrorCode::kUsage,
          "the values are not all of one length and of plain characters; pad them, or list the codes yourself"};
  for (std::size_t at = 0; !values.empty() && at < values.front().size(); ++at) {
    const std::string characters = CharactersLike(values, at);
    if (codes.size() * characters.size() > most)
      return Error{
          ErrorCode::kUsage,
          fmt::format("there are more than {} codes of this form; list those that exist, which is public, in a "
                      "file with one on each line, and build from that",
                      most)};
    std::vector<std::string> longer;
    for (const std::string& code : codes)
      for (const char c : characters) longer.push_back(code + c);
    codes = std::move(longer);
  }
  return codes;
}

Result<std::string> BuildDateTaxonomy(std::string_view first, std::string_view last,
                                      std::span<const std::string> steps) {
  PENTIMENTO_ASSIGN(const std::vector<std::size_t> numbers, ReadSteps(steps));
  const std::optional<Day> from = ParseDay(first), to = ParseDay(last);
  if (!from || !to || *from > *to || *to - *from >= kMostDays)
    return Error{ErrorCode::kUsage,
                 fmt::format("--domain takes two days for --dates, the earlier first, and not more than {} days: "
                             "--domain 2020-01-01,2026-12-31",
                             kMostDays)};
  std::string text;
  for (Day day = *from; day <= *to; ++day) {
    const Date date = DateOf(day);
    std::vector<std::string> labels = {WriteDay(day)};
    for (const std::size_t step : numbers) labels.push_back(LabelOf(date, step));
    labels.emplace_back(kPublishedRoot);
    text += WriteArxLine({labels.begin(), labels.end()});
  }
  return text;
}

}  // namespace pentimento
