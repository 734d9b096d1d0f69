#include "engine/audit/audited_release.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/decimal.h"
#include "engine/published/datapackage.h"
#include "engine/published/published_cells.h"
#include "engine/steps/own_classes.h"
#include "files/table_file.h"
#include "nlohmann/json.hpp"
#include "table/combinations.h"

namespace pentimento {
namespace {

// A release as it is written, before codes are shared.
struct WrittenRelease {
  const Manifest& manifest;
  PublishedTable table;  // quasi-identifiers, then group_id, then the key; then sensitive columns of one table
  std::size_t group_column = SIZE_MAX;
  std::size_t key_column = SIZE_MAX;
  // Of two tables.
  std::vector<std::uint32_t> class_of_row;
  std::uint32_t classes = 0;
  struct Entries {
    SensitiveEntries read;
    std::vector<std::uint32_t> class_of_entry;
  };
  std::vector<Entries> entries;

  std::size_t columns() const { return manifest.quasi_identifiers.size(); }
};

bool HasColumn(const Manifest& manifest, std::string_view name) {
  return std::ranges::find(manifest.columns, name, &PublishedColumn::name) != manifest.columns.end();
}

Status ReadTwoTables(WrittenRelease& written, std::vector<std::string> texts, Progress* progress) {
  PENTIMENTO_ASSIGN(ClassRows rows, ReadClassRows(written.manifest, std::move(texts), progress));
  for (std::size_t i = 0; i < written.manifest.sensitive_tables.size(); ++i) {
    WantedColumns wanted{{}, written.manifest.sensitive_tables[i].columns, {}};
    PENTIMENTO_ASSIGN(SensitiveEntries entries, ReadSensitiveEntries(written.manifest, i, std::move(wanted)));
    PENTIMENTO_ASSIGN(std::vector<std::uint32_t> class_of_entry, MatchClasses(rows, entries));
    written.entries.push_back({std::move(entries), std::move(class_of_entry)});
  }
  written.classes = rows.classes.count;
  written.class_of_row = std::move(rows.classes.class_of_row);
  written.table = std::move(rows.table);
  return {};
}

Result<WrittenRelease> ReadWritten(const Manifest& manifest, const AuditReading& reading) {
  WrittenRelease written{.manifest = manifest, .table = {}, .class_of_row = {}, .entries = {}};
  WantedColumns wanted;
  for (const PublishedColumn& column : manifest.quasi_identifiers) wanted.texts.push_back(column.name);
  if (HasColumn(manifest, kGroupIdColumn)) {
    written.group_column = wanted.texts.size();
    wanted.texts.emplace_back(kGroupIdColumn);
  }
  const bool has_cases = HasColumn(manifest, kCaseColumn) && reading.key_column.empty();
  if (!reading.key_column.empty() && HasColumn(manifest, reading.key_column)) {
    const auto place = std::ranges::find(wanted.texts, reading.key_column);
    written.key_column = static_cast<std::size_t>(place - wanted.texts.begin());
    if (place == wanted.texts.end()) wanted.texts.push_back(reading.key_column);
  }
  if (manifest.has_two_tables()) {
    PENTIMENTO_RETURN_IF_ERROR(ReadTwoTables(written, std::move(wanted.texts), reading.progress));
    return written;
  }
  for (const PublishedColumn& column : manifest.columns) {
    if (column.role == Role::kSensitive) wanted.sensitive.push_back(column.name);
  }
  if (has_cases) wanted.id = kCaseColumn;
  PENTIMENTO_ASSIGN(written.table, ReadPublishedTable(manifest, wanted, reading.progress));
  if (written.group_column != SIZE_MAX)
    PENTIMENTO_RETURN_IF_ERROR(ReadWholeNumbers(written.table, written.group_column));
  return written;
}

void ReadPromises(AuditedRelease& release, const std::string& promise_json) {
  release.promise = ReadPromise(release.name, promise_json);
  const auto guarantees = nlohmann::json::parse(promise_json, nullptr, /*allow_exceptions=*/false);
  if (!guarantees.is_array()) return;
  const auto texts = [](const nlohmann::json& object) {
    std::vector<std::string> values;
    for (const auto& value : object.value("values", nlohmann::json::array())) {
      if (value.is_string()) values.push_back(value.get<std::string>());
    }
    return values;
  };
  for (const auto& guarantee : guarantees) {
    if (!guarantee.is_object()) continue;
    release.hides_arrivals |= guarantee.value("arrivals", "") == "hidden";
    if (guarantee.value("type", "") != "global-guarantee") continue;
    for (const bool together : {false, true}) {
      for (const auto& one : guarantee.value(together ? "limits" : "sensitive", nlohmann::json::array())) {
        if (!one.is_object()) continue;
        const auto& l = together ? one.value("l", nlohmann::json()) : guarantee.value("l", nlohmann::json());
        if (l.is_number_unsigned())
          release.ever_limits.push_back({one.value("column", ""), texts(one), l.get<std::uint64_t>(), together});
      }
    }
  }
}

// Of a column's codes the ranks of its texts: numbers where all of them are numbers, so that order means something.
CodeColumn InOrderOfTexts(const ValueColumn& column, const std::vector<std::string>& texts) {
  std::vector<std::optional<Decimal>> numbers;
  for (const std::string& text : texts) numbers.push_back(ParseDecimal(text));
  const bool is_number = std::ranges::all_of(numbers, [](const auto& number) { return number.has_value(); });
  std::vector<std::uint32_t> order(texts.size()), rank(texts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if (is_number) return WideUnits(*numbers[a]) < WideUnits(*numbers[b]);
    return texts[a] < texts[b];
  });
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  CodeColumn ranks(texts.size(), column.codes.size());
  column.codes.Visit([&](auto codes) {
    ranks.VisitMutable([&](auto& to) {
      using To = typename std::remove_cvref_t<decltype(to)>::value_type;
      for (std::size_t row = 0; row < codes.size(); ++row) to[row] = static_cast<To>(rank[codes[row]]);
    });
  });
  return ranks;
}

class ReleaseBuilder {
 public:
  ReleaseBuilder(WrittenRelease written, AuditedRelease release, std::span<const SharedDomain> domains,
                 SharedValues& values)
      : written_(std::move(written)), release_(std::move(release)), domains_(domains), values_(values) {}

