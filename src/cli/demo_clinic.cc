#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/ratio.h"
#include "cli/demo.h"
#include "cli/output.h"
#include "engine/publish.h"
#include "fmt/core.h"
#include "policy/policy.h"

namespace pentimento {
namespace {

struct ClinicPatient {
  const char* person;
  const char* sex;
  const char* zip;
  const char* disease;
};

struct Quarter {
  const char* name;
  std::array<ClinicPatient, 4> patients;
};

// Figure 1 of Wong, Fu, Liu, Wang and Xu, Global privacy guarantee in serial data publishing.
constexpr std::array<Quarter, 2> kQuarters = {{{"spring",
                                                {{{"o1", "M", "65001", "flu"},
                                                  {"o2", "M", "65002", "chlamydia"},
                                                  {"o3", "F", "65014", "flu"},
                                                  {"o4", "F", "65015", "fever"}}}},
                                               {"summer",
                                                {{{"o1", "M", "65001", "chlamydia"},
                                                  {"o2", "M", "65002", "flu"},
                                                  {"o3", "F", "65014", "fever"},
                                                  {"o5", "F", "65010", "flu"}}}}}};
constexpr ClinicPatient kNeighbour = kQuarters[0].patients[1];

constexpr const char* kColumns = R"([columns]
person  = { role = "id" }
sex     = { role = "quasi-identifier", values = ["M", "F"] }
zip     = { role = "quasi-identifier", taxonomy = "zip.csv" }
disease = { role = "sensitive", values = ["chlamydia"] }

[[guarantee]]
)";
constexpr const char* kEachByItself = "type = \"alpha-k-anonymity\"\nalpha = \"1/2\"\nk = 2\n";
constexpr const char* kAllTogether =
    "type = \"global-guarantee\"\nl = 2\nseries = \"clinic\"\nreleases = 2\nk = 2\n"
    "most_loss = 1\n";

// A row as it is published, and the group that says of itself to be one.
struct PublishedRow {
  std::string sex, zip, disease, group;
};

// The group of a release in which somebody must be.
struct Exposure {
  std::uint64_t people = 0, holders = 0;
};

struct ToldSeries {
  std::vector<std::vector<PublishedRow>> tables;
  std::vector<Exposure> exposures;
};

Status WriteClinicFiles(const std::filesystem::path& folder) {
  std::string zips;
  for (int zip = 65000; zip < 65020; ++zip) zips += fmt::format("{};{}*;650**;*\n", zip, zip / 10);
  PENTIMENTO_RETURN_IF_ERROR(WriteDemoFile(folder / "zip.csv", zips));
  for (const Quarter& quarter : kQuarters) {
    std::string table = "person,sex,zip,disease\n";
    for (const ClinicPatient& one : quarter.patients)
      table += fmt::format("{},{},{},{}\n", one.person, one.sex, one.zip, one.disease);
    PENTIMENTO_RETURN_IF_ERROR(WriteDemoFile(folder / fmt::format("{}.csv", quarter.name), table));
    const std::string name = fmt::format("version = 1\nrelease = \"{}\"\n", quarter.name);
    const std::string head = fmt::format("\n[input]\npath = \"{}.csv\"\n\n{}", quarter.name, kColumns);
    // Both together do not keep what each promises, and without this word the second would be refused.
    PENTIMENTO_RETURN_IF_ERROR(WriteDemoFile(folder / fmt::format("{}-alone.toml", quarter.name),
                                             name + "overlap = \"measure\"\n" + head + kEachByItself));
    PENTIMENTO_RETURN_IF_ERROR(
        WriteDemoFile(folder / fmt::format("{}.toml", quarter.name), name + head + kAllTogether));
  }
  return {};
}

// "6500*" covers "65001", and "*" everything.
bool CoversValue(const std::string& label, const std::string& value) {
  if (label == "*") return true;
  if (label.size() != value.size()) return false;
  return std::ranges::equal(label, value, [](char shown, char meant) { return shown == '*' || shown == meant; });
}

// What somebody knows of the neighbour who knows sex and zip code, and has the table.
Result<Exposure> FindNeighbour(const std::vector<PublishedRow>& table) {
  Exposure found;
  const PublishedRow* first = nullptr;
  for (const PublishedRow& row : table) {
    if (!CoversValue(row.sex, kNeighbour.sex) || !CoversValue(row.zip, kNeighbour.zip)) continue;
    if (first == nullptr) first = &row;
    if (row.group != first->group)
      return Error{ErrorCode::kInternal, "the neighbour of the demo could be in two groups"};
    ++found.people;
    found.holders += row.disease == kNeighbour.disease ? 1 : 0;
  }
  if (first == nullptr) return Error{ErrorCode::kInternal, "the neighbour of the demo is in no group"};
  return found;
}

// That somebody was linked to the disease in at least one of the releases.
Ratio ChanceOfEver(const std::vector<Exposure>& exposures) {
  std::uint64_t all = 1, free = 1;
  for (const Exposure& one : exposures) {
    all *= one.people;
    free *= one.people - one.holders;
  }
  const std::uint64_t common = std::gcd(all - free, all);
  return {(all - free) / common, all / common};
}

Result<std::vector<PublishedRow>> ReadPublished(const std::filesystem::path& folder, bool has_groups) {
  const std::size_t first = has_groups ? 1 : 0;
  PENTIMENTO_ASSIGN(const auto cells, ReadDemoTable(folder / "table.csv", kQuarters[0].patients.size(), first + 3));
  std::vector<PublishedRow> rows;
  for (const std::vector<std::string>& row : cells) {
    // Without numbers of its groups, a table has those that its labels show.
    rows.push_back({row[first], row[first + 1], row[first + 2], has_groups ? row[0] : row[0] + row[1]});
  }
  std::ranges::sort(rows, std::greater(), [](const PublishedRow& row) { return row.sex + row.zip + row.disease; });
  return rows;
}

Result<ToldSeries> Publish(const std::filesystem::path& folder, bool together, Progress* progress) {
  ToldSeries told;
  for (const Quarter& quarter : kQuarters) {
    PENTIMENTO_ASSIGN(Policy policy,
                      ReadPolicy(folder / fmt::format("{}{}.toml", quarter.name, together ? "" : "-alone")));
    ReleaseOptions options;
    options.ledger = folder / (together ? "together" : "alone") / "ledger";
    options.out = folder / (together ? "together" : "alone") / "published";
    options.seed = 1;
    options.progress = progress;
    PENTIMENTO_ASSIGN(const ReleaseOutcome outcome, PublishRelease(std::move(policy), options));
    PENTIMENTO_ASSIGN(std::vector<PublishedRow> table, ReadPublished(outcome.folder, together));
    PENTIMENTO_ASSIGN(const Exposure exposure, FindNeighbour(table));
    told.tables.push_back(std::move(table));
    told.exposures.push_back(exposure);
  }
  return told;
}

std::string TablesText(const ToldSeries& alone, const ToldSeries& together) {
  constexpr const char* kLine = "    {:<34}{:<34}{}\n";
  const auto cells = [](const auto& row) { return fmt::format("{:<4}{:<8}{}", row.sex, row.zip, row.disease); };
  std::string text = fmt::format(kLine, "the clinic has", "published by itself", "published as a series");
  for (std::size_t quarter = 0; quarter < kQuarters.size(); ++quarter) {
    text += fmt::format("    {}:\n", kQuarters[quarter].name);
    for (std::size_t row = 0; row < kQuarters[quarter].patients.size(); ++row)
      text += fmt::format(kLine, cells(kQuarters[quarter].patients[row]), cells(alone.tables[quarter][row]),
                          cells(together.tables[quarter][row]));
  }
  text += fmt::format("    that the man from {} had {}:\n", kNeighbour.zip, kNeighbour.disease);
  for (std::size_t quarter = 0; quarter < kQuarters.size(); ++quarter)
    text += fmt::format(kLine, fmt::format("  in {}", kQuarters[quarter].name),
                        ToString(ChanceOfEver({alone.exposures[quarter]})),
                        ToString(ChanceOfEver({together.exposures[quarter]})));
  return text + fmt::format(kLine, "  ever", ToString(ChanceOfEver(alone.exposures)),
                            ToString(ChanceOfEver(together.exposures)));
}

}  // namespace

