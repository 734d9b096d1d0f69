#include "base/big_natural.h"

#include <algorithm>

namespace pentimento {

BigNatural::BigNatural(std::uint64_t value) {
  if (value != 0) digits_.push_back(value);
}

BigNatural& BigNatural::operator*=(std::uint64_t factor) {
  __extension__ using Wide = unsigned __int128;
  if (factor == 0) digits_.clear();
  std::uint64_t carry = 0;
  for (std::uint64_t& digit : digits_) {
    const Wide product = Wide{digit} * factor + carry;
    digit = static_cast<std::uint64_t>(product);
    carry = static_cast<std::uint64_t>(product >> 64);
  }
  if (carry != 0) digits_.push_back(carry);
  return *this;
}

std::strong_ordering operator<=>(const BigNatural& a, const BigNatural& b) {
  if (a.digits_.size() != b.digits_.size()) return a.digits_.size() <=> b.digits_.size();
  return std::lexicographical_compare_three_way(a.digits_.rbegin(), a.digits_.rend(), b.digits_.rbegin(),
                                                b.digits_.rend());
}

}  // namespace pentimento
