#include "engine/audit/linked_people.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/blanks.h"
#include "base/date.h"
#include "base/decimal.h"
#include "base/parallel.h"
#include "base/parallel_sort.h"
#include "base/plural.h"
#include "base/suggest.h"
#include "files/table_file.h"
#include "policy/policy.h"

namespace pentimento {
namespace {

// Sets of classes that grow together.
class ClassSets {
 public:
  explicit ClassSets(std::size_t classes) : parent_(classes) { std::iota(parent_.begin(), parent_.end(), 0U); }
  ClassNumber Find(ClassNumber number) {
    while (parent_[number] != number) number = parent_[number] = parent_[parent_[number]];
    return number;
  }
  void Unite(ClassNumber a, ClassNumber b) {
    a = Find(a);
    b = Find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  // From 0 on, in the order of their first classes.
  std::vector<ClassNumber> Number(std::uint32_t& count) {
    std::vector<ClassNumber> number(parent_.size());
    count = 0;
    for (ClassNumber c = 0; c < parent_.size(); ++c) number[c] = Find(c) == c ? count++ : number[Find(c)];
    return number;
  }

 private:
  std::vector<ClassNumber> parent_;
};

// Bags of classes that became one.
ValueBags MergeBags(const ValueBags& bags, std::span<const ClassNumber> of_class, std::uint32_t count) {
  if (of_class.size() == count) return bags;  // numbered as they were
  std::vector<std::map<std::uint32_t, std::uint32_t>> merged(count);
  for (ClassNumber c = 0; c < of_class.size(); ++c) {
    const auto values = bags.values_of(c);
    const auto counts = bags.counts_of(c);
    for (std::size_t i = 0; i < values.size(); ++i) merged[of_class[c]][values[i]] += counts[i];
  }
  ValueBags result{bags.column, {0}, {}, {}};
  for (const auto& bag : merged) {
    for (const auto& [value, times] : bag) {
      result.value.push_back(value);
      result.count.push_back(times);
    }
    result.begin.push_back(static_cast<std::uint32_t>(result.value.size()));
  }
  return result;
}

CommonRelease BeginCommon(const AuditedRelease& release, std::span<const ClassNumber> of_class, std::uint32_t count) {
  CommonRelease common;
  common.name = release.name;
  common.rows.assign(count, 0);
  for (ClassNumber c = 0; c < of_class.size(); ++c) common.rows[of_class[c]] += release.rows_of_class[c];
  for (const ValueBags& bags : release.values) common.values.push_back(MergeBags(bags, of_class, count));
  return common;
}

// The people whose quasi-identifiers are values of all columns of a release.
struct PeopleOfDomain {
  std::vector<std::uint32_t> number;  // of these people among all
  std::vector<Interval> boxes;        // one after the other
};

PeopleOfDomain BoxesOfPeople(const AuditedReleases& audited, const AuditedRelease& release, const PeopleTexts& people) {
  std::vector<const AuditedReleases::PeopleCodes*> columns;
  for (const std::size_t domain : release.domain_of)
    columns.push_back(&*std::ranges::find(audited.people, domain, &AuditedReleases::PeopleCodes::domain));
  std::vector<std::uint8_t> has_all(people.table.rows, 1);
  std::vector<Interval> all(people.table.rows * columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    people.table.columns[columns[c]->column].codes.Visit([&](auto codes) {
      ParallelFor(codes.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
          const std::optional<Code> code = columns[c]->of_code[codes[p]];
          if (!code) has_all[p] = 0;
          all[p * columns.size() + c] = {code.value_or(0), code.value_or(0)};
        }
      });
    });
  }
  PeopleOfDomain known;
  known.number.reserve(people.table.rows);
  for (std::uint32_t p = 0; p < people.table.rows; ++p) {
    if (has_all[p] == 0) continue;
    if (known.number.size() != p)
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(p * columns.size()), columns.size(),
                  all.begin() + static_cast<std::ptrdiff_t>(known.number.size() * columns.size()));
    known.number.push_back(p);
  }
  all.resize(known.number.size() * columns.size());
  known.boxes = std::move(all);
  return known;
}

