#include "engine/init/suggest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/date.h"
#include "base/decimal.h"
#include "base/fold_case.h"
#include "base/plural.h"
#include "fmt/core.h"
#include "taxonomy/arx_text.h"
#include "taxonomy/build.h"
#include "taxonomy/build_tree.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

constexpr std::uint64_t kFewRows = 20;       // below, that all values differ says little
constexpr std::uint64_t kManyRows = 1000;    // from here on, numbers that all differ are names
constexpr std::uint64_t kFewValues = 20;     // are categories in any table
constexpr std::uint64_t kMostValues = 500;   // that somebody could look through
constexpr std::uint64_t kRowsPerValue = 5;   // of categories
constexpr std::size_t kLongestLabel = 80;    // of a category, in bytes
constexpr int kMostDecimals = 6;             // that are worth a code
constexpr std::size_t kMostCodes = 100'000;  // of a form of codes, to be listed whole
constexpr std::int64_t kLargest = 1'000'000'000'000'000;

bool HasDates(const ColumnSurvey& column) { return !column.shape.DateForms().empty() && !column.is_zoned; }

// Digits that are no quantity: with zeros in front.
bool HasCodes(const ColumnSurvey& column) { return column.shape.is_code() && column.shape.has_leading_zeros(); }

bool HasNumbers(const ColumnSurvey& column) {
  const TextShape& shape = column.shape;
  return shape.IsNumeric(column.point) && (column.is_number || !shape.has_leading_zeros());
}

// Numbers that cannot be read as such, because those of other columns are written otherwise.
bool HasOtherPoint(const ColumnSurvey& column) {
  return column.shape.decimals() > 0 && !column.shape.IsNumeric(column.point) &&
         column.shape.IsNumeric(column.point == ',' ? '.' : ',');
}

bool HasWholeNumbers(const ColumnSurvey& column) { return HasNumbers(column) && column.shape.decimals() == 0; }

// Nearly every row has another value.
bool IsNearlyUnique(const ColumnSurvey& column) {
  const std::uint64_t percent = column.is_listed ? 95 : 90;  // where the number of values is an estimate
  return column.shape.present() >= kFewRows && 100 * column.distinct >= percent * column.shape.present();
}

bool CouldNameRows(const ColumnSurvey& column) {
  if (column.fault != ColumnFault::kNone || !IsNearlyUnique(column) || column.is_time || HasDates(column)) return false;
  if (HasOtherPoint(column) || (HasNumbers(column) && !HasWholeNumbers(column))) return false;
  const bool are_quantities = HasWholeNumbers(column) && !column.shape.is_code() && column.shape.present() < kManyRows;
  return !are_quantities;
}

bool IsWord(const ColumnSurvey& column) { return !column.shape.has_words() && column.shape.longest() <= kLongestLabel; }

bool IsNamedLikeAnId(const std::string& name) {
  static const std::set<std::string> kNames = {"id", "pid", "uid", "ssn", "person", "patient"};
  const std::string folded = FoldCase(name);
  if (kNames.contains(folded)) return true;
  for (const std::string_view end : {"_id", "-id", " id", "_nr", "_no", "_number"})
    if (folded.ends_with(end)) return true;
  return name.size() > 2 && (name.ends_with("Id") || name.ends_with("ID"));
}

bool IsNamedLikeACode(const std::string& name) {
  const std::string folded = FoldCase(name);
  for (const std::string_view part : {"zip", "plz", "postal", "postcode", "post_code"})
    if (folded.find(part) != folded.npos) return true;
  return false;
}

const ColumnHint* HintOf(const ColumnHints& hints, const ColumnSurvey& column) {
  const auto found = hints.find(column.name);
  return found == hints.end() ? nullptr : &found->second;
}

// Its place; nothing where no column tells who a row is about.
std::optional<std::size_t> FindId(const TableSurvey& table, const ColumnHints& hints) {
  std::optional<std::size_t> unique, named;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ColumnSurvey& column = table.columns[i];
    const ColumnHint* hint = HintOf(hints, column);
    if (hint != nullptr && hint->kind != ColumnHint::Kind::kUnknown && hint->kind != ColumnHint::Kind::kIdentifying)
      continue;
    if (column.fault != ColumnFault::kNone || !IsWord(column)) continue;
    const bool is_named = IsNamedLikeAnId(column.name);
    if (CouldNameRows(column) && is_named) return i;
    if (CouldNameRows(column) && !unique) unique = i;
    const bool repeats = column.shape.present() >= kFewRows && 10 * column.distinct >= column.shape.present();
    if (is_named && repeats && !HasDates(column) && !named) named = i;
  }
  return named ? named : unique;
}

