#include "ledger/printable.h"

#include "fmt/core.h"
#include "taxonomy/label.h"

namespace pentimento {

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const std::size_t good = FindBadUtf8(text).value_or(text.size());
    for (const char c : text.substr(0, good)) {
      const auto byte = static_cast<unsigned char>(c);
      printable += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
    }
    if (good < text.size()) printable += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[good]));
    text.remove_prefix(std::min(text.size(), good + 1));
  }
  return printable;
}

}  // namespace pentimento
