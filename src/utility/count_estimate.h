// Counts that are estimated from what was published, with what is known of their error. Doubles will do here: nothing
// of this is a result about privacy.
//
// Two tables: of the n rows of a class, a meet what is asked of the quasi-identifiers and b what is asked of the
// sensitive value. Which of them are the same is not published. If every assignment of the class's sensitive values to
// its rows is equally likely, the number of rows that meet both is hypergeometric: its mean is ab/n and its variance
// ab(n-a)(n-b) / (n^2 (n-1)). It is certainly at least a+b-n and at most min(a, b).
//
// One generalized table: b rows share a box of which the share p meets the predicate. If each lies anywhere in the box
// with equal chance, the number that meets it is binomial: its mean is bp and its variance bp(1-p).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace pentimento {

struct CountEstimate {
  double estimate = 0;
  double variance = 0;
  double least = 0;  // the count is certainly between these two
  double most = 0;
  double naive = 0;  // the estimate of Wong et al.: all that meets the sensitive predicate in every class touched

  double standard_error() const { return std::sqrt(variance); }
  bool is_exact() const { return least == most; }

  CountEstimate& operator+=(const CountEstimate& other) {
    estimate += other.estimate;
    variance += other.variance;
    least += other.least;
    most += other.most;
    naive += other.naive;
    return *this;
  }
  friend bool operator==(const CountEstimate&, const CountEstimate&) = default;
};

// Covers chance within classes or boxes alone, and of that 95 % as far as the count is normally distributed: where
// values go with quasi-identifiers inside of a class, the true count is outside more often. Never outside of what is
// certain.
struct CountInterval {
  double low = 0;
  double high = 0;
};
CountInterval ChanceInterval(const CountEstimate& count);

// A number of rows that is known.
CountEstimate KnownCount(double rows);

// Classes of one size, counted together: their numbers are whole until the end, when they are divided once. Classes
// with a = 0 must be left out.
class EqualClasses {
 public:
  explicit EqualClasses(std::uint64_t size) : size_(static_cast<double>(size)) {}

  void Add(std::uint64_t a, std::uint64_t b) {
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    products_ += x * y;
    spreads_ += x * y * (size_ - x) * (size_ - y);
    least_ += std::max(0.0, x + y - size_);
    most_ += std::min(x, y);
    naive_ += y;
  }
  // What several calls of Add add up to.
  struct Sums {
    std::uint64_t products = 0;  // ab
    std::uint64_t spreads = 0;   // ab(n-a)(n-b)
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    std::uint64_t naive = 0;
  };
  void AddSums(const Sums& sums) {
    products_ += static_cast<double>(sums.products);
    spreads_ += static_cast<double>(sums.spreads);
    least_ += static_cast<double>(sums.least);
    most_ += static_cast<double>(sums.most);
    naive_ += static_cast<double>(sums.naive);
  }
  CountEstimate Sum() const {
    const double divisor = size_ * size_ * (size_ - 1);
    return {products_ / size_, size_ > 1 ? spreads_ / divisor : 0.0, least_, most_, naive_};
  }

 private:
  double size_, products_ = 0, spreads_ = 0, least_ = 0, most_ = 0, naive_ = 0;
};

// A class with several sensitive predicates, each in an SS table of its own; `b` has one number for each. What a row
// has in one table is taken to be independent of what it has in another, given the class: an approximation, because
// what goes together in the data is not published. The least and the most are certain all the same.
CountEstimate EstimateInClass(std::uint64_t size, std::uint64_t a, std::span<const std::uint64_t> b);

// `rows` rows of one box that may meet the predicate, of which the share `part` does; `certain`: all of them do.
CountEstimate EstimateInBox(double rows, double part, bool certain);

}  // namespace pentimento
