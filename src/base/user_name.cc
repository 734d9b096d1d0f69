#include "base/user_name.h"

#include <fmt/core.h>
#include <pwd.h>
#include <unistd.h>

#include <array>

namespace pentimento {

std::string UserName() {
  const uid_t user = geteuid();
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> text;
  if (getpwuid_r(user, &entry, text.data(), text.size(), &found) == 0 && found != nullptr && *found->pw_name != 0)
    return found->pw_name;
  return fmt::format("user {}", user);
}

}  // namespace pentimento
