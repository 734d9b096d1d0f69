// A CSV, from its bytes to codes.
#include "fuzz/table_input.h"

using namespace pentimento;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  if (text.starts_with("PAR1")) return 0;  // another fuzzer's
  fuzz::EncodeInEveryRole(fuzz::WriteFile("table.csv", text));
  return 0;
}
