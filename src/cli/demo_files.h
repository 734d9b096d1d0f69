// Files that the demo's stories are made from, and those that came out of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pentimento {

// Makes the folder where it is not there yet.
Status WriteDemoFile(const std::filesystem::path& file, std::string_view text);

// The rows below the header. The stories publish nothing that needs quotes. kInternal where there are not `rows` of
// them, or one does not have `columns` cells: what follows would be told of something else.
Result<std::vector<std::vector<std::string>>> ReadDemoTable(const std::filesystem::path& file, std::size_t rows,
                                                            std::size_t columns);

}  // namespace pentimento
