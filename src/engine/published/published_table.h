// A published table, read back from its files: first the labels as they stand there, then, once the domains are known,
// the boxes that they mean. Also the way to read a table that a release was made from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "engine/published/manifest.h"
#include "io/encode.h"
#include "release/classes.h"
#include "taxonomy/domain.h"

namespace pentimento {

enum class CaseNames { kLeftOut, kRead };

// The quasi-identifiers as text, one value column each. With kRead also who each row is about: hashes of the case
// names, each name once, or it is an error.
Result<EncodedInput> ReadPublishedLabels(const Manifest& manifest, CaseNames names);

// A domain that holds all that these labels mean; those that mean nothing are passed over. `labels`: lists of them.
Result<Domain> DomainOfLabels(const PublishedColumn& field, const std::vector<const std::vector<std::string>*>& labels,
                              bool allows_missing);

// Domains that hold the labels of all these tables, which were published with the same quasi-identifiers.
Result<std::vector<Domain>> DomainsOfLabels(const Manifest& manifest, bool allows_missing,
                                            std::span<const EncodedInput> tables);

// Rows with equal labels are one group.
Result<Classes> ReadBoxes(const Manifest& manifest, const EncodedInput& table, std::span<const Domain> domains);

// The quasi-identifiers of the tables in these files, one after the other.
Result<EncodedInput> ReadOriginals(const std::vector<std::filesystem::path>& files, const Manifest& manifest,
                                   std::vector<std::string> missing, Progress* progress);

}  // namespace pentimento
