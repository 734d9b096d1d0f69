// Unpacks "deflate", the way in which ZIP archives and gzip pack, block by block.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace pentimento {

class Inflater {
 public:
  struct Step {
    std::size_t read = 0;
    std::size_t written = 0;
  };

  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  virtual ~Inflater() = default;

  // Takes from `packed` what there is room for in `out`; nothing where it is damaged.
  virtual std::optional<Step> Inflate(std::string_view packed, std::span<char> out) = 0;
  virtual bool IsFinished() = 0;
};

Result<std::unique_ptr<Inflater>> MakeInflater();

}  // namespace pentimento
