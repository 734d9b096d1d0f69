// The other door out: an SS table of a release in two tables. Its rows are in the order of class and value, which
// says nothing about the rows of NSS. Like the first door it takes verified tables and nothing less.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/arrow_c_data.h"
#include "release/verified_release.h"
#include "table/values.h"

namespace pentimento {

struct SensitiveStreamNames {
  std::string class_id;
  std::string count;
};

// Columns: the class's public number (from 1), the table's sensitive columns under their own names, the count.
// `sensitive` are all sensitive columns of the release. Everything must outlive the stream; `failure` receives an error
// that the stream meets on the way.
ArrowArrayStream MakeSensitiveStream(const VerifiedRelease& release, std::size_t table,
                                     std::span<const ValueColumn* const> sensitive, const SensitiveStreamNames& names,
                                     std::shared_ptr<std::optional<Error>> failure);

}  // namespace pentimento
