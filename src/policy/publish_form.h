// In which tables a release is published, and which algorithm forms its groups.
#pragma once

#include <span>

#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

// Two tables keep alpha-k-anonymity and no other guarantee, and have columns of their own.
Result<PublishForm> ReadForm(const Source& source, const Value& value, std::span<const ColumnPolicy> columns,
                             std::span<const GuaranteePolicy> guarantees, PolicyUse use);

// An error where there is nothing to choose.
Result<Method> ReadMethod(const Source& source, const Entry& entry, PublishForm form,
                          std::span<const GuaranteePolicy> guarantees);
Result<SensitiveTables> ReadSensitiveTables(const Source& source, const Entry& entry, PublishForm form,
                                            std::span<const ColumnPolicy> columns);

}  // namespace pentimento::policy_file
