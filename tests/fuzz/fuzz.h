// What the fuzzers share.
//
// A parser may refuse whatever it gets, but it says whose move it is. Four things are findings: a sanitizer's report,
// an exception, a failed Check, and an error that calls the input a bug of ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pentimento::fuzz {

inline std::string_view TextOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

[[noreturn]] void Report(std::string_view what);

inline void Require(bool holds, std::string_view what) {
  if (!holds) Report(what);
}

// Whether it was taken.
template <typename T>
bool Took(const Result<T>& result) {
  if (result.ok()) return true;
  Require(result.error().code != ErrorCode::kInternal, result.error().message);
  Require(!result.error().message.empty(), "a refusal says why");
  return false;
}

// A folder of this process for parsers that read files. It goes when the process ends in peace.
const std::filesystem::path& Folder();
// Writes a file there, over one of the same name.
std::filesystem::path WriteFile(const std::string& name, std::string_view bytes);

}  // namespace pentimento::fuzz
