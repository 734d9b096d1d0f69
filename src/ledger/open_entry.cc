#include "ledger/open_entry.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/hash.h"
#include "base/json_text.h"
#include "fmt/core.h"
#include "ledger/later_entry.h"

namespace pentimento {
namespace {

using nlohmann::json;

// Thrown and caught in this file only: how the many ways in which a body can be wrong leave the decoder.
struct BadBody {};

Error Unreadable(const LedgerEntry& entry) {
  return Error{
      ErrorCode::kCorruptLedger,
      fmt::format("entry {} of the ledger cannot be understood. Restore the ledger from a backup.", entry.seq)};
}

std::uint64_t HexNumber(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) throw BadBody();
  return number;
}

Seed SeedFromHex(std::string_view text) {
  Seed seed;
  if (text.size() != 2 * seed.size()) throw BadBody();
  for (std::size_t i = 0; i < seed.size(); ++i) seed[i] = static_cast<std::uint8_t>(HexNumber(text.substr(2 * i, 2)));
  return seed;
}

json ToJson(const StateFileRecord& file) {
  return {{"name", file.name},
          {"kind", ToString(file.kind)},
          {"bytes", file.bytes},
          {"checksum", ChecksumText(file.checksum)}};
}

StateFileRecord StateFileFromJson(const json& value) {
  StateFileRecord file;
  file.name = value.at("name").get<std::string>();
  const auto kind = ParseStateKind(value.at("kind").get<std::string>());
  if (!kind || !IsStateFileName(file.name)) throw BadBody();
  file.kind = *kind;
  file.bytes = WholeNumber(value.at("bytes"));
  file.checksum = HexNumber(value.at("checksum").get<std::string>());
  return file;
}

PublishedFile PublishedFileFromJson(const json& value) {
  return PublishedFile{value.at("name").get<std::string>(), value.at("sha256").get<std::string>(),
                       WholeNumber(value.at("bytes"))};
}

OpenEntry OpenEntryFromJson(const json& body, const std::string& release) {
  OpenEntry entry;
  entry.release = release;
  entry.policy_text = body.at("policy").get<std::string>();
  entry.guarantee = body.at("guarantee").get<std::string>();
  entry.parameters_json = body.at("parameters").get<std::string>();
  entry.rows = WholeNumber(body.at("rows"));
  entry.seed = SeedFromHex(body.at("seed").get<std::string>());
  for (const json& file : body.at("files")) entry.files.push_back(PublishedFileFromJson(file));
  for (const json& file : body.at("state_files")) entry.state_files.push_back(StateFileFromJson(file));
  if (const auto replaces = body.find("replaces"); replaces != body.end()) {
    for (const json& name : *replaces) entry.replaces.push_back(name.get<std::string>());
    if (!std::ranges::all_of(entry.replaces, IsStateFileName)) throw BadBody();
  }
  entry.composition_json = body.value("composition", "");
  entry.imported = body.value("imported", false);
  entry.user = body.value("user", "");
  entry.policy_file = body.value("policy_file", "");
  if (const auto input = body.find("input"); input != body.end()) {
    entry.input = RecordedInput{input->at("files").get<std::vector<std::string>>(), WholeNumber(input->at("rows")),
                                input->at("columns").get<std::vector<std::string>>()};
  }
  entry.notes = body.value("notes", std::vector<std::string>());
  entry.final_path = body.at("final").get<std::string>();
  // Recovery removes the staging folder: a path that is not the one place it can be is not believed.
  if (!entry.final_path.is_absolute() || !entry.final_path.has_filename()) throw BadBody();
  if (body.at("staging").get<std::string>() != StagingPathFor(entry.final_path).string()) throw BadBody();
  return entry;
}

// What is there for people to read need not be kept byte by byte.
json InUtf8(const json& texts) { return json::parse(texts.dump(-1, ' ', false, json::error_handler_t::replace)); }

// Runs a decoder; whatever it throws becomes nothing.
template <typename Decoder>
auto Decode(const LedgerEntry& entry, const Decoder& decoder) -> std::optional<decltype(decoder(json()))> {
  try {
    return decoder(json::parse(entry.body));
  } catch (const json::exception&) {
    return std::nullopt;
  } catch (const BadBody&) {
    return std::nullopt;
  }
}

}  // namespace