// Leaves only those whom some box covers.
void KeepCovered(const Seating& seating, std::size_t columns, PeopleOfDomain& people) {
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < people.number.size(); ++i) {
    if (seating.ClassesOf(i).empty()) continue;
    people.number[kept] = people.number[i];
    std::copy_n(people.boxes.begin() + static_cast<std::ptrdiff_t>(i * columns), columns,
                people.boxes.begin() + static_cast<std::ptrdiff_t>(kept * columns));
    ++kept;
  }
  people.number.resize(kept);
  people.boxes.resize(kept * columns);
}

class PeopleLinker {
 public:
  PeopleLinker(const AuditedReleases& audited, const PeopleTexts& people) : audited_(audited), people_(people) {
    linked_.by = LinkedBy::kPeople;
    linked_.ids = people.table.id_of_row;
    linked_.common.people = static_cast<std::uint32_t>(people.table.rows);
  }

  Result<LinkedPeople> Run() && {
    for (std::size_t i = 0; i < audited_.releases.size(); ++i) {
      Link(i);
      PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    }
    return std::move(linked_);
  }

 private:
  void LeaveOut(std::size_t i, std::string why) { linked_.left_out.push_back({i, std::move(why)}); }

  void Link(std::size_t i) {
    const AuditedRelease& release = audited_.releases[i];
    if (release.units.columns == 0) return LeaveOut(i, "it has no quasi-identifiers");
    PeopleOfDomain known = BoxesOfPeople(audited_, release, people_);
    SeatedRelease seated{.audited = i};
    Seating seating = SeatPeople({release.units, release.rows_of_unit, known.boxes, false, false});
    if (seating.outcome == SeatingOutcome::kTooManyPairs)
      return LeaveOut(i, "its boxes overlap so much that nobody looked who can be in which");
    const std::size_t found = known.number.size();
    KeepCovered(seating, release.units.columns, known);
    seated.in_no_box = linked_.common.people - known.number.size();
    seated.in_several_boxes = seating.in_several_boxes;
    if (seating.in_several_boxes > 0) {
      const bool all_are_in = known.number.size() == release.rows;
      seating = SeatPeople({release.units, release.rows_of_unit, known.boxes, all_are_in, all_are_in});
      seated.narrowed = seating.narrowed;
      seated.forced = seating.forced;
      if (seating.narrowed_witness)
        seated.narrowed_class = release.class_of_unit[seating.ClassesOf(*seating.narrowed_witness).front()];
    } else if (known.number.size() != found) {
      seating = SeatPeople({release.units, release.rows_of_unit, known.boxes, false, false});
    }
    seated.is_exact = known.number.size() == release.rows && seating.outcome == SeatingOutcome::kSeated;
    linked_.seated.push_back(seated);
    Put(i, release, known, seating);
  }

  void Put(std::size_t i, const AuditedRelease& release, const PeopleOfDomain& known, const Seating& seating) {
    ClassSets sets(release.classes());
    for (std::size_t profile = 0; profile + 1 < seating.begin.size(); ++profile) {
      for (std::uint64_t j = seating.begin[profile] + 1; j < seating.begin[profile + 1]; ++j)
        sets.Unite(release.class_of_unit[seating.possible[j - 1]], release.class_of_unit[seating.possible[j]]);
    }
    std::uint32_t count = 0;
    LinkedRelease link{.audited = i, .of_class = sets.Number(count)};
    CommonRelease common = BeginCommon(release, link.of_class, count);
    std::vector<std::uint32_t> covered(count);
    common.class_of.assign(linked_.common.people, kNotInRelease);
    common.covering.assign(linked_.common.people, kNotInRelease);
    for (std::uint32_t p = 0; p < known.number.size(); ++p) {
      const ClassNumber number = link.of_class[release.class_of_unit[seating.ClassesOf(p).front()]];
      common.covering[known.number[p]] = number;
      ++covered[number];
    }
    std::uint64_t strangers = 0;
    for (ClassNumber c = 0; c < count; ++c) strangers += common.rows[c] > covered[c] ? common.rows[c] - covered[c] : 0;
    if (strangers > 0) {
      return LeaveOut(i, fmt::format("{} of its {} rows {} about nobody in --people, who must be everybody: nobody can "
                                     "tell who else is in which class",
                                     strangers, release.rows, Plural(strangers, "is", "are")));
    }
    for (const std::uint32_t person : known.number) {
      const ClassNumber number = common.covering[person];
      const bool is_in = covered[number] == common.rows[number];
      if (is_in) common.class_of[person] = number;
      link.uncertain += is_in ? 0 : 1;
    }
    linked_.common.releases.push_back(std::move(common));
    linked_.releases.push_back(std::move(link));
  }

