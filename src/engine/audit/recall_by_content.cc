#include "engine/audit/recall_by_content.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "engine/audit/linked_people.h"
#include "engine/steps/own_classes.h"
#include "engine/steps/release_run.h"
#include "files/table_file.h"

namespace pentimento {
namespace {

// The quasi-identifiers of the table as texts, like everybody's in an audit.
PeopleTexts TextsOfTable(const BoundPolicy& bound, const EncodedInput& input) {
  constexpr Code kUnused = 0xffffffff;
  PeopleTexts people{.table = {}, .names = bound.quasi_identifiers, .missing = bound.policy.missing};
  people.missing.emplace_back();
  people.table.rows = input.table.rows;
  for (std::size_t c = 0; c < input.domains.size(); ++c) {
    ValueColumn& column = people.table.columns.emplace_back();
    column.name = bound.quasi_identifiers[c];
    column.codes = CodeColumn(input.domains[c].size(), input.table.rows);
    std::vector<Code> text_of(input.domains[c].size(), kUnused);
    input.table.quasi_identifiers[c].Visit([&](auto codes) {
      for (std::size_t row = 0; row < codes.size(); ++row) {
        Code& text = text_of[codes[row]];
        if (text == kUnused) {
          text = static_cast<Code>(column.values.size());
          column.values.push_back(input.domains[c].Label({codes[row], codes[row]}));
        }
        column.codes.Set(row, text);
      }
    });
  }
  return people;
}

// By code of the table's column: the code of the same value in the release; nothing where the release does not have it.
std::vector<std::optional<Code>> CodesInRelease(const ValueColumn& column, const std::vector<std::string>& missing,
                                                const SharedValues& values) {
  std::vector<std::optional<Code>> codes;
  const std::vector<std::string> texts = CsvTexts(column);
  for (std::size_t code = 0; code < texts.size(); ++code) {
    const bool has_no_value =
        (column.null_code && *column.null_code == code) || std::ranges::find(missing, texts[code]) != missing.end();
    codes.push_back(has_no_value ? std::optional(kNoValueCode) : values.Find(column.name, texts[code]));
  }
  return codes;
}

// Whether each class has just the values of the rows of its people.
bool HasValuesOf(const ValueColumn& column, const std::vector<std::optional<Code>>& code_in_release,
                 std::span<const ClassNumber> class_of_row, const ValueBags& bags) {
  std::vector<std::pair<ClassNumber, Code>> cells;
  for (std::size_t row = 0; row < class_of_row.size(); ++row) {
    const auto code = code_in_release[column.codes[row]];
    if (!code) return false;
    cells.emplace_back(class_of_row[row], *code);
  }
  std::ranges::sort(cells);
  std::size_t at = 0;
  for (ClassNumber number = 0; number + 1 < bags.begin.size(); ++number) {
    for (std::uint32_t i = bags.begin[number]; i < bags.begin[number + 1]; ++i) {
      for (std::uint32_t times = 0; times < bags.count[i]; ++times, ++at) {
        if (at == cells.size() || cells[at] != std::pair(number, bags.value[i])) return false;
      }
    }
  }
  return at == cells.size();
}

class ContentRecall {
 public:
  ContentRecall(Ledger& ledger, const BoundPolicy& bound, const EncodedInput& input, RecalledReleases& earlier)
      : hasher_(ledger.identity_hasher()), bound_(bound), input_(input), earlier_(earlier) {}

  Status Run(const std::vector<ReleaseRecord>& records) {
    std::vector<UnknownRelease> unknown = std::exchange(earlier_.unknown, {});
    for (UnknownRelease& release : unknown) {
      const auto record = std::ranges::find_if(records, [&](const ReleaseRecord& one) {
        return one.state == ReleaseState::kPublished && one.name == release.name;
      });
      // By their ids fewer people are in both: then equal rows are others'.
      const bool are_others = release.shared && *release.shared != input_.table.rows;
      if (record == records.end() || are_others || !Tell(*record)) earlier_.unknown.push_back(std::move(release));
      PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    }
    OrderByRecord(records);
    return {};
  }

 private:
  // Those that were told last stand where they were published.
  void OrderByRecord(const std::vector<ReleaseRecord>& records) {
    std::vector<std::size_t> order;
    for (const ReleaseRecord& record : records) {
      const auto place = std::ranges::find(earlier_.about, record.name, &RecalledRelease::name);
      if (record.state == ReleaseState::kPublished && place != earlier_.about.end())
        order.push_back(static_cast<std::size_t>(place - earlier_.about.begin()));
    }
    std::vector<RecalledRelease> about;
    std::vector<CommonRelease> releases;
    for (const std::size_t place : order) {
      about.push_back(std::move(earlier_.about[place]));
      releases.push_back(std::move(earlier_.common.releases[place]));
    }
    earlier_.about = std::move(about);
    earlier_.common.releases = std::move(releases);
  }