  AuditedRelease Build() && {
    release_.rows = written_.table.rows;
    release_.files = written_.table.files;
    release_.rows_after_file = written_.table.rows_after_file;
    NumberUnits();
    ReadUnitBoxes();
    if (release_.has_two_tables) {
      CountEntries();
    } else {
      CountRows();
    }
    NameRows();
    for (std::size_t c = 0; c < written_.columns(); ++c)
      release_.labels.push_back(InOrderOfTexts(written_.table.columns[c], CsvTexts(written_.table.columns[c])));
    return std::move(release_);
  }

 private:
  void NumberUnits() {
    CombinationNumbering numbering(written_.table.rows);
    for (std::size_t c = 0; c < written_.columns(); ++c)
      numbering.Refine(written_.table.columns[c].values.size(), written_.table.columns[c].codes);
    if (written_.group_column != SIZE_MAX) {
      const ValueColumn& groups = written_.table.columns[written_.group_column];
      numbering.Refine(groups.values.size(), groups.codes);
    }
    if (release_.has_two_tables) {
      numbering.Refine(written_.classes, [&](std::size_t row) { return std::uint64_t{written_.class_of_row[row]}; });
    }
    combinations_ = std::move(numbering).Finish();
    if (combinations_.of_row.empty()) combinations_.of_row.resize(written_.table.rows);
    combinations_.count = std::max<std::uint32_t>(combinations_.count, written_.table.rows > 0 ? 1 : 0);
    release_.rows_of_unit.assign(combinations_.count, 0);
    for (const std::uint32_t unit : combinations_.of_row) ++release_.rows_of_unit[unit];
    release_.class_of_unit.resize(combinations_.count);
    if (release_.has_two_tables) {
      release_.rows_of_class.assign(written_.classes, 0);
      for (std::size_t row = 0; row < combinations_.of_row.size(); ++row) {
        release_.class_of_unit[combinations_.of_row[row]] = written_.class_of_row[row];
        ++release_.rows_of_class[written_.class_of_row[row]];
      }
    } else {
      std::iota(release_.class_of_unit.begin(), release_.class_of_unit.end(), 0U);
      release_.rows_of_class = release_.rows_of_unit;
    }
  }

