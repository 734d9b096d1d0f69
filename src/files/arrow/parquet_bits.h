// The bytes inside of a Parquet page: definition levels, and indices into a dictionary, both in Parquet's hybrid of
// repeated values and packed bits. Pure functions, without Parquet's library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pentimento {

using PageBytes = std::vector<std::uint8_t>;

// Bits that an index into `entries` dictionary entries needs; at least one, because not every reader knows of none.
unsigned IndexWidth(std::size_t entries);

// Values below 2^width, as stretches of packed bits, and as repetitions where one value comes often in a row.
void AppendHybrid(std::span<const std::uint32_t> values, unsigned width, PageBytes& page);

// Which of `rows` rows hold a value: `valid` has a bit for each, the lowest first, or is empty where all do. Preceded
// by its length.
void AppendLevels(std::size_t rows, std::span<const std::uint8_t> valid, PageBytes& page);

// The width, and the indices.
void AppendIndices(std::span<const std::uint32_t> indices, unsigned width, PageBytes& page);

}  // namespace pentimento
