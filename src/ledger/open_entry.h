// What goes on record before a release becomes visible: all that is needed to repeat it, to find it on disk after a
// crash, and to check later releases against it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "ledger/chain.h"
#include "ledger/state_file.h"

namespace pentimento {

// The file by which a published folder is recognised after a crash; every release has it.
inline constexpr std::string_view kManifestName = "datapackage.json";

struct PublishedFile {
  std::string name;    // relative to the release's folder
  std::string sha256;  // 64 hex digits
  std::uint64_t bytes = 0;
  friend bool operator==(const PublishedFile&, const PublishedFile&) = default;
};

// The table that a release was made from, as far as it may be kept.
struct RecordedInput {
  std::vector<std::string> files;
  std::uint64_t rows = 0;
  std::vector<std::string> columns;
};

struct OpenEntry {
  std::string release;
  std::string policy_text;      // private
  std::string guarantee;        // in words, for people
  std::string parameters_json;  // the same for programs
  std::uint64_t rows = 0;       // rows published
  Seed seed = {};               // private
  std::vector<PublishedFile> files;
  std::filesystem::path final_path;  // absolute: the folder that becomes visible
  std::vector<StateFileRecord> state_files;
  // State files of earlier releases that these make superfluous: they are removed once this release is published.
  std::vector<std::string> replaces;
  // What it tells together with the releases that were on record, as JSON; empty: nobody measured it. Private.
  std::string composition_json = {};
  bool imported = false;  // another tool made it; the final path is the copy of it in the ledger's folder
  // Who did it, with which policy, from which table, and what was said on the way and accepted. Empty in entries of
  // version 0.1.0.
  std::string user = {};
  std::string policy_file = {};
  std::optional<RecordedInput> input = {};
  std::vector<std::string> notes = {};
};

// Where a release is written before it becomes visible: ".NAME.partial" beside `final_path`, so that one rename within
// one folder publishes it, and so that recovery knows the only path it may ever remove.
std::filesystem::path StagingPathFor(const std::filesystem::path& final_path);

// The body of an "opened" entry. kUsage for a text or path that is not UTF-8.
Result<std::string> EncodeOpened(const OpenEntry& entry);
// kCorruptLedger where the body is not one that EncodeOpened makes.
Result<OpenEntry> DecodeOpened(const LedgerEntry& entry);

// The body of a "published" or "abandoned" entry: which entry it closes.
std::string EncodeClosing(std::int64_t opened);
Result<std::int64_t> DecodeClosing(const LedgerEntry& entry);

// 16 hex digits, the form in which checksums of state files are kept in ledger.db.
std::string ChecksumText(std::uint64_t checksum);

}  // namespace pentimento
