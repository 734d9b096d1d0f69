#include "audit/moved_rows.h"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "audit/box_index.h"
#include "base/check.h"
#include "base/parallel.h"
#include "base/parallel_sort.h"

namespace pentimento {
namespace {

constexpr std::size_t kHomesPerTask = 4096;
constexpr std::uint64_t kMostWork = std::uint64_t{1} << 18;  // on the choices of one home within its limits
// By which rounding may make the logarithm of a chance too small, over all homes: far more than it does.
constexpr double kLogRounding = 1e-3;

double LogBinomial(double n, double k) {
  int sign = 0;  // std::lgamma writes a global
  return ::lgamma_r(n + 1, &sign) - ::lgamma_r(k + 1, &sign) - ::lgamma_r(n - k + 1, &sign);
}

bool LiesIn(std::span<const Interval> inner, std::span<const Interval> outer) {
  return std::ranges::equal(outer, inner, [](Interval a, Interval b) { return a.Contains(b); });
}

double CodesIn(std::span<const Interval> box) {
  double codes = 1;
  for (const Interval interval : box) codes *= static_cast<double>(interval.size());
  return codes;
}

// By row: its home.
std::vector<ClassNumber> FindHomes(const MovedQuestion& question) {
  const Classes& classes = question.classes;
  std::vector<ClassNumber> homes(classes.of_row.size());
  const BoxIndex index(classes.columns, classes.boxes);
  ParallelFor(homes.size(), kHomesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const auto known = question.known.subspan(row * classes.columns, classes.columns);
      const ClassNumber own = classes.of_row[row];
      ClassNumber home = own;
      double codes = CodesIn(classes.box(own));
      index.ForEachMeeting(known, [&](ClassNumber other) {
        const auto box = classes.box(other);
        const double others_codes = CodesIn(box);
        if (others_codes > codes || (others_codes == codes && other >= home) || other == own) return;
        // A box as large as its own that lies inside is its own.
        if (!LiesIn(known, box) || !LiesIn(box, classes.box(own)) || LiesIn(classes.box(own), box)) return;
        home = other;
        codes = others_codes;
      });
      homes[row] = home;
    }
  });
  return homes;
}

// Rows with one home: those that stayed and those that were moved, by value. Where limits are given, those moved to one
// class alone.
struct HomeValue {
  std::uint32_t value = 0;
  std::uint32_t rows = 0;   // stayed or moved
  std::uint32_t moved = 0;  // of them
  std::uint32_t least = 0;  // that had to be moved for the limits
  std::uint32_t most = 0;   // that could be
};
struct Home {
  std::vector<HomeValue> values;
  std::uint32_t rows = 0;
  std::uint32_t moved = 0;
  bool is_limited = false;  // some number of moved rows is ruled out by the limits
};

struct RowAtHome {
  ClassNumber home = 0;
  ClassNumber own = 0;
  std::uint32_t value = 0;
  friend auto operator<=>(const RowAtHome&, const RowAtHome&) = default;
};

void AddValue(Home& home, std::uint32_t value, std::uint32_t rows, std::uint32_t moved) {
  home.values.push_back({.value = value, .rows = rows, .moved = moved, .least = 0, .most = rows});
  home.rows += rows;
  home.moved += moved;
}

// Of one home: counts of its rows by value, those that stay and those that are moved to `to` (to any class where there
// is none). Rows are sorted by class and value.
Home CountHome(std::span<const RowAtHome> rows, std::optional<ClassNumber> to) {
  std::vector<std::pair<std::uint32_t, bool>> values;  // and whether it is moved
  for (const RowAtHome& row : rows) {
    const bool is_moved = row.own != row.home;
    if (!is_moved || !to || row.own == *to) values.emplace_back(row.value, is_moved);
  }
  std::ranges::sort(values);
  Home home;
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    std::uint32_t moved = 0;
    for (; end < values.size() && values[end].first == values[begin].first; ++end) moved += values[end].second ? 1 : 0;
    AddValue(home, values[begin].first, static_cast<std::uint32_t>(end - begin), moved);
  }
  return home;
}

