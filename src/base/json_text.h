// What is asked of JSON that somebody else may have written, before the library sees it or converts it.
#pragma once

#include <cstdint>
#include <string_view>

namespace pentimento {

// A whole number that is not negative, and nothing else. The library's get<T>() would also convert 1e300, which is
// undefined, and -1, which is 18446744073709551615. Throws the library's type_error for anything else.
template <typename Json>
std::uint64_t WholeNumber(const Json& json) {
  return json.template get_ref<const typename Json::number_unsigned_t&>();
}

// Whether brackets of the text stand deeper in each other than anything we write: the library copies and prints what
// is nested by calling itself, and would run out of stack.
inline bool IsNestedDeeply(std::string_view json) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace pentimento