std::filesystem::path StagingPathFor(const std::filesystem::path& final_path) {
  return final_path.parent_path() / fmt::format(".{}.partial", final_path.filename().string());
}

Result<std::string> EncodeOpened(const OpenEntry& entry) {
  json files = json::array();
  for (const PublishedFile& file : entry.files) {
    files.push_back({{"name", file.name}, {"sha256", file.sha256}, {"bytes", file.bytes}});
  }
  json state_files = json::array();
  for (const StateFileRecord& file : entry.state_files) state_files.push_back(ToJson(file));
  json body = {{"policy", entry.policy_text},
               {"guarantee", entry.guarantee},
               {"parameters", entry.parameters_json},
               {"rows", entry.rows},
               {"seed", ToHex(entry.seed)},
               {"files", std::move(files)},
               {"state_files", std::move(state_files)},
               {"final", entry.final_path.string()},
               {"staging", StagingPathFor(entry.final_path).string()}};
  if (!entry.replaces.empty()) body["replaces"] = entry.replaces;
  if (!entry.composition_json.empty()) body["composition"] = entry.composition_json;
  if (entry.imported) body["imported"] = true;
  if (!entry.user.empty()) body["user"] = InUtf8(entry.user);
  if (!entry.policy_file.empty()) body["policy_file"] = InUtf8(entry.policy_file);
  if (entry.input) {
    body["input"] = {
        {"files", InUtf8(entry.input->files)}, {"rows", entry.input->rows}, {"columns", InUtf8(entry.input->columns)}};
  }
  if (!entry.notes.empty()) body["notes"] = InUtf8(entry.notes);
  try {
    return body.dump();
  } catch (const json::exception&) {
    return Error{
        ErrorCode::kUsage,
        "the policy or a path of the release is not valid UTF-8 and cannot be put on record. Use names in UTF-8."};
  }
}

Result<OpenEntry> DecodeOpened(const LedgerEntry& entry) {
  auto opened = Decode(entry, [&](const json& body) { return OpenEntryFromJson(body, entry.release); });
  if (!opened) return Unreadable(entry);
  return *std::move(opened);
}

std::string EncodeRetraction(const Retraction& retraction) {
  return json{{"user", InUtf8(retraction.user)}, {"reason", InUtf8(retraction.reason)}}.dump();
}

std::string EncodeForgetting(const Forgetting& forgetting) {
  return json{{"user", InUtf8(forgetting.user)},
              {"cases", forgetting.cases},
              {"replaces", forgetting.replaces},
              {"state_file", ToJson(forgetting.file)}}
      .dump();
}

Result<Retraction> DecodeRetraction(const LedgerEntry& entry) {
  auto retraction = Decode(entry, [&](const json& body) {
    return Retraction{entry.time, body.at("user").get<std::string>(), body.at("reason").get<std::string>()};
  });
  if (!retraction) return Unreadable(entry);
  return *std::move(retraction);
}

Result<Forgetting> DecodeForgetting(const LedgerEntry& entry) {
  auto forgetting = Decode(entry, [&](const json& body) {
    Forgetting read{entry.time, body.at("user").get<std::string>(), WholeNumber(body.at("cases")),
                    body.at("replaces").get<std::string>(), StateFileFromJson(body.at("state_file"))};
    if (!IsStateFileName(read.replaces)) throw BadBody();
    return read;
  });
  if (!forgetting) return Unreadable(entry);
  return *std::move(forgetting);
}

std::string EncodeClosing(std::int64_t opened) { return json{{"opened", opened}}.dump(); }

Result<std::int64_t> DecodeClosing(const LedgerEntry& entry) {
  const auto opened =
      Decode(entry, [](const json& body) { return static_cast<std::int64_t>(WholeNumber(body.at("opened"))); });
  if (!opened) return Unreadable(entry);
  return *opened;
}

std::string ChecksumText(std::uint64_t checksum) { return fmt::format("{:016x}", checksum); }

}  // namespace pentimento
