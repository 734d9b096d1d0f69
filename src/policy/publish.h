// The [publish] table: how the release is written, and what it is to be good for.
#pragma once

#include <optional>
#include <span>

#include "base/category_form.h"
#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

struct Publish {
  FileFormat format = FileFormat::kCsv;
  CategoryForm categories = CategoryForm::kTaxonomy;
  PublishForm form = PublishForm::kGeneralized;
  SensitiveTables sensitive_tables = SensitiveTables::kSeparate;
  std::optional<Method> method;
  std::optional<Utility> utility;
  LeaversRule leavers = LeaversRule::kEmptied;
  bool interval_columns = false;
};

// `policy` is the whole file. What the guarantees cannot go with, or would make no use of, is an error.
Result<Publish> ReadPublish(const Source& source, const TableReader& policy, std::span<const ColumnPolicy> columns,
                            std::span<const GuaranteePolicy> guarantees, PolicyUse use);

}  // namespace pentimento::policy_file
