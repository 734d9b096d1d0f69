#include "engine/audit/audit.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/plural.h"
#include "engine/audit/audited_release.h"
#include "engine/audit/linked_people.h"
#include "files/table_file.h"
#include "ledger/ledger.h"
#include "policy/policy.h"

namespace pentimento {
namespace {

class Audit {
 public:
  explicit Audit(const AuditOptions& options)
      : options_(options), progress_(options.progress != nullptr ? options.progress : &silent_) {
    outcome_.question = options.question;
  }

  Result<AuditOutcome> Run() && {
    progress_->Begin("reading");
    PENTIMENTO_RETURN_IF_ERROR(FindSources());
    PENTIMENTO_RETURN_IF_ERROR(ReadManifests());
    PENTIMENTO_RETURN_IF_ERROR(ReadPeopleOf());
    PENTIMENTO_ASSIGN(audited_, ReadAuditedReleases(sources_, manifests_, {options_.key_column, progress_},
                                                    people_ ? &*people_ : nullptr));
    PENTIMENTO_RETURN_IF_ERROR(RequireColumnsOfQuestion());
    progress_->Begin("linking");
    PENTIMENTO_RETURN_IF_ERROR(Link());
    PENTIMENTO_ASSIGN(const std::vector<TrueValues> truth, ReadTruth());
    PENTIMENTO_RETURN_IF_ERROR(Attack(truth));
    Summarize();
    progress_->End();
    return std::move(outcome_);
  }

 private:
  Status FindSources() {
    if (options_.people.has_value() != options_.people_policy.has_value())
      return Error{ErrorCode::kUsage,
                   "--people and --as go together: the table, and the policy that says who is who in it"};
    if (options_.truth && !options_.people)
      return Error{ErrorCode::kUsage, "--truth scores guesses about the people of --people, and none is named"};
    std::vector<ReleaseRecord> records;
    if (options_.ledger) {
      PENTIMENTO_ASSIGN(Ledger ledger, Ledger::OpenForReading(*options_.ledger));
      PENTIMENTO_ASSIGN(records, ledger.Releases());
    }
    std::vector<std::string> names = options_.releases;
    if (names.empty()) {
      for (const ReleaseRecord& record : records) {
        if (record.state == ReleaseState::kPublished) names.push_back(record.name);
      }
    }
    for (const bool is_draft : {false, true}) {
      for (const std::string& name : is_draft ? options_.drafts : names) {
        PENTIMENTO_ASSIGN(AuditSource source, ParseAuditSource(name, records, is_draft));
        sources_.push_back(std::move(source));
      }
    }
    if (sources_.empty())
      return Error{ErrorCode::kUsage, "name a release to audit, or a --ledger with releases on record"};
    return {};
  }

  Status ReadManifests() {
    std::set<std::string> names;
    for (const AuditSource& source : sources_) {
      PENTIMENTO_ASSIGN(Manifest manifest, ManifestOfSource(source, options_.class_column));
      if (!names.insert(manifest.release).second) {
        return Error{
            ErrorCode::kUsage,
            fmt::format("two of the releases are called '{}', so no finding could name them; name each release "
                        "once, and give a table another name in its policy",
                        manifest.release)};
      }
      manifests_.push_back(std::move(manifest));
    }
    return {};
  }

  Status ReadPeopleOf() {
    if (!options_.people) return {};
    std::vector<std::string> names;
    for (const Manifest& manifest : manifests_) {
      for (const PublishedColumn& column : manifest.quasi_identifiers) {
        if (std::ranges::find(names, column.name) == names.end()) names.push_back(column.name);
      }
    }
    PENTIMENTO_ASSIGN(people_, ReadPeopleFile(*options_.people, *options_.people_policy, std::move(names), progress_));
    outcome_.people = people_->table.rows;
    return {};
  }

