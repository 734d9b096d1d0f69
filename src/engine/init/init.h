// `pentimento init`: from a table as somebody has it to a policy whose roles are to be confirmed, and taxonomies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "engine/init/draft_policy.h"
#include "engine/init/survey.h"
#include "policy/policy.h"

namespace pentimento {

struct InitOptions {
  std::vector<std::filesystem::path> tables;         // as a policy could name them; or one ARX project
  std::optional<std::filesystem::path> folder;       // into which to write; else one that is called like the table
  std::optional<std::filesystem::path> hierarchies;  // a folder with taxonomies of columns, beside the table's own
  TextSetting text;
  Progress* progress = nullptr;
};

struct InitOutcome {
  std::filesystem::path policy;
  std::vector<std::filesystem::path> taxonomies;
  std::optional<std::filesystem::path> table;  // taken out of a project
  TableSurvey survey;
  PolicyDraft draft;
};

// Writes everything or nothing, and over no file that is there. Errors: kUsage for what is there already, else those of
// reading and writing.
Result<InitOutcome> InitPolicy(const InitOptions& options);

}  // namespace pentimento
