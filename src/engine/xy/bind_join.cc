#include "engine/xy/bind_join.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "base/mix64.h"
#include "engine/xy/attribute_cells.h"
#include "engine/xy/join_claims.h"
#include "engine/xy/join_notes.h"
#include "engine/xy/release_columns.h"
#include "fmt/core.h"
#include "fmt/ranges.h"

namespace pentimento {
namespace {

std::set<ColumnPlace> NamedColumns(const NamedClaims& named) {
  std::set<ColumnPlace> places;
  for (const NamedClaim& claim : named.claims) {
    for (const NamedPlace& x : claim.x) places.insert(x.place);
    for (const NamedPlace& y : claim.y) {
      if (y.place.column != ColumnPlace::kWho) places.insert(y.place);
    }
  }
  for (const NamedImpossible& pair : named.impossible) places.insert({pair.left, pair.right});
  return places;
}

// Matches are counted in 128 bits, and there are never more than all rows multiplied.
Status CheckMatchesCanBeCounted(const Policy& policy, const NamedClaim& claim, std::size_t rows,
                                std::span<const PublishedRelease> earlier) {
  __extension__ using Wide = unsigned __int128;
  const Wide too_many = Wide{1} << 126;
  Wide matches = std::max<std::size_t>(rows, 1);
  for (const std::uint32_t release : claim.against) {
    Wide records = 0;
    for (const std::uint64_t like_it : earlier[release - 1].records) records += like_it;
    if (records > 0 && matches > (too_many - 1) / records) {
      return PolicyError(policy, claim.position,
                         "the join of these releases may have 2^126 matches or more, which is more than can be counted "
                         "exactly; name fewer of them in 'against' of one guarantee");
    }
    matches *= std::max<Wide>(records, 1);
  }
  return {};
}

class JoinBinder {
 public:
  JoinBinder(const BoundPolicy& bound, const EncodedInput& input, std::span<const PublishedRelease> earlier,
             const ReleaseColumns& columns, const NamedClaims& named, const CommonColumns& common)
      : policy_(bound.policy),
        named_(named),
        common_(common),
        sources_{bound, input, earlier, columns, NamedColumns(named)} {}

  Result<BoundJoin> Run() {
    PENTIMENTO_RETURN_IF_ERROR(EncodeAttributes());
    NumberColumns();
    for (std::uint32_t release = 1; release < sources_.columns.release_count(); ++release) TakeRelease(release);
    for (const NamedClaim& claim : named_.claims) PENTIMENTO_RETURN_IF_ERROR(TakeClaim(claim));
    for (const NamedImpossible& pair : named_.impossible) PENTIMENTO_RETURN_IF_ERROR(TakeImpossible(pair));
    TakeGeneralized();
    join_.remarks.notes = JoinNotes(policy_, sources_.columns, common_, named_, join_.is_generalized);
    return std::move(join_);
  }

 private:
  // Every column that takes part belongs to one attribute: a joined one, or one of its own.
  Status EncodeAttributes() {
    std::vector<JoinAttribute> attributes = common_.joined;
    std::set<ColumnPlace> alone = sources_.named;
    for (const JoinAttribute& attribute : attributes) {
      for (const ColumnPlace place : attribute.columns) alone.erase(place);
    }
    for (const ColumnPlace place : alone) {
      const NamedColumn& column = sources_.columns.at(place);
      attributes.push_back({column.name, {place}, column.form == CellForm::kNumbers});
    }
    for (const JoinAttribute& attribute : attributes) {
      PENTIMENTO_ASSIGN(AttributeCells cells, EncodeAttribute(attribute, sources_));
      for (const ColumnPlace place : attribute.columns) attribute_of_[place] = attributes_.size();
      attributes_.push_back(std::move(cells));
    }
    return {};
  }

  const AttributeCells& AttributeOf(ColumnPlace place) const { return attributes_[attribute_of_.at(place)]; }