Status TellClinic(const std::filesystem::path& folder, Progress* progress) {
  PENTIMENTO_RETURN_IF_ERROR(WriteClinicFiles(folder));
  PENTIMENTO_ASSIGN(const ToldSeries alone, Publish(folder, false, progress));
  PENTIMENTO_ASSIGN(const ToldSeries together, Publish(folder, true, progress));
  return Print(fmt::format(
      "\n6. THE SAME PEOPLE, OTHER DISEASES. A clinic publishes its patients every quarter, and what they have comes "
      "and goes.\n   Nobody may be linked to chlamydia with a chance above 1/2. Each table by itself keeps that; both "
      "together do not:\n\n"
      "{}\n"
      "   One of two in spring, one of two in summer: that this man never had it, is 1/2 times 1/2. So he had it with "
      "a "
      "chance of\n   {}. Unasked, pentimento refuses the second table: here its policy says overlap = \"measure\".\n"
      "   The policy of the series says type = \"global-guarantee\", l = 2, releases = 2. The ledger "
      "keeps an account of what\n   was told of everybody, and groups are so large that all releases together keep to "
      "1/2: they say {}.\n",
      TablesText(alone, together), ToString(ChanceOfEver(alone.exposures)),
      ToString(ChanceOfEver(together.exposures))));
}

}  // namespace pentimento
