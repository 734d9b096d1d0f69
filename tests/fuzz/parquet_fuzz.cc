// A Parquet file, from its bytes to codes. Arrow itself is not instrumented: what counts is that nothing that it hands
// over is believed unseen.
#include "fuzz/table_input.h"

using namespace pentimento;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  if (!bytes.starts_with("PAR1") || !bytes.ends_with("PAR1")) return 0;  // the door is the CSV fuzzer's
  fuzz::EncodeInEveryRole(fuzz::WriteFile("table.parquet", bytes));
  return 0;
}
