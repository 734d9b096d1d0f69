#include "engine/xy/attribute_cells.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "fmt/core.h"
#include "io/cells.h"

namespace pentimento {
namespace {

constexpr const char* kDropOrRename = "drop the column, or rename it if it is something else";

// Labels of several taxonomies make one tree where of any two, one contains the other or they have nothing in common.
struct PlacedLabel {
  Interval leaves;
  std::string label;
  std::optional<std::size_t> member;  // whose label it is; nothing: of the tree that the others are compared with
};

// Two labels that overlap in part, the first such pair in the order of their leaves.
std::optional<std::pair<PlacedLabel, PlacedLabel>> FindCrossing(std::vector<PlacedLabel> labels) {
  // Outer labels before those inside them.
  std::ranges::stable_sort(labels, [](const PlacedLabel& a, const PlacedLabel& b) {
    return a.leaves.lo != b.leaves.lo ? a.leaves.lo < b.leaves.lo : a.leaves.hi > b.leaves.hi;
  });
  std::vector<const PlacedLabel*> around;
  for (const PlacedLabel& label : labels) {
    while (!around.empty() && around.back()->leaves.hi < label.leaves.lo) around.pop_back();
    if (!around.empty() && around.back()->leaves.hi < label.leaves.hi) return std::pair(*around.back(), label);
    around.push_back(&label);
  }
  return std::nullopt;
}

class AttributeEncoder {
 public:
  AttributeEncoder(const JoinAttribute& attribute, const JoinSources& sources)
      : attribute_(attribute), sources_(sources) {}

  Result<AttributeCells> Run() {
    for (const ColumnPlace place : attribute_.columns) PENTIMENTO_RETURN_IF_ERROR(ReadMember(place));
    ChooseCodes();
    for (std::size_t i = 0; i < result_.members.size(); ++i) PENTIMENTO_RETURN_IF_ERROR(EncodeMember(i));
    PENTIMENTO_RETURN_IF_ERROR(CheckNested());
    for (const AttributeMember& member : result_.members) {
      const bool matters = sources_.named.contains(member.place) || result_.members.size() > 2;
      if (matters) PENTIMENTO_RETURN_IF_ERROR(CheckToldApart(member));
    }
    result_.by_overlap = attribute_.has_numbers || HasSets();
    Recode();
    return std::move(result_);
  }

 private:
  const NamedColumn& Named(const AttributeMember& member) const { return sources_.columns.at(member.place); }
  bool IsDomain(const AttributeMember& member) const {
    return member.place.release == 0 && member.reader.form != CellForm::kTexts;
  }
  static bool IsCalendar(const AttributeMember& member) {
    return member.reader.taxonomy != nullptr && member.reader.taxonomy->calendar().has_value();
  }
  const Domain& DomainOf(const AttributeMember& member) const { return sources_.input.domains[Named(member).number]; }

  Status ReadMember(ColumnPlace place) {
    AttributeMember& member = result_.members.emplace_back();
    member.place = place;
    const NamedColumn& named = Named(member);
    member.reader.form = named.form;
    if (place.release == 0) {
      member.reader.missing = sources_.bound.policy.missing;
      const auto plan = std::ranges::find(sources_.bound.plan.columns, named.name, &ColumnPlan::name);
      member.reader.taxonomy = plan->taxonomy;
      if (IsDomain(member)) return {};
      PENTIMENTO_ASSIGN(member.labels, TextsOf(sources_.input.values[named.number]));
    } else {
      const PublishedRelease& release = sources_.earlier[place.release - 1];
      const EarlierColumn& column = release.columns[named.number];
      Check(column.was_read, "every column that takes part in a join was read");
      member.reader.missing = release.missing;
      member.reader.taxonomy = column.taxonomy;
      member.labels = column.labels;
    }
    for (std::size_t label = 0; label < member.labels.size(); ++label) {
      std::optional<CellMeaning> meaning = member.reader.Read(member.labels[label]);
      if (!meaning) return UnreadableCell(member, label);
      member.meanings.push_back(*std::move(meaning));
    }
    return {};
  }

  Result<std::vector<std::string>> TextsOf(const ValueColumn& column) const {
    std::vector<std::string> texts;
    CellScratch scratch;
    const bool has_text = column.type.is_text() || HasText(column.type);
    if (!has_text && attribute_.columns.size() > 1) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("column '{}' is in several releases, but is neither text nor a plain number here, so "
                               "it cannot be compared; convert it to text first",
                               column.name)};
    }
    for (std::size_t code = 0; code < column.values.size(); ++code) {
      const bool is_null = column.null_code == static_cast<Code>(code);
      const auto text = is_null || !has_text ? std::nullopt : CellText(column.values[code], column.type, scratch);
      texts.emplace_back(text.value_or(column.values[code]));
    }
    return texts;
  }

