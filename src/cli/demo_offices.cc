#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/demo.h"
#include "cli/output.h"
#include "engine/import_release.h"
#include "engine/publish.h"
#include "fmt/core.h"
#include "policy/policy.h"

namespace pentimento {
namespace {

struct Patient {
  const char* name;
  const char* job;
  const char* disease;
  const char* income;
};

constexpr std::array<Patient, 12> kPatients = {{{"Alice", "Banker", "Cancer", "high"},
                                                {"Alice", "Banker", "Cancer", "high"},
                                                {"Alice", "Clerk", "Flu", "low"},
                                                {"Alice", "Cook", "Flu", "low"},
                                                {"Bob", "Lawyer", "Flu", "high"},
                                                {"Bob", "Banker", "Flu", "high"},
                                                {"Bob", "Clerk", "HIV", "low"},
                                                {"Bob", "Driver", "Cancer", "low"},
                                                {"Cathy", "Engineer", "HIV", "high"},
                                                {"Cathy", "Lawyer", "Cancer", "high"},
                                                {"Cathy", "Cook", "Flu", "low"},
                                                {"Cathy", "Driver", "Cancer", "low"}}};
const std::map<std::string, std::set<std::string>> kJobs = {{"Professional", {"Banker", "Lawyer", "Engineer"}},
                                                            {"Worker", {"Clerk", "Cook", "Driver"}}};

constexpr const char* kEarlierPolicy = R"(version = 1
release = "hospital"

[columns]
job     = { role = "quasi-identifier", taxonomy = "job.csv" }
disease = { role = "sensitive" }
)";
constexpr const char* kNewPolicy = R"(version = 1
release = "tax-office"

[input]
path = "tax-office.csv"

[columns]
person = { role = "id" }
name   = { role = "quasi-identifier", values = ["Alice", "Bob", "Cathy"] }
job    = { role = "quasi-identifier", taxonomy = "job.csv" }
income = { role = "class" }

[[guarantee]]
type = "xy-anonymity"
against = ["hospital"]
x = ["name", "job", "hospital:job", "hospital:disease"]
y = ["person"]
k = 2
)";

Status WriteOfficeFiles(const std::filesystem::path& folder) {
  std::string hospital = "job,disease\n", taxes = "person,name,job,income\n", jobs;
  std::size_t number = 0;
  for (const Patient& patient : kPatients) {
    hospital += fmt::format("{},{}\n", patient.job, patient.disease);
    taxes += fmt::format("p{},{},{},{}\n", ++number, patient.name, patient.job, patient.income);
  }
  for (const auto& [kind, of_kind] : kJobs) {
    for (const std::string& job : of_kind) jobs += fmt::format("{};{};*\n", job, kind);
  }
  PENTIMENTO_RETURN_IF_ERROR(WriteDemoFile(folder / "hospital.csv", hospital));
  PENTIMENTO_RETURN_IF_ERROR(WriteDemoFile(folder / "tax-office.csv", taxes));
  PENTIMENTO_RETURN_IF_ERROR(WriteDemoFile(folder / "job.csv", jobs));
  PENTIMENTO_RETURN_IF_ERROR(WriteDemoFile(folder / "hospital.toml", kEarlierPolicy));
  return WriteDemoFile(folder / "tax-office.toml", kNewPolicy);
}

bool CoversJob(const std::string& label, const std::string& job) {
  if (label == "*" || label == job) return true;
  const auto kind = kJobs.find(label);
  return kind != kJobs.end() && kind->second.contains(job);
}

struct NameAndJob {
  std::string name;
  std::string job;
};

// How many people could be the one of this name with this disease: rows whose job could be that of such a patient.
std::size_t CountSuspects(const std::vector<NameAndJob>& rows, const std::string& name, const std::string& disease) {
  return static_cast<std::size_t>(std::ranges::count_if(rows, [&](const NameAndJob& row) {
    return (row.name == name || row.name == "*") && std::ranges::any_of(kPatients, [&](const Patient& patient) {
             return patient.disease == disease && CoversJob(row.job, patient.job);
           });
  }));
}

Result<std::vector<NameAndJob>> ReadPublished(const std::filesystem::path& file) {
  PENTIMENTO_ASSIGN(const auto table, ReadDemoTable(file, kPatients.size(), 3));  // name, job, income
  std::vector<NameAndJob> rows;
  for (const std::vector<std::string>& cells : table) rows.push_back({cells[0], cells[1]});
  std::ranges::sort(rows, {}, [](const NameAndJob& row) { return row.name + row.job; });
  return rows;
}

std::string RowsText(const std::vector<NameAndJob>& raw, const std::vector<NameAndJob>& published) {
  std::string text =
      fmt::format("    {:<34}{:<30}{}\n", "the hospital published", "the tax office has", "and publishes");
  std::vector<std::string> hospital;  // in an order of its own
  for (const Patient& patient : kPatients) hospital.push_back(fmt::format("{:<12}{}", patient.job, patient.disease));
  std::ranges::sort(hospital);
  for (std::size_t i = 0; i < kPatients.size(); ++i) {
    text += fmt::format("    {:<34}{:<30}{}\n", hospital[i], fmt::format("{:<8}{}", raw[i].name, raw[i].job),
                        fmt::format("{:<8}{}", published[i].name, published[i].job));
  }
  return text;
}

}  // namespace

Status TellTwoOffices(const std::filesystem::path& folder, Progress* progress) {
  PENTIMENTO_RETURN_IF_ERROR(WriteOfficeFiles(folder));
  PENTIMENTO_ASSIGN(Policy earlier, ReadPolicy(folder / "hospital.toml", PolicyUse::kImport));
  PENTIMENTO_RETURN_IF_ERROR(
      ImportRelease(std::move(earlier), {{folder / "hospital.csv"}, folder / "ledger", progress}));
  PENTIMENTO_ASSIGN(Policy policy, ReadPolicy(folder / "tax-office.toml"));
  ReleaseOptions options;
  options.ledger = folder / "ledger";
  options.out = folder / "published";
  options.seed = 1;
  options.progress = progress;
  PENTIMENTO_ASSIGN(const ReleaseOutcome outcome, PublishRelease(std::move(policy), options));
  PENTIMENTO_ASSIGN(const std::vector<NameAndJob> published, ReadPublished(outcome.folder / "table.csv"));
  std::vector<NameAndJob> raw;
  for (const Patient& patient : kPatients) raw.push_back({patient.name, patient.job});
  return Print(fmt::format(
      "\n4. TWO OFFICES. A hospital has published jobs and diseases of twelve people, without names. Now a tax office "
      "wants to\n   publish names and jobs of the same people. Neither table says who has what. Both together do:\n\n"
      "{}\n"
      "   With the jobs as they are, only {} Bob can be the one with HIV: a clerk. The policy says type = "
      "\"xy-anonymity\", "
      "against\n   = [\"hospital\"]: whoever joins the two finds at least 2 people for every name, job and disease. So "
      "jobs are told less\n   exactly, and the one Bob with HIV is now one of {}. The hospital's table was made by "
      "another tool: `pentimento import`\n   put it on record.\n",
      RowsText(raw, published), CountSuspects(raw, "Bob", "HIV"), CountSuspects(published, "Bob", "HIV")));
}

}  // namespace pentimento