template <typename Body>
void ForEachHome(std::span<const RowAtHome> rows, const Body& body) {
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].home == rows[begin].home) ++end;
    body(rows.subspan(begin, end - begin));
  }
}

// How many rows of each class have which value.
class BagsOfClasses {
 public:
  explicit BagsOfClasses(const MovedQuestion& question) : size_(question.classes.count()) {
    rows_.reserve(question.values.size());
    for (std::size_t row = 0; row < question.values.size(); ++row) {
      rows_.push_back(std::uint64_t{question.classes.of_row[row]} << 32 | question.values[row]);
      ++size_[question.classes.of_row[row]];
    }
    ParallelSort(rows_.begin(), rows_.end(), std::less());
  }
  std::uint32_t size(ClassNumber number) const { return size_[number]; }
  std::uint32_t Count(ClassNumber number, std::uint32_t value) const {
    const auto found = std::ranges::equal_range(rows_, std::uint64_t{number} << 32 | value);
    return static_cast<std::uint32_t>(found.size());
  }

 private:
  std::vector<std::uint32_t> size_;
  std::vector<std::uint64_t> rows_;  // class and value, sorted
};

// How many rows with each value had to be moved, and could be, so that both classes keep the limit. Where they do not
// keep it as they are, nothing was forced by it.
void Limit(Home& home, ClassNumber from, ClassNumber to, const BagsOfClasses& bags, Ratio at_most) {
  __extension__ using Wide = unsigned __int128;
  const auto allowed = [&](ClassNumber number) {
    return static_cast<std::uint64_t>(Wide{bags.size(number)} * at_most.num / at_most.den);
  };
  const std::uint64_t at_home = allowed(from), elsewhere = allowed(to);
  for (const HomeValue& value : home.values) {
    if (bags.Count(from, value.value) > at_home || bags.Count(to, value.value) > elsewhere) return;
  }
  for (HomeValue& value : home.values) {
    // Rows of the two classes that are not chosen from.
    const std::uint64_t fixed_at_home = bags.Count(from, value.value) - (value.rows - value.moved);
    const std::uint64_t fixed_elsewhere = bags.Count(to, value.value) - value.moved;
    const std::uint64_t may_stay = at_home - fixed_at_home, may_go = elsewhere - fixed_elsewhere;
    value.least = may_stay < value.rows ? static_cast<std::uint32_t>(value.rows - may_stay) : 0;
    value.most = static_cast<std::uint32_t>(std::min<std::uint64_t>(value.rows, may_go));
    home.is_limited = home.is_limited || value.least > 0 || value.most < std::min(value.rows, home.moved);
  }
}

std::vector<Home> ListHomes(std::span<const RowAtHome> rows) {
  std::vector<Home> homes;
  ForEachHome(rows, [&](std::span<const RowAtHome> of_home) {
    Home home = CountHome(of_home, {});
    if (home.moved > 0 && home.moved < home.rows) homes.push_back(std::move(home));
  });
  return homes;
}

// Homes and the classes that their rows were moved to, no class twice, those with most to see first.
std::vector<Home> ListLimitedHomes(std::span<const RowAtHome> rows, const MovedQuestion& question) {
  struct Move {
    std::uint32_t seen = 0;
    ClassNumber from = 0, to = 0;
    std::span<const RowAtHome> rows;
  };
  std::vector<Move> moves;
  ForEachHome(rows, [&](std::span<const RowAtHome> of_home) {
    const auto stayed = static_cast<std::uint32_t>(
        std::ranges::count_if(of_home, [](const RowAtHome& row) { return row.own == row.home; }));
    for (std::size_t begin = 0, end = 0; begin < of_home.size(); begin = end) {
      while (end < of_home.size() && of_home[end].own == of_home[begin].own) ++end;
      const std::uint32_t seen = std::min(stayed, static_cast<std::uint32_t>(end - begin));
      if (of_home[begin].own != of_home[begin].home && seen > 0)
        moves.push_back({seen, of_home[begin].home, of_home[begin].own, of_home});
    }
  });
  std::ranges::stable_sort(moves, std::greater(), &Move::seen);
  const BagsOfClasses bags(question);
  std::vector<bool> is_used(question.classes.count());
  std::vector<Home> homes;
  for (const Move& move : moves) {
    if (is_used[move.from] || is_used[move.to]) continue;
    is_used[move.from] = is_used[move.to] = true;
    homes.push_back(CountHome(move.rows, move.to));
    Limit(homes.back(), move.from, move.to, bags, *question.at_most);
  }
  return homes;
}