std::string AboutMissing(const ColumnSurvey& column) {
  std::uint64_t missing = 0;
  for (const auto& [text, rows] : column.shape.missing_texts()) missing += rows;
  return missing == 0 ? "" : fmt::format("; {} missing", WithCommas(missing));
}

// "whole numbers: 73 different, 2 of them once; 5 missing"
std::string Described(const ColumnSurvey& column) {
  if (column.fault == ColumnFault::kNoText) return "neither texts nor plain numbers";
  if (column.shape.present() == 0) return "no cell has a value";
  std::string words = fmt::format("{}: {}{} different", LooksLike(column), column.is_listed ? "" : "about ",
                                  WithCommas(column.distinct));
  if (column.is_listed && column.once > 0) words += fmt::format(", {} of them once", WithCommas(column.once));
  return words + AboutMissing(column);
}

std::int64_t FloorOf(Decimal number) {
  std::int64_t units = number.units;
  bool has_rest = false;
  for (int i = 0; i < number.scale; ++i) {
    has_rest |= units % 10 != 0;
    units /= 10;
  }
  return has_rest && number.units < 0 ? units - 1 : units;
}

std::int64_t CeilingOf(Decimal number) { return -FloorOf({-number.units, number.scale}); }

// The smallest of 1, 2, 5, 10, 20, 50, ... that is not below.
std::int64_t NiceAbove(std::int64_t number) {
  std::int64_t nice = 1;
  for (std::size_t i = 0; nice < number; ++i) nice = i % 3 == 1 ? nice / 2 * 5 : nice * 2;
  return nice;
}

std::int64_t FloorTo(std::int64_t number, std::int64_t step) {
  const std::int64_t rest = number % step;
  return number - (rest < 0 ? rest + step : rest);
}

// ---- what a column may be ----

void LeaveOut(Suggestion& made, std::string why) { made.remarks.push_back("Left out: " + std::move(why)); }

void SuggestNumbers(const ColumnSurvey& column, Suggestion& made) {
  const std::int64_t floor = FloorOf(column.shape.smallest()), ceiling = CeilingOf(column.shape.largest());
  if (floor < -kLargest || ceiling > kLargest)
    return LeaveOut(made, "the numbers are too large for a domain; publish them in larger units");
  const auto [lo, hi] = RoundedOutwards(floor, ceiling);
  made.role = SuggestedRole::kQuasiIdentifier;
  made.keys = fmt::format(", domain = [{}, {}]", lo, hi);
  made.remarks.push_back(
      "The domain becomes public: its ends are not those of the table. It has to hold later tables, too.");
  int decimals = std::min(column.shape.decimals(), kMostDecimals);
  std::int64_t width = hi - lo;
  for (int i = 0; i < decimals; ++i)
    if (__builtin_mul_overflow(width, 10, &width)) decimals = i;
  if (decimals == 0) return;
  made.keys += fmt::format(", decimals = {}", decimals);
  if (decimals < column.shape.decimals())
    made.remarks.push_back(fmt::format("Cells have up to {} decimals, and are rounded.", column.shape.decimals()));
}

// Whole decades, so that the ends tell no date of the table.
void SuggestDates(const ColumnSurvey& column, Suggestion& made) {
  const Date first{.year = std::max(column.shape.first_year() / 10 * 10, 1)};
  const Date last{.year = std::min(column.shape.last_year() / 10 * 10 + 9, 9999), .month = 12, .day = 31};
  if (DayOf(last).value() - DayOf(first).value() >= kMostDays)
    return LeaveOut(made,
                    "its dates are centuries apart. Is one of them a mark of what is not known? List it under [input] "
                    "missing, and give the column a domain of dates.");
  const std::vector<std::size_t> forms = column.shape.DateForms();
  made.role = SuggestedRole::kQuasiIdentifier;
  made.keys = fmt::format(", domain = [{}, {}]", WriteDay(DayOf(first).value()), WriteDay(DayOf(last).value()));
  if (forms.front() != 0) made.keys += fmt::format(", date = \"{}\"", UsualDateForms()[forms.front()]);
  if (forms.size() > 1)
    made.remarks.push_back(fmt::format("Its dates may also be of the form {}: no day is above 12. Which is it?",
                                       UsualDateForms()[forms[1]]));
  made.remarks.push_back(
      "The domain becomes public: its ends are not those of the table. It has to hold later tables, too.");
}

std::uint64_t CountOnce(const ColumnSurvey& column) { return column.once; }

void SayPublic(const ColumnSurvey& column, Suggestion& made) {
  made.leaves_once = CountOnce(column);
  std::string words = "The values in its taxonomy become public.";
  if (made.leaves_once > 0)
    words += fmt::format(" {} of them {} once in this table: may everybody know {}?", WithCommas(made.leaves_once),
                         Plural(made.leaves_once, "occurs", "occur"), Plural(made.leaves_once, "it", "them"));
  made.remarks.push_back(std::move(words));
}