  const AuditedReleases& audited_;
  const PeopleTexts& people_;
  LinkedPeople linked_;
};

LinkedPeople LinkGroup(const AuditedReleases& audited, const std::vector<std::size_t>& group) {
  LinkedPeople linked{.by = LinkedBy::kKey, .common = {}, .releases = {}, .left_out = {}, .seated = {}, .ids = {}};
  for (const std::size_t i : group) {
    const auto& keys = audited.releases[i].key_of_row;
    linked.ids.insert(linked.ids.end(), keys.begin(), keys.end());
  }
  ParallelSort(linked.ids.begin(), linked.ids.end(), std::less<>());
  linked.ids.erase(std::unique(linked.ids.begin(), linked.ids.end()), linked.ids.end());
  linked.common.people = static_cast<std::uint32_t>(linked.ids.size());
  for (const std::size_t i : group) {
    const AuditedRelease& release = audited.releases[i];
    std::vector<ClassNumber> each(release.classes());
    std::iota(each.begin(), each.end(), 0U);
    CommonRelease common = BeginCommon(release, each, release.classes());
    common.class_of.assign(linked.common.people, kNotInRelease);
    bool is_twice = false;
    for (std::size_t row = 0; row < release.rows; ++row) {
      const auto place = std::ranges::lower_bound(linked.ids, release.key_of_row[row]) - linked.ids.begin();
      ClassNumber& number = common.class_of[static_cast<std::size_t>(place)];
      is_twice |= number != kNotInRelease;
      number = release.class_of_row(row);
    }
    if (is_twice) {
      linked.left_out.push_back({i, "a key is in several of its rows, so nobody can tell its class"});
      continue;
    }
    linked.common.releases.push_back(std::move(common));
    linked.releases.push_back({.audited = i, .of_class = std::move(each)});
  }
  return linked;
}

Status RequirePeopleColumns(const TableFile& file, const std::vector<std::string>& names) {
  PENTIMENTO_ASSIGN(const std::vector<std::string> header, ReadColumnNames(file));
  for (const std::string& name : names) {
    if (std::ranges::find(header, name) != header.end()) continue;
    return Error{ErrorCode::kBadInput,
                 fmt::format("{}: there is no column '{}'; --people needs everybody's quasi-identifiers, all that one "
                             "of the releases shows.{}",
                             file.name, name, DidYouMean(name, header))};
  }
  return {};
}

// Somebody listed twice with the same quasi-identifiers is one person; with different ones nobody knows which are
// right.
Status UniteRepeated(const std::filesystem::path& file, PeopleTexts& people) {
  PublishedTable& table = people.table;
  std::vector<std::uint32_t> order(table.rows);
  std::iota(order.begin(), order.end(), 0U);
  ParallelSort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return table.id_of_row[a] != table.id_of_row[b] ? table.id_of_row[a] < table.id_of_row[b] : a < b;
  });
  std::vector<bool> is_repeated(table.rows);
  std::size_t repeated = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (table.id_of_row[order[i]] != table.id_of_row[order[i - 1]]) continue;
    for (const ValueColumn& column : table.columns) {
      if (column.codes[order[i]] == column.codes[order[i - 1]]) continue;
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: row {} (the header not counted) is about a person of an earlier row, with another "
                               "'{}'; list each person once",
                               file.string(), std::max(order[i], order[i - 1]) + 1, column.name)};
    }
    is_repeated[order[i]] = true;
    ++repeated;
  }
  if (repeated == 0) return {};
  for (ValueColumn& column : table.columns) {
    CodeColumn kept(column.values.size(), table.rows - repeated);
    std::size_t next = 0;
    for (std::size_t row = 0; row < table.rows; ++row) {
      if (!is_repeated[row]) kept.Set(next++, column.codes[row]);
    }
    column.codes = std::move(kept);
  }
  std::size_t next = 0;
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (!is_repeated[row]) table.id_of_row[next++] = table.id_of_row[row];
  }
  table.id_of_row.resize(next);
  table.rows = next;
  table.rows_after_file.back() = next;
  return {};
}