  // A column that no release shows is a mistake of the command line.
  Status RequireColumnsOfQuestion() const {
    for (const auto* columns : {&options_.question.stay, &options_.question.change}) {
      for (const std::string& column : *columns) {
        const bool is_shown = std::ranges::any_of(audited_.releases, [&](const AuditedRelease& release) {
          return std::ranges::find(release.values, column, &ValueBags::column) != release.values.end() ||
                 std::ranges::find(release.not_compared, column) != release.not_compared.end();
        });
        if (!is_shown)
          return Error{ErrorCode::kUsage, fmt::format("--{} {}: no release shows a sensitive column of this name",
                                                      columns == &options_.question.stay ? "stay" : "change", column)};
        if (std::ranges::find(options_.question.stay, column) != options_.question.stay.end() &&
            std::ranges::find(options_.question.change, column) != options_.question.change.end())
          return Error{ErrorCode::kUsage, fmt::format("'{}' is in --stay and in --change; choose one", column)};
      }
    }
    return {};
  }

  Status Link() {
    if (people_) {
      PENTIMENTO_ASSIGN(LinkedPeople linked, LinkByPeople(audited_, *people_));
      links_.push_back(std::move(linked));
    }
    if (!people_ && options_.ledger) {
      PENTIMENTO_ASSIGN(Ledger ledger, Ledger::OpenForReading(*options_.ledger));
      PENTIMENTO_ASSIGN(LinkedPeople linked, LinkByLedger(audited_, ledger));
      if (!linked.releases.empty()) outcome_.people = linked.common.people;
      links_.push_back(std::move(linked));
    }
    for (LinkedPeople& linked : LinkByKeys(audited_, !options_.key_column.empty())) links_.push_back(std::move(linked));
    return {};
  }

  Result<std::vector<TrueValues>> ReadTruth() {
    std::vector<TrueValues> truth;
    if (!options_.truth) return truth;
    PENTIMENTO_ASSIGN(const Policy policy, ReadPolicy(*options_.people_policy, PolicyUse::kStream));
    std::string id;
    for (const ColumnPolicy& column : policy.columns) {
      if (column.role == Role::kId) id = column.name;
    }
    const TableFile file(*options_.truth, policy.text_setting);
    PENTIMENTO_ASSIGN(const std::vector<std::string> header, ReadColumnNames(file));
    WantedColumns wanted{{}, {}, id, policy.trim == TrimRule::kAll, policy.trim != TrimRule::kNone};
    for (const AuditedRelease& release : audited_.releases) {
      for (const ValueBags& bags : release.values) {
        if (std::ranges::find(header, bags.column) != header.end() &&
            std::ranges::find(wanted.texts, bags.column) == wanted.texts.end())
          wanted.texts.push_back(bags.column);
      }
    }
    if (wanted.texts.empty() || std::ranges::find(header, id) == header.end())
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: it needs the column '{}' and a sensitive column that a release shows",
                               options_.truth->string(), id)};
    PENTIMENTO_ASSIGN(const PublishedTable table, ReadTableFiles({file}, wanted, progress_));
    std::vector<std::uint32_t> order(people_->table.rows);
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const std::vector<IdentityHash>& ids = people_->table.id_of_row;
    std::ranges::sort(order, {}, [&](std::uint32_t person) { return ids[person]; });
    for (const ValueColumn& column : table.columns) {
      TrueValues& values = truth.emplace_back(TrueValues{column.name, std::vector<Code>(ids.size(), kNoValueCode)});
      std::vector<Code> code_of;
      // A value that nobody published has a code of its own, so that a guess can be wrong.
      for (const std::string& text : CsvTexts(column))
        code_of.push_back(audited_.values.Find(column.name, text).value_or(audited_.values.end(column.name)));
      if (column.null_code) code_of[*column.null_code] = kNoValueCode;
      for (std::size_t row = 0; row < table.rows; ++row) {
        const auto place = std::ranges::lower_bound(order, table.id_of_row[row], {},
                                                    [&](std::uint32_t person) { return ids[person]; });
        if (place != order.end() && ids[*place] == table.id_of_row[row])
          values.of_person[*place] = code_of[column.codes[row]];
      }
    }
    return truth;
  }