  // Quasi-identifiers of the new release all have a number; of everything else, what takes part.
  void NumberColumns() {
    const auto quasi_identifiers = static_cast<std::uint32_t>(sources_.input.domains.size());
    for (const auto& [place, attribute] : attribute_of_) {
      const NamedColumn& column = sources_.columns.at(place);
      if (place.release > 0) {
        join_.releases.earlier.resize(sources_.earlier.size());
        number_of_[place] = static_cast<std::uint32_t>(join_.releases.earlier[place.release - 1].columns++);
      } else if (column.role == Role::kQuasiIdentifier) {
        number_of_[place] = column.number;
      } else {
        number_of_[place] = quasi_identifiers + static_cast<std::uint32_t>(join_.exact.size());
        std::unique_ptr<const CodeColumn>& recoded = attributes_[attribute].recoded;
        join_.exact.push_back(recoded ? recoded.get() : &sources_.input.values[column.number].codes);
        if (recoded) join_.recoded.push_back(std::move(recoded));
      }
    }
    join_.releases.earlier.resize(sources_.earlier.size());
    for (std::size_t i = 0; i < common_.joined.size(); ++i) {
      CommonAttribute attribute{{}, attributes_[i].by_overlap};
      for (const ColumnPlace place : common_.joined[i].columns) attribute.columns.push_back(Numbered(place));
      join_.releases.common.push_back(std::move(attribute));
    }
  }

  ReleaseColumn Numbered(ColumnPlace place) const {
    if (place.column == ColumnPlace::kWho) return {place.release, ReleaseColumn::kWho};
    return {place.release, number_of_.at(place)};
  }

  std::vector<ReleaseColumn> Numbered(const std::vector<NamedPlace>& places) const {
    std::vector<ReleaseColumn> columns;
    for (const NamedPlace& named : places) columns.push_back(Numbered(named.place));
    return columns;
  }

  // Rows that differ only in what nobody looks at, or in the spelling of a label, become one.
  void TakeRelease(std::uint32_t number) {
    const PublishedRelease& from = sources_.earlier[number - 1];
    EarlierRelease& to = join_.releases.earlier[number - 1];
    to.name = from.name;
    const std::vector<std::vector<Interval>> rows = RowsOf(number);
    std::vector<std::uint32_t> number_of_row(from.records.size(), 0);
    for (const std::vector<Interval>& column : rows) {
      tsl::robin_map<std::uint64_t, std::uint32_t, Mix64> cell_numbers, row_numbers;
      for (std::size_t row = 0; row < from.records.size(); ++row) {
        const std::uint64_t cell = std::uint64_t{column[row].lo} << 32 | column[row].hi;
        const std::uint64_t id =
            cell_numbers.try_emplace(cell, static_cast<std::uint32_t>(cell_numbers.size())).first->second;
        const std::uint64_t both = std::uint64_t{number_of_row[row]} << 32 | id;
        number_of_row[row] =
            row_numbers.try_emplace(both, static_cast<std::uint32_t>(row_numbers.size())).first->second;
      }
    }
    for (std::size_t row = 0; row < from.records.size(); ++row) {
      const std::uint32_t at = number_of_row[row];
      if (at == to.records.size()) {  // numbers ascend with the rows that have them first
        for (const std::vector<Interval>& column : rows) to.cells.push_back(column[row]);
        to.records.push_back(0);
        to.example.push_back(from.example[row]);
      }
      to.records[at] += from.records[row];
      to.example[at] = std::min(to.example[at], from.example[row]);
    }
  }

  // The cells of the columns that take part, by column and row.
  std::vector<std::vector<Interval>> RowsOf(std::uint32_t number) const {
    const PublishedRelease& from = sources_.earlier[number - 1];
    std::vector<std::vector<Interval>> columns;
    for (auto it = number_of_.lower_bound({number, 0}); it != number_of_.end() && it->first.release == number; ++it) {
      const ColumnPlace place = it->first;
      const auto read = std::ranges::find(from.read, sources_.columns.at(place).number) - from.read.begin();
      const auto& members = AttributeOf(place).members;
      const std::vector<Interval>& cells = std::ranges::find(members, place, &AttributeMember::place)->cells;
      std::vector<Interval>& column = columns.emplace_back();
      for (std::size_t row = 0; row < from.records.size(); ++row)
        column.push_back(cells[from.cells[row * from.read.size() + static_cast<std::size_t>(read)]]);
    }
    return columns;
  }

