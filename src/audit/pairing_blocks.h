// Which pairs of values can belong together at all, once every record has a partner of its own. An attacker who knows
// that two releases are about the same people, a record each, rules out the others.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace pentimento {

// The values by which the records of two releases match. Records with one value are interchangeable.
struct MatchGraph {
  std::vector<std::uint64_t> left;                  // records of each value; never 0, and their sum fits
  std::vector<std::uint64_t> right;                 // likewise
  std::vector<std::vector<std::uint32_t>> matches;  // by left value: the right values that match, each once
};

// A pairing gives every record of the smaller side a partner of its own that it matches. Two values that match are
// paired in some pairing if and only if they are in one block.
struct PairingBlocks {
  std::vector<std::uint32_t> of_left;
  std::vector<std::uint32_t> of_right;
  std::uint32_t count = 0;
};

enum class NoBlocks {
  kNoPairing,  // somebody of the smaller side is left over in every assignment
  kTooManySteps
};

// Exact. A step is a look at one pair of values that match; the same graph takes the same steps everywhere.
std::variant<PairingBlocks, NoBlocks> FindPairingBlocks(const MatchGraph& graph, std::uint64_t most_steps);

}  // namespace pentimento
