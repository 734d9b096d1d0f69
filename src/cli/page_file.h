// A page that a command writes for a browser.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace pentimento {

// Written aside and renamed, so that a file is never half a page. A private one is for its owner alone.
Status WritePage(const std::filesystem::path& file, std::string_view html, bool is_private);

// In the reader's browser, which goes on by itself. kUsage where the desktop has no program for that.
Status OpenPage(const std::filesystem::path& file);

}  // namespace pentimento