  Status Attack(const std::vector<TrueValues>& truth) {
    const AuditView view{audited_, links_, options_.question, people_.has_value()};
    const std::vector<std::pair<const char*, std::function<AttackResult()>>> attacks = {
        {"A0: order", [&] { return LookAtOrder(view); }},
        {"A1: each release", [&] { return LookAtEachRelease(view); }},
        {"A2: seating", [&] { return LookAtSeating(view); }},
        {"A3: joint classes", [&] { return LookAtJointClasses(view, outcome_.inference); }},
        {"A4: values that stay", [&] { return LookAtStayingValues(view, truth, outcome_.guesses); }},
        {"A5: values that change", [&] { return LookAtChangingValues(view); }},
        {"A6: views", [&] { return LookAtViews(view); }},
        {"A7: arrivals", [&] { return LookAtArrivals(view); }},
        {"A8: moved rows", [&] { return LookAtMovedRows(view); }}};
    for (const auto& [name, attack] : attacks) {
      progress_->Begin(name);
      AttackResult result = attack();
      std::ranges::move(result.findings, std::back_inserter(outcome_.findings));
      outcome_.attacks.push_back(std::move(result.report));
      PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    }
    SortFindings(outcome_.findings);
    return {};
  }

  std::optional<std::uint64_t> PeopleIn(std::size_t release) const {
    for (const LinkedPeople& link : links_) {
      for (std::size_t place = 0; place < link.releases.size(); ++place) {
        if (link.releases[place].audited != release) continue;
        const auto& class_of = link.common.releases[place].class_of;
        return class_of.size() - static_cast<std::uint64_t>(std::ranges::count(class_of, kNotInRelease));
      }
    }
    return std::nullopt;
  }

  void Summarize() {
    for (std::size_t i = 0; i < audited_.releases.size(); ++i) {
      const AuditedRelease& release = audited_.releases[i];
      outcome_.releases.push_back({release.name, release.source.text,
                                   release.has_two_tables ? "two-tables" : "generalized", release.source.is_draft,
                                   release.rows, release.classes(), release.promise.k, PeopleIn(i), release.unread});
      for (const UnreadColumn& unread : release.unread) {
        outcome_.notes.push_back(
            fmt::format("'{}', column '{}': {} different {} in {} {} {} not understood; the column tells nothing of "
                        "these rows here, "
                        "so more may follow than is found",
                        release.name, unread.column, unread.labels, Plural(unread.labels, "label", "labels"),
                        unread.rows, Plural(unread.rows, "row", "rows"), Plural(unread.rows, "is", "are")));
      }
    }
    for (const LinkedPeople& link : links_) {
      for (std::size_t place = 0; place < link.releases.size(); ++place) {
        if (link.releases[place].uncertain == 0) continue;
        outcome_.notes.push_back(fmt::format(
            "'{}': its classes cover {} people of whom nobody can tell who is in it; what is found is a lower "
            "bound",
            link.common.releases[place].name, link.releases[place].uncertain));
      }
    }
    if (outcome_.guesses && outcome_.guesses->wrong > 0) {
      outcome_.notes.push_back(
          fmt::format("{} certain {} not the true one: values do not stay, or --truth is not that of these releases",
                      outcome_.guesses->wrong, Plural(outcome_.guesses->wrong, "value is", "values are")));
    }
  }

  const AuditOptions& options_;
  Progress silent_;
  Progress* progress_;
  std::vector<AuditSource> sources_;
  std::vector<Manifest> manifests_;
  std::optional<PeopleTexts> people_;
  AuditedReleases audited_;
  std::vector<LinkedPeople> links_;
  AuditOutcome outcome_;
};

}  // namespace

Result<AuditOutcome> AuditReleases(const AuditOptions& options) { return Audit(options).Run(); }

}  // namespace pentimento
