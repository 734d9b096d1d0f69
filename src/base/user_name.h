// Who runs this process. Nothing that is published depends on it.
#pragma once

#include <string>

namespace pentimento {

// The name of the account, or "user 1000" where the system knows none.
std::string UserName();

}  // namespace pentimento
