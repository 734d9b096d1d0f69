#include "taxonomy/foreign_label.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fmt/core.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

constexpr ForeignLabel kUnknownLabel{LabelReading::kUnknown, {}};
constexpr ForeignLabel kBeyondLabel{LabelReading::kBeyond, {}};

// Intervals of codes as one: exact where they leave no gap between them.
ForeignLabel Together(std::vector<Interval> parts) {
  std::ranges::sort(parts);
  ForeignLabel all{LabelReading::kExact, parts.front()};
  for (const Interval part : parts) {
    if (part.lo > all.codes.hi && part.lo - all.codes.hi > 1) all.reading = LabelReading::kWider;
    all.codes.hi = std::max(all.codes.hi, part.hi);
  }
  return all;
}

// The unit of the ends that somebody declared, in WideUnits: finer than it is only the data.
WideNumber DeclaredUnit(const NumericRange& range) {
  int scale = range.scale;
  for (std::int64_t lo = range.lo, hi = range.hi; scale > 0 && lo % 10 == 0 && hi % 10 == 0; --scale) {
    lo /= 10;
    hi /= 10;
  }
  return WideUnits({1, scale});
}

WideNumber PlaceOf(const NumericRange& range, std::int64_t units) { return WideUnits({units, range.scale}); }

// Whether the part names numbers outside of the range that could be values.
bool IsBeyond(const NumericRange& range, const NumberPart& part) {
  const WideNumber unit = DeclaredUnit(range);
  const auto is_far = [&](const std::optional<NumberEnd>& end, WideNumber outside) {
    return end && (outside > unit || (outside == unit && end->is_included));
  };
  return is_far(part.lo, part.lo ? PlaceOf(range, range.lo) - WideUnits(part.lo->number) : 0) ||
         is_far(part.hi, part.hi ? WideUnits(part.hi->number) - PlaceOf(range, range.hi) : 0);
}

// The first point from `place` on, or past it; point_count() where there is none.
Code FirstPoint(const NumericRange& range, WideNumber place, bool past) {
  Code lo = 0, hi = range.point_count();
  while (lo < hi) {
    const Code middle = lo + (hi - lo) / 2;
    const WideNumber at = PlaceOf(range, range.point(middle));
    if (at < place || (past && at == place)) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  return lo;
}

std::optional<Interval> PointsOf(const NumericRange& range, const NumberPart& part) {
  const Code first = part.lo ? FirstPoint(range, WideUnits(part.lo->number), !part.lo->is_included) : 0;
  const Code end = part.hi ? FirstPoint(range, WideUnits(part.hi->number), part.hi->is_included) : range.point_count();
  return first < end ? std::optional(Interval{first, end - 1}) : std::nullopt;
}

// In characters: a byte that continues one is none.
std::size_t LengthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

ForeignLabelReader::ForeignLabelReader(const Domain& domain) : domain_(domain) {
  if (domain.is_numeric()) return;
  const Taxonomy& taxonomy = domain.taxonomy();
  leaves_by_label_.resize(taxonomy.leaf_count());
  std::iota(leaves_by_label_.begin(), leaves_by_label_.end(), Code{0});
  std::ranges::sort(leaves_by_label_, {}, [&](Code leaf) { return std::string_view(taxonomy.leaf_label(leaf)); });
  for (const Code leaf : leaves_by_label_) longest_leaf_ = std::max(longest_leaf_, LengthOf(taxonomy.leaf_label(leaf)));
  for (const Taxonomy::Node& node : taxonomy.nodes()) {
    for (const char separator : {',', '|'}) {
      const auto count = static_cast<std::size_t>(std::ranges::count(node.label, separator));
      most_separators_ = std::max(most_separators_, count);
    }
  }
}

ForeignLabel ForeignLabelReader::Read(std::string_view label) const {
  if (const auto codes = domain_.ParseLabel(label)) return {LabelReading::kExact, *codes};
  if (!domain_.is_numeric()) return ReadCategory(label);
  const auto numbers = ParseForeignNumbers(label);
  if (!numbers) return kUnknownLabel;
  if (numbers->kind == ForeignNumbers::Kind::kMask) return ReadMaskedNumbers(*numbers, WithoutBlanks(label).size());
  return ReadNumbers(*numbers);
}

ForeignLabel ForeignLabelReader::ReadNumbers(const ForeignNumbers& numbers) const {
  std::vector<Interval> parts;
  for (const NumberPart& part : numbers.parts) {
    const auto points = PointsOf(domain_.range(), part);
    if (!points || IsBeyond(domain_.range(), part)) return kBeyondLabel;
    parts.push_back(*points);
  }
  return Together(std::move(parts));
}

ForeignLabel ForeignLabelReader::ReadMaskedNumbers(const ForeignNumbers& mask, std::size_t length) const {
  const NumericRange& range = domain_.range();
  if (range.scale != 0) return kUnknownLabel;
  if (length > std::max(fmt::formatted_size("{}", range.lo), fmt::formatted_size("{}", range.hi))) return kBeyondLabel;
  std::vector<Interval> parts;
  for (const NumberPart& part : mask.parts) {
    if (const auto points = PointsOf(range, part)) parts.push_back(*points);
  }
  if (parts.empty()) return kBeyondLabel;
  const auto full = PointsOf(range, mask.parts.front());
  ForeignLabel all = Together(std::move(parts));
  if (full && *full != all.codes) all.reading = LabelReading::kWider;
  return all;
}

ForeignLabel ForeignLabelReader::ReadCategory(std::string_view label) const {
  const std::string_view bare = WithoutBlanks(label);
  // " *" may be a mask that left a padding blank, and what is blank altogether may be anything.
  if (bare.empty() || (bare == kPublishedRoot && bare != label)) return kUnknownLabel;
  if (const auto codes = domain_.ParseLabel(bare)) return {LabelReading::kExact, *codes};
  if (bare.back() == '*') return ReadMaskedLeaves(bare);
  return ReadLabelSet(bare);
}

// Labels may hold the separator themselves, so every way to split is looked for, and there must be just one.
// `ways` is 0, 1, or 2 for more.
std::optional<std::vector<Interval>> ForeignLabelReader::SplitAt(std::string_view set, char separator,
                                                                 std::size_t* ways) const {
  struct Split {
    std::size_t ways = 0;
    std::size_t from = 0;  // where the last label of one way begins
    Interval last;
  };
  std::vector<std::size_t> begins = {0};  // of the pieces, and one past the last
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i] == separator) begins.push_back(i + 1);
  }
  begins.push_back(set.size() + 1);
  std::vector<Split> splits(begins.size());
  splits[0].ways = 1;
  for (std::size_t end = 1; end < begins.size(); ++end) {
    const std::size_t least = end > most_separators_ + 1 ? end - most_separators_ - 1 : 0;
    for (std::size_t from = least; from < end; ++from) {
      if (splits[from].ways == 0) continue;
      const auto node =
          domain_.taxonomy().FindNode(WithoutBlanks(set.substr(begins[from], begins[end] - begins[from] - 1)));
      if (!node || *node == Taxonomy::kRoot) continue;
      splits[end] = {std::min<std::size_t>(2, splits[end].ways + splits[from].ways), from,
                     domain_.taxonomy().node(*node).leaves};
    }
  }
  *ways = splits.back().ways;
  if (*ways != 1) return std::nullopt;
  std::vector<Interval> parts;
  for (std::size_t at = splits.size() - 1; at > 0; at = splits[at].from) parts.push_back(splits[at].last);
  return parts;
}