  void ChooseCodes() {
    std::vector<std::shared_ptr<const Taxonomy>> own;
    for (const AttributeMember& member : result_.members) own.push_back(member.reader.taxonomy);
    const AttributeMember& first = result_.members.front();
    const auto categories = std::ranges::find_if(own, [](const auto& taxonomy) { return taxonomy != nullptr; });
    if (IsDomain(first) && categories == own.begin()) {
      result_.codes = std::make_unique<CategoryCodes>(DomainOf(first), std::move(own));
    } else if (IsDomain(first)) {
      result_.codes = std::make_unique<NumberCodes>(DomainOf(first));
    } else if (categories != own.end()) {
      const std::shared_ptr<const Taxonomy> taxonomy = *categories;
      result_.codes = std::make_unique<CategoryCodes>(taxonomy, MissingTexts(), std::move(own));
    } else if (attribute_.has_numbers) {
      result_.codes = std::make_unique<NumberCodes>(AllSpans());
    } else {
      auto codes = std::make_unique<TextValueCodes>(first.labels);
      for (const AttributeMember& member : result_.members) {
        for (const std::string& label : member.labels) codes->Add(label);
      }
      result_.codes = std::move(codes);
    }
  }

  std::vector<std::string> MissingTexts() const {
    std::vector<std::string> texts;
    for (const AttributeMember& member : result_.members) {
      if (member.reader.form != CellForm::kTexts) continue;
      for (const CellMeaning& meaning : member.meanings) {
        if (meaning.kind == CellMeaning::Kind::kMissing) texts.push_back(meaning.text);
      }
    }
    return texts;
  }

  std::vector<NumberSpan> AllSpans() const {
    std::vector<NumberSpan> spans;
    for (const AttributeMember& member : result_.members) {
      for (const CellMeaning& meaning : member.meanings) {
        if (meaning.kind == CellMeaning::Kind::kNumbers) spans.push_back(meaning.span);
        if (meaning.kind != CellMeaning::Kind::kText) continue;
        if (const auto span = ReadNumberSpan(meaning.text)) spans.push_back(*span);
      }
    }
    return spans;
  }

  Status EncodeMember(std::size_t number) {
    AttributeMember& member = result_.members[number];
    // Texts keep the codes that the table was encoded with, also where two of them look the same ("" and no value).
    const bool keeps_codes = member.place.release == 0 && KeepsTextCodes();
    for (std::size_t label = 0; label < member.labels.size(); ++label) {
      if (keeps_codes) {
        member.cells.push_back({static_cast<Code>(label), static_cast<Code>(label)});
        continue;
      }
      const Result<Interval> codes = result_.codes->CodesOf(member.meanings[label], number);
      if (!codes.ok()) return NoCodes(member, label, codes.error().message);
      member.cells.push_back(*codes);
    }
    return {};
  }

  bool KeepsTextCodes() const { return dynamic_cast<const TextValueCodes*>(result_.codes.get()) != nullptr; }

  bool HasSets() const {
    bool has_sets = false;
    for (const AttributeMember& member : result_.members) {
      if (member.reader.form != CellForm::kCategories) continue;
      has_sets |= IsCalendar(member);  // runs of dates overlap in part, as sets do
      has_sets |= IsDomain(member) && sources_.bound.policy.categories == CategoryForm::kSets;
      has_sets |= std::ranges::any_of(member.labels, [](const std::string& label) { return label.starts_with('{'); });
    }
    return has_sets;
  }

  // Labels of different taxonomies must lie on one path or exclude each other; a set of labels is compared by overlap.
  Status CheckNested() const {
    const auto* codes = dynamic_cast<const CategoryCodes*>(result_.codes.get());
    if (codes == nullptr) return {};
    std::vector<PlacedLabel> labels;
    for (const Taxonomy::Node& node : codes->taxonomy().nodes()) labels.push_back({node.leaves, node.label, {}});
    for (std::size_t i = 0; i < result_.members.size(); ++i) {
      const AttributeMember& member = result_.members[i];
      if (member.reader.form != CellForm::kCategories) continue;
      for (std::size_t label = 0; label < member.labels.size(); ++label) {
        if (member.meanings[label].kind != CellMeaning::Kind::kLeaves || member.labels[label].starts_with('{') ||
            IsCalendar(member))
          continue;
        labels.push_back({member.cells[label], member.labels[label], i});
      }
    }
    const auto crossing = FindCrossing(std::move(labels));
    if (!crossing) return {};
    const auto member = crossing->second.member ? crossing->second.member : crossing->first.member;
    return Differs(result_.members[member.value()],
                   fmt::format("its taxonomy groups leaves otherwise: the labels '{}' and '{}' share some of "
                               "their leaves only",
                               crossing->first.label, crossing->second.label));
  }