// The chances of how many rows of some kind are moved, from `least` on.
struct Moves {
  std::uint32_t least = 0;
  std::vector<double> log_chance;

  double Mean() const {
    double mean = 0;
    for (std::size_t i = 0; i < log_chance.size(); ++i)
      mean += std::exp(log_chance[i]) * (least + static_cast<double>(i));
    return mean;
  }
  // The logarithm of the mean of e^(slope * number).
  double LogMoment(double slope) const {
    double greatest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < log_chance.size(); ++i)
      greatest = std::max(greatest, log_chance[i] + slope * (least + static_cast<double>(i)));
    double sum = 0;
    for (std::size_t i = 0; i < log_chance.size(); ++i)
      sum += std::exp(log_chance[i] + slope * (least + static_cast<double>(i)) - greatest);
    return greatest + std::log(sum);
  }
};

// Of `rows` rows `moved` are drawn; `kind` of them are of the kind.
Moves Hypergeometric(std::uint32_t rows, std::uint32_t kind, std::uint32_t moved) {
  Moves moves{.least = moved > rows - kind ? moved - (rows - kind) : 0, .log_chance = {}};
  const double all = LogBinomial(rows, moved);
  for (std::uint32_t x = moves.least; x <= std::min(kind, moved); ++x)
    moves.log_chance.push_back(LogBinomial(kind, x) + LogBinomial(rows - kind, moved - x) - all);
  return moves;
}

// Numbers of choices by how many rows are moved, up to a factor.
using Choices = std::vector<double>;

Choices ChoicesOf(const HomeValue& value, std::uint32_t moved) {
  Choices choices(moved + std::size_t{1}, 0.0);
  const double greatest = LogBinomial(value.rows, value.rows / 2);
  for (std::uint32_t x = value.least; x <= std::min(value.most, moved); ++x)
    choices[x] = std::exp(LogBinomial(value.rows, x) - greatest);
  return choices;
}