ForeignLabel ForeignLabelReader::ReadLabelSet(std::string_view label) const {
  const bool has_braces = label.size() >= 2 && label.front() == '{' && label.back() == '}';
  if (has_braces) label = label.substr(1, label.size() - 2);
  std::size_t by_bar = 0, by_comma = 0;
  auto parts = SplitAt(label, '|', &by_bar);
  if (has_braces && label.find(',') != std::string_view::npos) {
    auto others = SplitAt(label, ',', &by_comma);
    if (others) parts = std::move(others);
  }
  if (by_bar + by_comma != 1) return kUnknownLabel;
  return Together(*std::move(parts));
}

ForeignLabel ForeignLabelReader::ReadMaskedLeaves(std::string_view label) const {
  const std::string_view prefix = label.substr(0, label.find('*'));
  const std::size_t stars = label.size() - prefix.size();
  if (label.find_first_not_of('*', prefix.size()) != std::string_view::npos) return kUnknownLabel;
  const std::size_t length = LengthOf(prefix) + stars;
  if (length > longest_leaf_) return kBeyondLabel;
  const Taxonomy& taxonomy = domain_.taxonomy();
  const auto first = std::ranges::lower_bound(leaves_by_label_, prefix, {}, [&](Code leaf) {
    return std::string_view(taxonomy.leaf_label(leaf)).substr(0, prefix.size());
  });
  std::vector<Interval> leaves;
  std::size_t full = 0;  // leaves with a character for every star
  for (auto leaf = first; leaf != leaves_by_label_.end() && taxonomy.leaf_label(*leaf).starts_with(prefix); ++leaf) {
    const std::size_t found = LengthOf(taxonomy.leaf_label(*leaf));
    if (stars > 1 && found > length) continue;
    leaves.push_back({*leaf, *leaf});
    full += found == length ? 1 : 0;
  }
  if (leaves.empty()) return kBeyondLabel;
  const bool has_two_readings = full > 0 && full < leaves.size();
  ForeignLabel all = Together(std::move(leaves));
  if (has_two_readings) all.reading = LabelReading::kWider;
  // Where every leaf fits, a missing value may have been masked as well.
  if (all.codes.size() == taxonomy.leaf_count()) all.codes = domain_.root();
  return all;
}

std::optional<std::string> ForeignLabelReader::Translate(std::string_view label) const {
  if (domain_.ParseLabel(label)) return std::string(label);
  const ForeignLabel read = Read(label);
  if (read.reading != LabelReading::kExact) return std::nullopt;
  if (!domain_.is_numeric() || read.codes.lo == read.codes.hi) return domain_.Label(read.codes);
  const NumericRange& range = domain_.range();
  const auto number = [&](Code code) { return ToString(Decimal{range.point(code), range.scale}); };
  const auto numbers = ParseForeignNumbers(label);
  const std::optional<NumberEnd>& hi = numbers->parts.front().hi;
  if (hi && !hi->is_included) {
    std::string half_open = fmt::format("[{},{})", number(read.codes.lo), ToString(hi->number));
    if (domain_.ParseLabel(half_open) == read.codes) return half_open;
  }
  return fmt::format("[{},{}]", number(read.codes.lo), number(read.codes.hi));
}

}  // namespace pentimento