  void ReadUnitBoxes() {
    const std::size_t columns = written_.columns();
    release_.units.columns = columns;
    release_.units.without_boxes = combinations_.count;
    release_.units.boxes.resize(std::size_t{combinations_.count} * columns);
    const std::vector<std::uint32_t> first_rows = FirstRows(combinations_);
    for (std::size_t c = 0; c < columns; ++c) {
      const ValueColumn& column = written_.table.columns[c];
      const Domain& domain = domains_[release_.domain_of[c]].domain;
      const std::vector<std::string> texts = CsvTexts(column);
      const auto meanings = MeaningsOf(domain, texts, written_.manifest.missing, !release_.is_ours);
      CountUnread(column, meanings);
      for (std::uint32_t unit = 0; unit < combinations_.count; ++unit) {
        const auto& meaning = meanings[column.codes[first_rows[unit]]];
        release_.units.boxes[std::size_t{unit} * columns + c] = meaning.value_or(domain.root());
      }
    }
    release_.units.of_row = std::move(combinations_.of_row);
  }

  void CountUnread(const ValueColumn& column, const std::vector<std::optional<Interval>>& meanings) {
    UnreadColumn unread{column.name, 0, 0};
    for (const auto& meaning : meanings) unread.labels += meaning ? 0 : 1;
    if (unread.labels == 0) return;
    column.codes.Visit([&](auto codes) {
      for (const auto code : codes) unread.rows += meanings[code] ? 0 : 1;
    });
    release_.unread.push_back(std::move(unread));
  }

  // By code of the column: the code that all releases share.
  std::vector<Code> SharedCodesOf(const ValueColumn& column) {
    const std::vector<std::string>& missing = written_.manifest.missing;
    std::vector<Code> shared;
    const std::vector<std::string> texts = CsvTexts(column);
    for (std::size_t code = 0; code < texts.size(); ++code) {
      const bool has_no_value =
          (column.null_code && *column.null_code == code) || std::ranges::find(missing, texts[code]) != missing.end();
      shared.push_back(has_no_value ? kNoValueCode : values_.CodeOf(column.name, texts[code]));
    }
    return shared;
  }

  // Entries of a class in any order, some perhaps of one value.
  void AddBags(const std::string& column, const std::vector<std::uint32_t>& class_of, const std::vector<Code>& code_of,
               const std::vector<std::uint32_t>& count_of) {
    std::vector<std::uint32_t> begin(release_.classes() + 1, 0);
    for (const std::uint32_t number : class_of) ++begin[number + 1];
    for (std::uint32_t c = 0; c < release_.classes(); ++c) begin[c + 1] += begin[c];
    std::vector<std::pair<Code, std::uint32_t>> entries(class_of.size());
    std::vector<std::uint32_t> next = begin;
    for (std::size_t i = 0; i < class_of.size(); ++i) entries[next[class_of[i]]++] = {code_of[i], count_of[i]};
    ValueBags bags{column, {0}, {}, {}};
    for (std::uint32_t c = 0; c < release_.classes(); ++c) {
      const auto of_class = std::span(entries).subspan(begin[c], begin[c + 1] - begin[c]);
      std::ranges::sort(of_class);
      for (std::size_t i = 0; i < of_class.size(); ++i) {
        if (i > 0 && of_class[i].first == of_class[i - 1].first) {
          bags.count.back() += of_class[i].second;
        } else {
          bags.value.push_back(of_class[i].first);
          bags.count.push_back(of_class[i].second);
        }
      }
      bags.begin.push_back(static_cast<std::uint32_t>(bags.value.size()));
    }
    release_.values.push_back(std::move(bags));
  }