  Status CheckToldApart(const AttributeMember& member) const {
    std::map<Interval, std::size_t> first_with;
    for (std::size_t label = 0; label < member.cells.size(); ++label) {
      const auto [first, is_new] = first_with.try_emplace(member.cells[label], label);
      if (is_new || member.meanings[first->second] == member.meanings[label]) continue;
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}, column '{}': {} and {} have different values there that are one value in the "
                               "column's {} elsewhere, so what x and y meet cannot be counted; {}",
                               Release(member), attribute_.name, Record(member, first->second), Record(member, label),
                               attribute_.has_numbers ? "numbers" : "taxonomy",
                               attribute_.has_numbers ? "take the column out of overlap, " + std::string(kDropOrRename)
                                                      : TakeTaxonomy(member))};
    }
    return {};
  }

  // Only a column of texts here can lack the codes that the attribute has in other releases.
  void Recode() {
    AttributeMember& member = result_.members.front();
    if (member.place.release != 0 || IsDomain(member) || KeepsTextCodes()) return;
    const CodeColumn& codes = sources_.input.values[Named(member).number].codes;
    Code largest = 0;
    for (const Interval cell : member.cells) largest = std::max(largest, cell.hi);
    auto recoded = std::make_unique<CodeColumn>(std::uint64_t{largest} + 1, codes.size());
    for (std::size_t row = 0; row < codes.size(); ++row) recoded->Set(row, member.cells[codes[row]].lo);
    result_.recoded = std::move(recoded);
  }

  std::string Release(const AttributeMember& member) const {
    return sources_.columns.ReleaseWritten(member.place.release);
  }

  std::string TakeTaxonomy(const AttributeMember& member) const {
    if (IsCalendar(member))
      return fmt::format("give the column the domain of dates that it has there, {}", kDropOrRename);
    return fmt::format("take the taxonomy of {} for this column, {}", Release(member), kDropOrRename);
  }

  // "record 3", of an earlier release; "row 3", of the table. One that holds the label.
  std::string Record(const AttributeMember& member, std::size_t label) const {
    if (member.place.release == 0) {
      const CodeColumn& codes = sources_.input.values[Named(member).number].codes;
      std::size_t row = 0;
      while (row < codes.size() && codes[row] != label) ++row;
      return fmt::format("row {}", row + 1);
    }
    const PublishedRelease& release = sources_.earlier[member.place.release - 1];
    const auto read = std::ranges::find(release.read, Named(member).number) - release.read.begin();
    std::size_t row = 0;
    while (row < release.records.size() && release.cells[row * release.read.size() + read] != label) ++row;
    return fmt::format("record {}", row < release.example.size() ? release.example[row] + 1 : 0);
  }

  Error UnreadableCell(const AttributeMember& member, std::size_t label) const {
    const bool is_set = member.labels[label].starts_with('{') && member.reader.form == CellForm::kCategories;
    return Error{ErrorCode::kBadInput,
                 fmt::format("{}, {}, column '{}': {}", Release(member), Record(member, label), attribute_.name,
                             is_set ? "the cell is a set of labels that do not lie side by side in its taxonomy, so it "
                                      "cannot be compared; put that release on record with a taxonomy in which they do"
                                    : "the cell holds a value that its taxonomy or domain does not know; the release "
                                      "was changed after it was published")};
  }

  Error Differs(const AttributeMember& member, const std::string& difference) const {
    return Error{ErrorCode::kBadInput, fmt::format("{}, column '{}': {}; {}", Release(member), attribute_.name,
                                                   difference, TakeTaxonomy(member))};
  }

  Error NoCodes(const AttributeMember& member, std::size_t label, const std::string& why) const {
    if (member.meanings[label].kind == CellMeaning::Kind::kLeaves) return Differs(member, why);
    return Error{ErrorCode::kBadInput, fmt::format("{}, {}, column '{}': {}; correct it, {}", Release(member),
                                                   Record(member, label), attribute_.name, why, kDropOrRename)};
  }

  const JoinAttribute& attribute_;
  const JoinSources& sources_;
  AttributeCells result_;
};

}  // namespace

std::optional<Interval> AttributeCells::FindValue(ColumnPlace place, const std::string& value) const {
  const auto member = std::ranges::find(members, place, &AttributeMember::place);
  Check(member != members.end(), "the column is one of the attribute");
  if (member->reader.form == CellForm::kTexts) {
    const auto label = std::ranges::find(member->labels, value);
    if (label == member->labels.end()) return std::nullopt;
    return member->cells[static_cast<std::size_t>(label - member->labels.begin())];
  }
  const auto meaning = member->reader.Read(value);
  if (!meaning) return std::nullopt;
  const Result<Interval> found = codes->CodesOf(*meaning, static_cast<std::size_t>(member - members.begin()));
  return found.ok() ? std::optional(*found) : std::nullopt;
}

Result<AttributeCells> EncodeAttribute(const JoinAttribute& attribute, const JoinSources& sources) {
  return AttributeEncoder(attribute, sources).Run();
}

}  // namespace pentimento
