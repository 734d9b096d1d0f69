// `pentimento audit`: what releases of anybody tell together about the people in them. It reads what was published, and
// privately who everybody is; it publishes and records nothing. docs/formats/audit.md is its page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "audit/finding.h"
#include "base/progress.h"
#include "base/ratio.h"
#include "base/result.h"
#include "engine/audit/attacks.h"

namespace pentimento {

struct AuditOptions {
  std::vector<std::string> releases = {};  // none: all on the ledger
  std::vector<std::string> drafts = {};
  std::optional<std::filesystem::path> ledger = {};
  std::optional<std::filesystem::path> people = {};
  std::optional<std::filesystem::path> people_policy = {};
  std::optional<std::filesystem::path> truth = {};
  std::string key_column = {};
  std::string class_column = "class_id";
  AuditQuestion question = {};
  Progress* progress = nullptr;
};

struct AuditedSummary {
  std::string name;
  std::string source;
  std::string form;  // "generalized", "two-tables"
  bool is_draft = false;
  std::uint64_t rows = 0;
  std::uint64_t classes = 0;
  std::uint64_t k = 0;                  // promised; 0: nothing is
  std::optional<std::uint64_t> people;  // who are known to be in it
  std::vector<UnreadColumn> unread;
};

struct AuditOutcome {
  std::vector<AuditedSummary> releases;
  std::optional<std::uint64_t> people;  // listed in --people, or known to the ledger
  AuditQuestion question;
  std::vector<AttackReport> attacks;
  std::vector<Finding> findings;
  std::optional<GuessScore> guesses;
  std::vector<ShownInference> inference;
  std::vector<std::string> notes;
};

Result<AuditOutcome> AuditReleases(const AuditOptions& options);

// For people, and for programs: docs/formats/audit.md.
std::string AuditInWords(const AuditOutcome& outcome);
std::string AuditAsJson(const AuditOutcome& outcome, bool fails);

}  // namespace pentimento