  void CountEntries() {
    for (const WrittenRelease::Entries& entries : written_.entries) {
      if (release_.entry_class.empty()) release_.entry_class = entries.class_of_entry;
      for (const ValueColumn& column : entries.read.table.columns) {
        if (column.values.size() > kMostComparedValues) {
          release_.not_compared.push_back(column.name);
          continue;
        }
        const std::vector<Code> shared = SharedCodesOf(column);
        std::vector<Code> code_of(column.codes.size());
        for (std::size_t i = 0; i < code_of.size(); ++i) code_of[i] = shared[column.codes[i]];
        AddBags(column.name, entries.class_of_entry, code_of, entries.read.counts);
      }
    }
  }

  // The rows of each class, counted by the code that also counts them for the ledger.
  void CountRows() {
    std::vector<std::uint32_t> each(written_.table.rows);
    std::iota(each.begin(), each.end(), 0U);
    std::vector<const ValueColumn*> columns;
    for (const ValueColumn& column : written_.table.columns) {
      const auto described = std::ranges::find(written_.manifest.columns, column.name, &PublishedColumn::name);
      if (described != written_.manifest.columns.end() && described->role == Role::kSensitive)
        columns.push_back(&column);
    }
    const ReleasedRows released{release_.units, each, static_cast<std::uint32_t>(each.size()), columns};
    const OwnClasses own = ClassesOf(released, IdentityHasher(SecretKey{}));
    release_.not_compared = own.not_compared;
    std::size_t next = 0;
    for (const ValueColumn* column : columns) {
      if (column->values.size() > kMostComparedValues) continue;
      const std::vector<Code> shared = SharedCodesOf(*column);
      const ValueBags& bags = own.values[next++];
      std::vector<std::uint32_t> class_of;
      std::vector<Code> codes;
      for (std::uint32_t c = 0; c < release_.classes(); ++c) {
        for (std::uint32_t i = bags.begin[c]; i < bags.begin[c + 1]; ++i) {
          class_of.push_back(c);
          codes.push_back(shared[bags.value[i]]);
        }
      }
      AddBags(column->name, class_of, codes, bags.count);
      CodeColumn by_row(values_.end(column->name), column->codes.size());
      for (std::size_t row = 0; row < by_row.size(); ++row) by_row.Set(row, shared[column->codes[row]]);
      release_.sensitive.push_back({column->name, std::move(by_row)});
    }
  }

  void NameRows() {
    if (written_.key_column != SIZE_MAX) {
      const ValueColumn& keys = written_.table.columns[written_.key_column];
      const IdentityHasher hasher{SecretKey{}};
      std::vector<IdentityHash> of_code;
      for (const std::string& text : CsvTexts(keys)) of_code.push_back(hasher(text));
      for (std::size_t row = 0; row < written_.table.rows; ++row)
        release_.key_of_row.push_back(of_code[keys.codes[row]]);
    } else if (!release_.has_two_tables) {
      release_.key_of_row = std::move(written_.table.id_of_row);
    }
    if (written_.group_column != SIZE_MAX) {
      const ValueColumn& groups = written_.table.columns[written_.group_column];
      const CodeColumn ranks = InOrderOfTexts(groups, CsvTexts(groups));
      for (std::size_t row = 0; row < ranks.size(); ++row) release_.group_of_row.push_back(ranks[row]);
    }
  }