  // Whether everybody's values of the column are known. One that this policy does not publish may be in its input.
  bool Has(const std::string& column) {
    if (std::ranges::find(people_.names, column) != people_.names.end()) return true;
    if (bound_.tables.files.empty()) return false;
    for (const TableFile& file : bound_.tables.files) {
      const auto header = ReadColumnNames(file);
      if (!header.ok() || std::ranges::count(*header, column) != 1) return false;
    }
    Result<PublishedTable> read = ReadTableFiles(bound_.tables.files, {{column}, {}, {}});
    if (!read.ok() || read->rows != input_.table.rows) return false;
    people_.names.push_back(column);
    people_.table.columns.push_back(std::move(read->columns.front()));
    return true;
  }

  // A folder that is not at hand, or not as it was published, tells nothing.
  bool Tell(const ReleaseRecord& record) {
    if (record.rows != input_.table.rows) return false;  // before anything is read
    if (people_.names.empty()) people_ = TextsOfTable(bound_, input_);
    AuditSource source{.text = record.name, .folder = record.final_path, .record = record};
    Result<Manifest> manifest = ManifestOfSource(source, "class_id");
    if (!manifest.ok() || manifest->is_changes_only()) return false;
    for (const PublishedColumn& column : manifest->quasi_identifiers) {
      if (!Has(column.name)) return false;
    }
    const Result<AuditedReleases> audited = ReadAuditedReleases({source}, {*manifest}, {}, &people_);
    if (!audited.ok()) return false;
    const AuditedRelease& release = audited->releases.front();
    if (release.rows != input_.table.rows || !release.unread.empty()) return false;
    const Result<LinkedPeople> linked = LinkByPeople(*audited, people_);
    if (!linked.ok() || linked->releases.empty() || !linked->is_exact()) return false;
    const CommonRelease& found = linked->common.releases.front();
    if (std::ranges::find(found.class_of, kNotInRelease) != found.class_of.end()) return false;
    if (!HasSameCells(found, audited->values, manifest->missing)) return false;
    Put(record, found, audited->values);
    return true;
  }

  bool HasSameCells(const CommonRelease& found, const SharedValues& values, const std::vector<std::string>& missing) {
    bool has_cells = found.classes() > 1;  // one class without cells is like anybody's
    for (const ValueColumn* column : SensitiveColumnsOf(bound_, input_)) {
      const auto bags = std::ranges::find(found.values, column->name, &ValueBags::column);
      if (bags == found.values.end()) continue;
      if (!HasValuesOf(*column, CodesInRelease(*column, missing, values), found.class_of, *bags)) return false;
      has_cells = true;
    }
    return has_cells;
  }

  void Put(const ReleaseRecord& record, const CommonRelease& found, const SharedValues& values) {
    OwnClasses classes;
    classes.rows = found.rows;
    classes.class_of.resize(found.class_of.size());
    for (std::size_t row = 0; row < found.class_of.size(); ++row)
      classes.class_of[bound_.counts_persons ? input_.person_of_row[row] : row] = found.class_of[row];
    classes.values = found.values;
    for (const ValueBags& bags : found.values) {
      std::vector<IdentityHash>& dictionary = classes.dictionaries.emplace_back(values.end(bags.column));
      dictionary[kNoValueCode] = hasher_("no value:");
      for (const auto& [text, code] : values.Of(bags.column)) dictionary[code] = HashValue(text, hasher_);
    }
    AddOwnRelease(record.name, classes, earlier_);
    earlier_.about.push_back({.name = record.name,
                              .series = {},
                              .parameters_json = record.parameters_json,
                              .shared = input_.table.rows,
                              .imported = record.imported,
                              .by_content = true});
  }

  IdentityHasher hasher_;  // of the ledger
  const BoundPolicy& bound_;
  const EncodedInput& input_;
  RecalledReleases& earlier_;
  PeopleTexts people_;
};

}  // namespace

Status RecallByContent(Ledger& ledger, const BoundPolicy& bound, const EncodedInput& input, RecalledReleases& earlier) {
  if (earlier.unknown.empty() || input.table.persons || input.domains.empty()) return {};
  if (bound.counts_persons && input.person_of_row.size() != input.table.rows) return {};
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> records, ledger.Releases());
  return ContentRecall(ledger, bound, input, earlier).Run(records);
}

}  // namespace pentimento
