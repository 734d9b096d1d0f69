#include "anonymize/specialize/collapsed_records.h"

#include "table/combinations.h"

namespace pentimento {
namespace {

// What is to be told apart on Y, as far as Y is in the new release.
struct OwnY {
  Combinations numbers;
  bool is_row = false;
  bool is_shared = false;
};

// A value on Y that occurs once, or that is no part of this release, needs no telling apart.
OwnY NumberY(const JoinClaim& claim, const NewRelease& release) {
  const EncodedTable& table = release.table;
  const bool one_each = !table.persons || table.persons->one_row_each();
  OwnY y;
  CombinationNumbering numbering(table.rows);
  for (const ReleaseColumn column : claim.y) {
    if (column.release != 0) continue;
    if (column.column != ReleaseColumn::kWho) {
      numbering.Refine(release.sizes[column.column], release.column(column.column));
      y.is_shared = true;
    } else if (one_each) {
      y.is_row = true;
    } else {
      const auto& person = table.persons->person_of_row;
      numbering.Refine(table.persons->count, [&](std::size_t row) { return std::uint64_t{person[row]}; });
      y.is_shared = true;
    }
  }
  y.is_shared = y.is_shared && !y.is_row;
  if (y.is_shared) y.numbers = std::move(numbering).Finish();
  return y;
}

// By row, the number of its value on the columns of the target that are in this release; sets what is known of them.
std::vector<std::uint32_t> LimitedValues(const LinkabilityTarget& target, const NewRelease& release, OwnTarget& own) {
  CombinationNumbering numbering(release.table.rows);
  std::vector<std::size_t> in_y;
  for (std::size_t i = 0; i < target.y.size(); ++i) {
    if (target.y[i].release != 0) continue;
    in_y.push_back(i);
    numbering.Refine(release.sizes[target.y[i].column], release.column(target.y[i].column));
  }
  Combinations values = std::move(numbering).Finish();
  own.has_list = !target.values.empty();
  own.is_part = !target.IsHere();
  own.values = values.count;
  if (!own.has_list) return std::move(values.of_row);
  std::vector<std::uint32_t> listed_of_value;
  for (const std::uint32_t row : FirstRows(values)) {
    std::vector<Interval> cells;
    for (const std::size_t i : in_y) {
      const Code code = release.column(target.y[i].column)[row];
      cells.push_back({code, code});
    }
    const ListedSet listed = ListedWith(target, in_y, cells);
    listed_of_value.push_back(own.is_part ? own.listed.Number(listed) : (listed.empty() ? 0 : 1));
  }
  own.values = own.is_part ? own.listed.size() : 2;
  for (std::uint32_t& value : values.of_row) value = listed_of_value[value];
  return std::move(values.of_row);
}

}  // namespace

ColumnParts::ColumnParts(const JoinClaim& claim, std::span<const std::uint32_t> join_columns, const NewRelease& release,
                         std::size_t cuts)
    : place_of_cut(cuts, kNotInX) {
  for (const ReleaseColumn column : claim.x) {
    if (column.release != 0) continue;
    if (const int cut = release.cut(column.column); cut >= 0) {
      place_of_cut[static_cast<std::size_t>(cut)] = places.size();
      places.push_back(static_cast<std::size_t>(cut));
      column_of_place.push_back(column.column);
    } else {
      fixed.push_back(column.column);
    }
  }
  for (const std::uint32_t column : join_columns) {
    const int cut = release.cut(column);
    join_from_place.push_back(cut >= 0 ? place_of_cut[static_cast<std::size_t>(cut)] : kNotInX);
    if (join_from_place.back() == kNotInX) outside.push_back({cut, column});
  }
}

bool ColumnParts::JoinsOutside(std::size_t cut) const {
  return std::ranges::any_of(outside, [&](const Outside& column) { return column.cut == static_cast<int>(cut); });
}

CollapsedRecords::CollapsedRecords(const JoinClaim& claim, const ColumnParts& parts, const NewRelease& release)
    : places_(parts.places.size()), outside_columns_(parts.outside.size()) {
  const std::size_t rows = release.table.rows;
  CombinationNumbering outside_numbering(rows), fixed_numbering(rows), numbering(rows);
  for (const auto& column : parts.outside)
    outside_numbering.Refine(release.sizes[column.column], release.column(column.column));
  for (const std::uint32_t column : parts.fixed) fixed_numbering.Refine(release.sizes[column], release.column(column));
  const Combinations outside = std::move(outside_numbering).Finish();
  const Combinations fixed = std::move(fixed_numbering).Finish();
  const OwnY y = NumberY(claim, release);
  y_is_row_ = y.is_row;
  y_is_shared_ = y.is_shared;
  fixed_count_ = fixed.count;
  outside_count_ = outside.count;

  const auto refine = [&](std::uint64_t codes, std::span<const std::uint32_t> number) {
    numbering.Refine(codes, [&](std::size_t row) { return std::uint64_t{number[row]}; });
  };
  for (const std::uint32_t column : parts.column_of_place)
    numbering.Refine(release.sizes[column], release.column(column));
  refine(outside.count, outside.of_row);
  refine(fixed.count, fixed.of_row);
  if (y_is_shared_) refine(y.numbers.count, y.numbers.of_row);
  std::vector<std::vector<std::uint32_t>> target_values;
  for (std::size_t t = 0; t < claim.targets.size(); ++t) {
    const LinkabilityTarget& target = claim.targets[t];
    if (target.IsEarlier()) continue;
    OwnTarget& own = own_targets_.emplace_back(OwnTarget{.target = t, .first = target_counters_});
    const std::vector<std::uint32_t>& values = target_values.emplace_back(LimitedValues(target, release, own));
    target_counters_ += own.values;
    refine(own.values, values);
  }

  const Combinations all = std::move(numbering).Finish();
  stride_ = places_ + 4 + own_targets_.size();
  numbers_.resize(std::size_t{all.count} * stride_);
  for (const std::uint32_t number : all.of_row) ++numbers_[number * stride_ + weight_field()];
  const std::vector<std::uint32_t> first_rows = FirstRows(all);
  const auto fill = [&](std::size_t field, const auto& values) {
    for (std::size_t r = 0; r < first_rows.size(); ++r) numbers_[r * stride_ + field] = values[first_rows[r]];
  };
  for (std::size_t p = 0; p < places_; ++p)
    release.column(parts.column_of_place[p]).Visit([&](auto codes) { fill(p, codes); });
  fill(outside_field(), outside.of_row);
  fill(fixed_field(), fixed.of_row);
  if (y_is_shared_) fill(y_field(), y.numbers.of_row);
  for (std::size_t t = 0; t < target_values.size(); ++t) fill(target_field() + t, target_values[t]);
  for (const std::uint32_t row : FirstRows(outside)) {
    for (const auto& column : parts.outside) outside_codes_.push_back(release.column(column.column)[row]);
  }
}

}  // namespace pentimento
