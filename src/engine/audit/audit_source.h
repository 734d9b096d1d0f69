// Where the releases of an audit are found: a name on the ledger, a folder of ours, or a stranger's table with a policy
// that describes it, as for `import`:
//
//   NAME                      with --ledger: a release on record
//   FOLDER                    with a datapackage.json of ours
//   TABLE=POLICY.toml         one table of another tool
//   NSS+SS=POLICY.toml        two tables: quasi-identifiers, and sensitive values by class
//
// What they are is brought into one description, the manifest: the one reader reads all of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/published/manifest.h"
#include "ledger/ledger.h"

namespace pentimento {

struct AuditSource {
  std::string text;                                // as the user names it
  std::filesystem::path folder = {};               // of ours
  std::vector<std::filesystem::path> tables = {};  // of a stranger: one table, or NSS and SS
  std::filesystem::path policy = {};               // that describes them
  std::optional<ReleaseRecord> record = {};        // on the ledger
  bool is_draft = false;
};

// kUsage where it is none of these forms. `records`: of the ledger, where one is named.
Result<AuditSource> ParseAuditSource(const std::string& text, const std::vector<ReleaseRecord>& records, bool is_draft);

// kBadInput where the files are not what datapackage.json or the policy says. `class_column`: of a stranger's two
// tables.
Result<Manifest> ManifestOfSource(const AuditSource& source, const std::string& class_column);

}  // namespace pentimento
