#include "ledger/printable.h"

#include <algorithm>

#include "fmt/core.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

// How many bytes of the well-formed text are a control character at `at`: U+0080 to U+009F take two.
std::size_t ControlLength(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7F) return 1;
  return byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0 ? 2 : 0;
}

void AppendHex(std::string_view bytes, std::string& printable) {
  for (const char c : bytes) printable += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

void AppendWellFormed(std::string_view text, std::string_view kept, std::string& printable) {
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t length = ControlLength(text, at);
    if (length == 0 || kept.find(text[at]) != std::string_view::npos) continue;
    printable += text.substr(done, at - done);
    AppendHex(text.substr(at, length), printable);
    at += length - 1;
    done = at + 1;
  }
  printable += text.substr(done);
}

}  // namespace

std::string Printable(std::string_view text, std::string_view kept) {
  std::string printable;
  while (!text.empty()) {
    const std::size_t good = FindBadUtf8(text).value_or(text.size());
    AppendWellFormed(text.substr(0, good), kept, printable);
    text.remove_prefix(good);
    if (text.empty()) break;
    AppendHex(text.substr(0, 1), printable);
    text.remove_prefix(1);
  }
  return printable;
}

}  // namespace pentimento