  WrittenRelease written_;
  AuditedRelease release_;
  std::span<const SharedDomain> domains_;
  SharedValues& values_;
  Combinations combinations_;
};

AuditedRelease BeginRelease(const AuditSource& source, const Manifest& manifest) {
  AuditedRelease release;
  release.name = manifest.release;
  release.source = source;
  release.is_ours = source.tables.empty();
  release.has_two_tables = manifest.has_two_tables();
  release.is_changes_only = manifest.is_changes_only();
  release.series = manifest.series;
  for (const PublishedColumn& column : manifest.quasi_identifiers) release.quasi_identifiers.push_back(column.name);
  ReadPromises(release, manifest.promise_json);
  return release;
}

// What the texts of everybody mean in the shared domains.
std::vector<AuditedReleases::PeopleCodes> ReadPeople(const PeopleTexts& people,
                                                     const std::vector<SharedDomain>& domains) {
  std::vector<AuditedReleases::PeopleCodes> read;
  for (std::size_t d = 0; d < domains.size(); ++d) {
    const auto place = std::ranges::find(people.names, domains[d].name);
    if (place == people.names.end()) continue;
    AuditedReleases::PeopleCodes codes{.domain = d, .of_code = {}, .column = 0};
    codes.column = static_cast<std::size_t>(place - people.names.begin());
    const std::vector<std::string> texts = CsvTexts(people.table.columns[codes.column]);
    for (const auto& meaning : MeaningsOf(domains[d].domain, texts, people.missing, /*is_foreign=*/false)) {
      const bool is_value = meaning && meaning->lo == meaning->hi;
      codes.of_code.push_back(is_value ? std::optional(meaning->lo) : std::nullopt);
    }
    read.push_back(std::move(codes));
  }
  return read;
}

}  // namespace

Result<AuditedReleases> ReadAuditedReleases(const std::vector<AuditSource>& sources,
                                            const std::vector<Manifest>& manifests, const AuditReading& reading,
                                            const PeopleTexts* people) {
  std::vector<WrittenRelease> written;
  std::vector<std::vector<std::string>> labels;
  for (const Manifest& manifest : manifests) {
    PENTIMENTO_ASSIGN(WrittenRelease read, ReadWritten(manifest, reading));
    for (std::size_t c = 0; c < read.columns(); ++c) labels.push_back(CsvTexts(read.table.columns[c]));
    written.push_back(std::move(read));
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  }
  std::vector<ColumnToShare> columns;
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    for (const PublishedColumn& column : manifests[i].quasi_identifiers)
      columns.push_back({&column, &labels[columns.size()], !sources[i].tables.empty()});
  }
  std::vector<std::vector<std::string>> texts_of_people;
  std::vector<MorePoints> more;
  if (people != nullptr) {
    for (const ValueColumn& column : people->table.columns) texts_of_people.push_back(CsvTexts(column));
    for (std::size_t i = 0; i < people->names.size(); ++i) more.push_back({people->names[i], &texts_of_people[i]});
  }
  PENTIMENTO_ASSIGN(SharedDomains shared, ShareDomains(columns, more));
  AuditedReleases audited;
  audited.domains = std::move(shared.domains);
  std::size_t column = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    AuditedRelease release = BeginRelease(sources[i], manifests[i]);
    for (std::size_t c = 0; c < release.quasi_identifiers.size(); ++c)
      release.domain_of.push_back(shared.of_column[column++]);
    audited.releases.push_back(
        ReleaseBuilder(std::move(written[i]), std::move(release), audited.domains, audited.values).Build());
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  }
  if (people != nullptr) audited.people = ReadPeople(*people, audited.domains);
  return audited;
}

RowWitness WitnessRows(const AuditedRelease& release, const std::vector<bool>& is_wanted_class) {
  constexpr std::size_t kMostRows = 5;
  RowWitness witness{release.name, "", {}, 0};
  std::size_t file = 0;
  for (std::size_t row = 0; row < release.units.of_row.size(); ++row) {
    if (!is_wanted_class[release.class_of_row(row)]) continue;
    ++witness.of;
    if (witness.rows.size() == kMostRows) continue;
    while (release.rows_after_file[file] <= row) ++file;
    const std::string name = release.files[file].filename().string();
    if (witness.file.empty()) witness.file = name;
    if (witness.file != name) continue;
    witness.rows.push_back(row - (file == 0 ? 0 : release.rows_after_file[file - 1]) + 1);
  }
  return witness;
}

}  // namespace pentimento