  Status TakeClaim(const NamedClaim& claim) {
    PENTIMENTO_RETURN_IF_ERROR(CheckMatchesCanBeCounted(policy_, claim, sources_.input.table.rows, sources_.earlier));
    if (!claim.is_linkability()) {
      join_.releases.anonymity.push_back(
          {claim.against, Numbered(claim.x), Numbered(claim.y), claim.k, claim.allows_dangling});
      return {};
    }
    XyLinkabilityClaim linkability{claim.against, Numbered(claim.x), {}, claim.allows_dangling};
    for (const NamedLimit& limit : claim.limits) {
      LinkabilityTarget target{Numbered(limit.y), {}, limit.policy->at_most};
      for (const std::vector<std::string>& value : limit.policy->values) {
        PENTIMENTO_ASSIGN(std::vector<Interval> codes, FindTarget(limit, value));
        target.values.push_back(std::move(codes));
      }
      linkability.targets.push_back(std::move(target));
    }
    join_.releases.linkability.push_back(std::move(linkability));
    return {};
  }

  // A limit on what nobody has protects nobody: more often than not it is misspelt.
  Result<std::vector<Interval>> FindTarget(const NamedLimit& limit, const std::vector<std::string>& value) const {
    std::vector<Interval> codes;
    for (std::size_t i = 0; i < limit.y.size(); ++i) {
      const ColumnPlace place = limit.y[i].place;
      const std::optional<Interval> part = AttributeOf(place).FindValue(place, value[i]);
      if (!part && sources_.columns.at(place).form != CellForm::kTexts)
        return UnknownValue(place, limit.y[i].position, value[i]);
      if (!part) return LimitOnNobody(policy_, *limit.policy, value);
      codes.push_back(*part);
    }
    if (!SomebodyHas(limit.y, codes)) return LimitOnNobody(policy_, *limit.policy, value);
    return codes;
  }

  // In every release some row has all of its parts. Whether such rows match is for those to say who join them.
  bool SomebodyHas(const std::vector<NamedPlace>& y, const std::vector<Interval>& codes) const {
    std::map<std::uint32_t, std::vector<bool>> rows_with;  // by release
    for (std::size_t i = 0; i < y.size(); ++i) {
      std::vector<bool> inside = RowsInside(y[i].place, codes[i]);
      const auto [found, is_new] = rows_with.try_emplace(y[i].place.release, inside);
      for (std::size_t row = 0; !is_new && row < inside.size(); ++row)
        found->second[row] = found->second[row] && inside[row];
    }
    return std::ranges::all_of(rows_with, [](const auto& of_release) {
      return std::ranges::find(of_release.second, true) != of_release.second.end();
    });
  }

  // By row of the new table, or by different row of an earlier release: whether its cell is inside these codes.
  std::vector<bool> RowsInside(ColumnPlace place, Interval codes) const {
    const NamedColumn& column = sources_.columns.at(place);
    std::vector<bool> inside;
    const auto take = [&](const CodeColumn& of_rows, const auto& is_inside) {
      of_rows.Visit([&](auto of_row) {
        for (const auto code : of_row) inside.push_back(is_inside(code));
      });
    };
    if (place.release == 0 && column.role == Role::kQuasiIdentifier) {
      take(sources_.input.table.quasi_identifiers[column.number],
           [&](auto code) { return codes.Contains(Code{code}); });
      return inside;
    }
    const auto& members = AttributeOf(place).members;
    const std::vector<Interval>& cells = std::ranges::find(members, place, &AttributeMember::place)->cells;
    const auto is_inside = [&](std::size_t label) { return codes.Contains(cells[label]); };
    if (place.release == 0) {
      take(sources_.input.values[column.number].codes, is_inside);
      return inside;
    }
    const PublishedRelease& from = sources_.earlier[place.release - 1];
    const auto read = static_cast<std::size_t>(std::ranges::find(from.read, column.number) - from.read.begin());
    for (std::size_t row = 0; row < from.records.size(); ++row)
      inside.push_back(is_inside(from.cells[row * from.read.size() + read]));
    return inside;
  }

  Error UnknownValue(ColumnPlace place, SourcePosition position, const std::string& value) const {
    const bool has_texts = sources_.columns.at(place).form == CellForm::kTexts;
    return PolicyError(policy_, position,
                       fmt::format("'{}' is not a value of '{}'; write {}", value, sources_.columns.Written(place),
                                   has_texts ? "one that the column holds"
                                             : "a label of its taxonomy, a number or an "
                                               "interval of its domain"));
  }