// Cells of the private table as published tables would write them: days as ISO 8601 has them, and numbers with a point.
// A cell that is no day or number stays as it is, and means nothing to the releases.
std::string InPublishedForm(const std::string& text, const ColumnPolicy& column, char decimal_point) {
  const std::string_view cell = WithoutBlanks(text);
  if (column.dates) {
    const DateForm::Reading day = column.dates->form.Read(cell);
    return day.fault == DateForm::Fault::kNone ? WriteDay(day.day) : text;
  }
  if (!column.domain || decimal_point == '.') return text;
  std::string with_point(cell);
  std::ranges::replace(with_point, decimal_point, '.');
  return cell.find('.') == cell.npos && ParseDecimal(with_point) ? with_point : text;
}

void WriteAsPublished(const Policy& policy, PeopleTexts& people) {
  for (std::size_t c = 0; c < people.names.size(); ++c) {
    const auto column = std::ranges::find(policy.columns, people.names[c], &ColumnPolicy::name);
    ValueColumn& values = people.table.columns[c];
    if (column == policy.columns.end() || !values.type.is_text()) continue;
    for (std::string& text : values.values) text = InPublishedForm(text, *column, policy.decimal_point);
  }
}

}  // namespace

bool LinkedPeople::is_exact() const {
  return std::ranges::all_of(releases, [](const LinkedRelease& release) { return release.uncertain == 0; });
}

Result<LinkedPeople> LinkByPeople(const AuditedReleases& audited, const PeopleTexts& people) {
  return PeopleLinker(audited, people).Run();
}

std::vector<LinkedPeople> LinkByKeys(const AuditedReleases& audited, bool has_key_column) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < audited.releases.size(); ++i) {
    const AuditedRelease& release = audited.releases[i];
    if (release.key_of_row.empty()) continue;
    groups[has_key_column || !release.series ? "" : release.series->name].push_back(i);
  }
  std::vector<LinkedPeople> linked;
  for (const auto& [name, group] : groups) {
    LinkedPeople one = LinkGroup(audited, group);
    if (!one.releases.empty()) linked.push_back(std::move(one));
  }
  return linked;
}

Result<PeopleTexts> ReadPeopleFile(const std::filesystem::path& file, const std::filesystem::path& policy,
                                   std::vector<std::string> names, Progress* progress) {
  PENTIMENTO_ASSIGN(const Policy described, ReadPolicy(policy, PolicyUse::kStream));
  std::string id;
  for (const ColumnPolicy& column : described.columns) {
    if (column.role == Role::kId) id = column.name;
  }
  if (id.empty())
    return PolicyError(described, {}, "--as needs the policy that says which column names a person: role = \"id\"");
  PeopleTexts people{.table = {}, .names = std::move(names), .missing = described.missing};
  std::vector<std::string> wanted = people.names;
  wanted.push_back(id);
  const TableFile table(file, described.text_setting);
  PENTIMENTO_RETURN_IF_ERROR(RequirePeopleColumns(table, wanted));
  const bool trims = described.trim != TrimRule::kNone;
  PENTIMENTO_ASSIGN(people.table, ReadTableFiles({table}, {people.names, {}, id, trims, trims}, progress));
  WriteAsPublished(described, people);
  PENTIMENTO_RETURN_IF_ERROR(UniteRepeated(file, people));
  return people;
}

}  // namespace pentimento