// Of texts that differ in their case alone, the one that occurs most often.
std::vector<std::string> OneForEachCase(const ColumnSurvey& column) {
  std::map<std::string, const ValueCount*> chosen;
  for (const ValueCount& value : column.values) {
    const ValueCount*& best = chosen[FoldCase(value.text)];
    if (best == nullptr || value.rows > best->rows) best = &value;
  }
  std::vector<std::string> values;
  for (const auto& [folded, value] : chosen) values.push_back(value->text);
  std::ranges::sort(values);
  return values;
}

void SuggestCategories(const ColumnSurvey& column, Suggestion& made) {
  const std::vector<std::string> values = OneForEachCase(column);
  Result<std::string> flat = BuildFlatTaxonomy(values);
  if (!flat.ok())
    return LeaveOut(made, "it holds a text that cannot be the label of a taxonomy, such as '*' or one with a '{'.");
  made.role = SuggestedRole::kQuasiIdentifier;
  made.taxonomy = std::move(flat).value();
  if (values.size() < column.values.size()) {
    made.keys += ", fold_case = true";
    made.remarks.emplace_back("Values that differ in their case alone count as one.");
  }
  SayPublic(column, made);
  if (values.size() > 2)
    made.remarks.emplace_back(
        "The taxonomy is flat: a value is published as it is or as '*'. With levels between them less is lost.");
}

void SuggestCodes(const ColumnSurvey& column, Suggestion& made) {
  std::vector<std::string> values;
  for (const ValueCount& value : column.values) values.push_back(value.text);
  const Result<std::vector<std::string>> all = AllCodesLike(values, kMostCodes);
  Result<std::string> text = BuildPrefixTaxonomy(all.ok() ? *all : values);
  if (!text.ok()) return LeaveOut(made, "its codes make no taxonomy.");
  made.role = SuggestedRole::kQuasiIdentifier;
  made.taxonomy = std::move(text).value();
  if (all.ok()) {
    made.remarks.emplace_back("Its taxonomy has all codes of this form, so it does not tell which occur.");
  } else {
    SayPublic(column, made);
  }
}

void SuggestText(const ColumnSurvey& column, Suggestion& made) {
  const bool is_code = column.shape.is_code() && column.is_listed;
  if (is_code && (HasCodes(column) || IsNamedLikeACode(column.name)) && !IsNearlyUnique(column))
    return SuggestCodes(column, made);
  const bool are_few = column.distinct <= kFewValues ||
                       (column.distinct <= kMostValues && column.distinct * kRowsPerValue <= column.shape.present());
  if (IsNearlyUnique(column))
    return LeaveOut(made,
                    "nearly every row has another text, as names and remarks have. Whoever knows one finds the row.");
  if (!column.is_listed || !are_few || column.shape.longest() > kLongestLabel)
    return LeaveOut(made,
                    "it has too many different texts, or too long ones. A quasi-identifier of them needs a taxonomy: "
                    "'pentimento taxonomy build' makes one of columns for city, region and country, or of codes.");
  SuggestCategories(column, made);
}

// The taxonomy that somebody made elsewhere, with the values that it lacks.
void TakeTaxonomy(const ColumnSurvey& column, const ColumnHint& hint, Suggestion& made) {
  std::vector<std::string> values;
  std::uint64_t once = 0;
  for (const ValueCount& value : column.values) {
    if (hint.taxonomy->FindLeaf(value.text)) continue;
    values.push_back(value.text);
    once += value.rows == 1 ? 1 : 0;
  }
  Result<Taxonomy> grown = WithLeaves(*hint.taxonomy, values);
  if (!grown.ok())
    return LeaveOut(made, fmt::format("it holds texts that are no leaves of the taxonomy of {}.", hint.from));
  made.role = SuggestedRole::kQuasiIdentifier;
  made.taxonomy = PaddedText(*grown);
  made.leaves_once = once;
  made.remarks.push_back(fmt::format("The taxonomy is that of {}; it becomes public.", hint.from));
  if (!values.empty())
    made.remarks.push_back(
        fmt::format("{} {} of the table {} not in it, and {} been put right below its root: look for '{}' there.",
                    WithCommas(values.size()), Plural(values.size(), "value", "values"),
                    Plural(values.size(), "is", "are"), Plural(values.size(), "has", "have"), ";*"));
}