Choices Combine(const Choices& a, const Choices& b) {
  Choices both(a.size(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    for (std::size_t j = 0; i + j < both.size(); ++j) both[i + j] += a[i] * b[j];
  }
  const double greatest = *std::ranges::max_element(both);
  for (double& choices : both) choices /= greatest;
  return both;
}

// Of each value: the chances of how many are moved, all choices within the limits being equally likely.
std::vector<Moves> WithinLimits(const Home& home) {
  const std::size_t count = home.values.size();
  Choices none(home.moved + std::size_t{1}, 0.0);
  none[0] = 1;
  std::vector<Choices> before = {none}, after(count + 1, none);
  for (const HomeValue& value : home.values) before.push_back(Combine(before.back(), ChoicesOf(value, home.moved)));
  for (std::size_t v = count; v > 0; --v) after[v - 1] = Combine(after[v], ChoicesOf(home.values[v - 1], home.moved));
  std::vector<Moves> moves;
  for (std::size_t v = 0; v < count; ++v) {
    const Choices others = Combine(before[v], after[v + 1]), own = ChoicesOf(home.values[v], home.moved);
    Moves& of_value = moves.emplace_back(Moves{.least = home.values[v].least, .log_chance = {}});
    double sum = 0;
    const std::uint32_t most = std::min(home.values[v].most, home.moved);
    for (std::uint32_t x = of_value.least; x <= most; ++x) sum += own[x] * others[home.moved - x];
    for (std::uint32_t x = of_value.least; x <= most; ++x)
      of_value.log_chance.push_back(std::log(own[x] * others[home.moved - x] / sum));
  }
  return moves;
}

// A sum over homes of numbers of moved rows times weights: what is expected, what is observed, and how likely something
// as far away is at most.
class MovedTest {
 public:
  void Add(const Moves& moves, double weight, std::uint32_t observed) {
    if (moves.log_chance.size() < 2 || weight == 0) {  // nothing was left to chance
      forced_ += weight * observed;
      return;
    }
    terms_.push_back({&moves, weight});
    observed_ += weight * observed;
    expected_ += weight * moves.Mean();
    largest_weight_ = std::max(largest_weight_, weight);
  }
  bool is_empty() const { return terms_.empty(); }
  double observed() const { return observed_ + forced_; }
  double expected() const { return expected_ + forced_; }

  // Chernoff's bound, on the side of what is observed. The numbers of one home's values are negatively associated
  // (Joag-Dev and Proschan 1983: independent log-concave ones, given their sum), and weights are never negative: so the
  // mean of the product is at most the product of the means. Any slope gives a bound; the best one is looked for.
  double P() const {
    const double sign = observed_ > expected_ ? 1 : -1;
    const auto bound = [&](double slope) {
      double log_bound = -sign * slope * observed_;
      for (const Term& term : terms_) log_bound += term.moves->LogMoment(sign * slope * term.weight);
      return log_bound;
    };
    double low = 0, high = 1 / largest_weight_;
    while (high * largest_weight_ < 64 && bound(2 * high) < bound(high)) high *= 2;
    high *= 2;
    constexpr double kGolden = 0.6180339887498949;
    double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
    double at_left = bound(left), at_right = bound(right);
    for (int step = 0; step < 40; ++step) {
      if (at_left < at_right) {
        high = right;
        right = left;
        at_right = at_left;
        at_left = bound(left = high - kGolden * (high - low));
      } else {
        low = left;
        left = right;
        at_left = at_right;
        at_right = bound(right = low + kGolden * (high - low));
      }
    }
    const double log_p = std::log(2.0) + std::min({0.0, at_left, at_right}) + kLogRounding;
    return std::min(1.0, std::max(std::exp(log_p), std::numeric_limits<double>::min()));
  }

 private:
  struct Term {
    const Moves* moves;
    double weight;
  };
  std::vector<Term> terms_;
  double observed_ = 0;  // of the terms, as is what is expected
  double expected_ = 0;
  double forced_ = 0;
  double largest_weight_ = 0;
};

// A value at one home.
struct ValueAtHome {
  std::uint32_t value = 0;
  std::uint32_t observed = 0;
  Moves moves;
};

struct HomeMoves {
  std::vector<ValueAtHome> of_values;
  // Values with one share at home taken together, where nothing limits them: the share, what was observed, the chances.
  struct SameShare {
    double share = 0;
    std::uint32_t observed = 0;
    Moves moves;
  };
  std::vector<SameShare> of_shares;
  std::uint32_t moved = 0;
  double least_share = 0;
};

HomeMoves MovesOf(const Home& home) {
  HomeMoves moves;
  moves.moved = home.moved;
  std::vector<Moves> limited;
  if (home.is_limited) limited = WithinLimits(home);
  for (std::size_t v = 0; v < home.values.size(); ++v) {
    const HomeValue& value = home.values[v];
    moves.of_values.push_back(
        {.value = value.value,
         .observed = value.moved,
         .moves = home.is_limited ? limited[v] : Hypergeometric(home.rows, value.rows, home.moved)});
  }
  std::vector<HomeValue> by_share = home.values;
  std::ranges::stable_sort(by_share, std::less(), &HomeValue::rows);
  moves.least_share = static_cast<double>(by_share.front().rows) / home.rows;
  for (std::size_t begin = 0, end = 0; begin < by_share.size(); begin = end) {
    std::uint32_t kind = 0, observed = 0;
    while (end < by_share.size() && by_share[end].rows == by_share[begin].rows) {
      kind += by_share[end].rows;
      observed += by_share[end++].moved;
    }
    if (!home.is_limited) {
      moves.of_shares.push_back({static_cast<double>(by_share[begin].rows) / home.rows, observed,
                                 Hypergeometric(home.rows, kind, home.moved)});
    }
  }
  for (std::size_t v = 0; home.is_limited && v < home.values.size(); ++v) {
    moves.of_shares.push_back({static_cast<double>(home.values[v].rows) / home.rows, home.values[v].moved, limited[v]});
  }
  return moves;
}

bool IsTooMuch(const Home& home) {
  return home.is_limited && std::uint64_t{home.moved} * home.moved * home.values.size() > kMostWork;
}

void TestValues(std::span<const HomeMoves> homes, MovedRows& found) {
  std::vector<const ValueAtHome*> values;
  for (const HomeMoves& home : homes) {
    for (const ValueAtHome& value : home.of_values) values.push_back(&value);
  }
  std::ranges::stable_sort(values, std::less(), &ValueAtHome::value);
  // Shares are counted from the smallest one at home: the number of moved rows is given, so nothing else changes.
  MovedTest by_share;
  double counted_apart = 0;
  for (const HomeMoves& home : homes) {
    for (const auto& same : home.of_shares) by_share.Add(same.moves, same.share - home.least_share, same.observed);
    counted_apart += home.least_share * home.moved;
  }
  double strongest = 1;
  const auto offer = [&](const MovedTest& test, std::optional<std::uint32_t> value, double apart) {
    if (test.is_empty()) return;
    ++found.tests;
    const double p = test.P();
    if (found.tests > 1 && p >= strongest) return;
    strongest = p;
    found.value = value;
    found.observed = test.observed() + apart;
    found.expected = test.expected() + apart;
  };
  offer(by_share, {}, counted_apart);
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    MovedTest of_value;
    for (; end < values.size() && values[end]->value == values[begin]->value; ++end)
      of_value.Add(values[end]->moves, 1, values[end]->observed);
    offer(of_value, values[begin]->value, 0);
  }
  found.p = std::min(1.0, strongest * std::max(found.tests, 1u));
}

}  // namespace