  // A number of the domain that no cell lies inside of: it excludes nobody.
  bool IsNobodysNumber(ColumnPlace place, const std::string& value) const {
    if (sources_.columns.at(place).form != CellForm::kNumbers) return false;
    const auto span = ReadNumberSpan(value);
    if (!span) return false;
    const auto plan =
        std::ranges::find(sources_.bound.plan.columns, sources_.columns.at(place).name, &ColumnPlan::name);
    const auto& domain = place.release == 0
                             ? plan->range
                             : sources_.earlier[place.release - 1].columns[sources_.columns.at(place).number].range;
    return !domain || (PlaceOnLine(domain->first) <= span->lo && span->hi <= PlaceOnLine(domain->second));
  }

  Status TakeImpossible(const NamedImpossible& pair) {
    const auto left = AttributeOf(pair.left).FindValue(pair.left, pair.policy->left_value);
    const bool is_left_idle = !left && IsNobodysNumber(pair.left, pair.policy->left_value);
    if (!left && !is_left_idle) return UnknownValue(pair.left, pair.policy->left.position, pair.policy->left_value);
    const auto right = AttributeOf(pair.right).FindValue(pair.right, pair.policy->right_value);
    const bool is_right_idle = !right && IsNobodysNumber(pair.right, pair.policy->right_value);
    if (!right && !is_right_idle)
      return UnknownValue(pair.right, pair.policy->right.position, pair.policy->right_value);
    if (is_left_idle || is_right_idle) return {};
    join_.releases.impossible.push_back({Numbered(pair.left), *left, Numbered(pair.right), *right});
    return {};
  }

  void TakeGeneralized() {
    const bool all = std::ranges::any_of(policy_.guarantees, [](const GuaranteePolicy& guarantee) {
      return std::holds_alternative<KAnonymityPolicy>(guarantee) ||
             std::holds_alternative<IncrementalKAnonymityPolicy>(guarantee) ||
             std::holds_alternative<HistoryPolicy>(guarantee);
    });
    join_.is_generalized.assign(sources_.input.domains.size(), all);
    for (const NamedClaim& claim : named_.claims) {
      for (const NamedPlace& x : claim.x) {
        if (x.place.release != 0) continue;
        const NamedColumn& column = sources_.columns.at(x.place);
        if (column.role == Role::kQuasiIdentifier) join_.is_generalized[column.number] = true;
      }
    }
  }

  const Policy& policy_;
  const NamedClaims& named_;
  const CommonColumns& common_;
  JoinSources sources_;
  std::vector<AttributeCells> attributes_;  // the joined ones first, in their order
  std::map<ColumnPlace, std::size_t> attribute_of_;
  std::map<ColumnPlace, std::uint32_t> number_of_;
  BoundJoin join_;
};

}  // namespace

Error LimitOnNobody(const Policy& policy, const LinkabilityLimit& limit, const std::vector<std::string>& value) {
  std::vector<std::string> values, columns;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const ColumnName& column = limit.columns[i];
    values.push_back(fmt::format("'{}'", value[i]));
    columns.push_back(fmt::format("'{}'", column.Written()));
  }
  return PolicyError(
      policy, limit.columns.front().position,
      fmt::format("y limits {} of {}{}, which nobody has, so the limit would protect nobody; look that "
                  "nothing is misspelt, or take {} out",
                  fmt::join(values, ", "), fmt::join(columns, ", "), value.size() == 1 ? "" : " together",
                  value.size() == 1 ? "the value" : "the combination"));
}

Result<BoundJoin> BindJoin(const BoundPolicy& bound, const EncodedInput& input,
                           std::span<const PublishedRelease> earlier) {
  const ReleaseColumns columns(bound, earlier);
  PENTIMENTO_ASSIGN(const NamedClaims named, NameClaims(bound.policy, columns));
  PENTIMENTO_ASSIGN(const CommonColumns common, FindCommonColumns(bound.policy, columns, named.claims));
  PENTIMENTO_RETURN_IF_ERROR(CheckSides(bound.policy, columns, common, named.claims));
  return JoinBinder(bound, input, earlier, columns, named, common).Run();
}

}  // namespace pentimento