void SuggestByCells(const ColumnSurvey& column, const ColumnHint* hint, Suggestion& made) {
  if (hint != nullptr && hint->taxonomy && column.is_listed) return TakeTaxonomy(column, *hint, made);
  if (HasOtherPoint(column))
    return LeaveOut(made,
                    "its numbers have another decimal point than those of other columns. Write all with the same.");
  if (CouldNameRows(column) && HasWholeNumbers(column))
    return LeaveOut(made, "nearly every row has another number, as names have. Whoever knows one finds the row.");
  const bool is_zip = column.shape.is_code() && IsNamedLikeACode(column.name) && column.is_listed;
  if (HasNumbers(column) && !is_zip) return SuggestNumbers(column, made);
  SuggestText(column, made);
}

void SuggestByHint(const ColumnHint& hint, Suggestion& made) {
  switch (hint.kind) {
    case ColumnHint::Kind::kIdentifying:
      return LeaveOut(made, fmt::format("it is identifying, {} says.", hint.from));
    case ColumnHint::Kind::kSensitive:
      made.role = SuggestedRole::kSensitive;
      made.remarks.push_back(fmt::format(
          "Sensitive, {} says: it is published as it is. k-anonymity does not limit it; alpha-k-anonymity does.",
          hint.from));
      return;
    default:
      return LeaveOut(made, fmt::format("it is insensitive, {} says, and would be published as it is. The role "
                                        "\"keep\" does that.",
                                        hint.from));
  }
}

Suggestion Suggest(const ColumnSurvey& column, const ColumnHint* hint, bool is_id) {
  using Kind = ColumnHint::Kind;
  Suggestion made;
  made.looks_like = LooksLike(column);
  if (column.fault == ColumnFault::kNoName) return LeaveOut(made, "it has no name. Give it one in the table."), made;
  if (column.fault == ColumnFault::kNameTwice)
    return LeaveOut(made, "another column has the same name. Rename one of them in the table."), made;
  made.remarks.push_back(Described(column) + ".");
  if (column.fault == ColumnFault::kNoText) return LeaveOut(made, "convert it to texts or numbers first."), made;
  if (hint != nullptr && !hint->fault.empty()) made.remarks.push_back(hint->fault);
  if (hint != nullptr && hint->is_target)
    made.remarks.push_back(
        fmt::format("It is what {} predicts. The role \"class\" publishes it as it is.", hint->from));
  if (is_id) {
    made.role = SuggestedRole::kId;
    made.remarks.emplace_back(
        "Does it tell who a row is about? It is never published; later releases know people by it.");
    return made;
  }
  if (hint != nullptr && hint->kind != Kind::kUnknown && hint->kind != Kind::kQuasiIdentifying) {
    SuggestByHint(*hint, made);
    return made;
  }
  const bool has_taxonomy = hint != nullptr && hint->taxonomy.has_value();
  if (column.shape.present() == 0)
    LeaveOut(made, "there is nothing to publish.");
  else if (column.distinct == 1 && !has_taxonomy)
    LeaveOut(made, "it is the same in every row.");
  else if (HasDates(column) && !has_taxonomy)
    SuggestDates(column, made);
  else if (column.is_time && !HasDates(column))
    LeaveOut(made,
             "times recognize people, and no guarantee knows them. Make a column of dates or hours in the table.");
  else
    SuggestByCells(column, hint, made);
  return made;
}

}  // namespace

std::string LooksLike(const ColumnSurvey& column) {
  if (column.fault == ColumnFault::kNoText) return "unreadable";
  if (column.fault != ColumnFault::kNone) return "not looked at";
  if (column.shape.present() == 0) return "nothing";
  if (HasDates(column)) return "dates";
  if (column.is_time) return "times";
  if (HasNumbers(column)) return column.shape.decimals() == 0 ? "whole numbers" : "numbers";
  return HasCodes(column) ? "codes" : "text";
}

std::vector<Suggestion> SuggestRoles(const TableSurvey& table, const ColumnHints& hints) {
  const std::optional<std::size_t> id = FindId(table, hints);
  std::vector<Suggestion> made;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    made.push_back(Suggest(table.columns[i], HintOf(hints, table.columns[i]), id == i));
  return made;
}

std::pair<std::int64_t, std::int64_t> RoundedOutwards(std::int64_t smallest, std::int64_t largest) {
  const std::int64_t width = std::max<std::int64_t>(1, largest - smallest);
  const bool begins_near_zero = smallest >= 0 && smallest <= 2 * width;
  if (begins_near_zero) return {0, NiceAbove(std::max<std::int64_t>(1, largest))};
  if (smallest < 0 && largest >= 0) return {-NiceAbove(-smallest), NiceAbove(std::max<std::int64_t>(1, largest))};
  const std::int64_t step = std::max<std::int64_t>(1, NiceAbove(width) / 10);
  return {FloorTo(smallest, step), FloorTo(largest, step) + step};
}

}  // namespace pentimento