MovedRows FindMovedRows(const MovedQuestion& question) {
  const Classes& classes = question.classes;
  MovedRows found;
  if (classes.columns == 0) return found;
  Check(question.known.size() == classes.of_row.size() * classes.columns, "every row has its quasi-identifiers");
  Check(question.values.empty() || question.values.size() == classes.of_row.size(), "every row has a value or none");
  const std::vector<ClassNumber> homes = FindHomes(question);
  std::vector<bool> is_home(classes.count());
  for (std::uint32_t row = 0; row < homes.size(); ++row) {
    if (homes[row] == classes.of_row[row]) continue;
    if (found.moved++ == 0) found.witness = row;
    found.homes += is_home[homes[row]] ? 0 : 1;
    is_home[homes[row]] = true;
  }
  if (found.moved == 0 || question.values.empty()) return found;
  std::vector<RowAtHome> rows;
  for (std::size_t row = 0; row < homes.size(); ++row) {
    if (is_home[homes[row]]) rows.push_back({homes[row], classes.of_row[row], question.values[row]});
  }
  ParallelSort(rows.begin(), rows.end(), std::less());
  std::vector<HomeMoves> moves;
  for (const Home& home : question.at_most ? ListLimitedHomes(rows, question) : ListHomes(rows)) {
    if (IsTooMuch(home)) continue;
    moves.push_back(MovesOf(home));
    found.tested += home.moved;
  }
  TestValues(moves, found);
  return found;
}

}  // namespace pentimento
