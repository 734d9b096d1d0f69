#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "base/plural.h"
#include "cli/demo.h"
#include "cli/output.h"
#include "engine/publish.h"
#include "engine/query/answer.h"
#include "engine/query/query.h"
#include "fmt/core.h"
#include "policy/policy.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

constexpr const char* kPolicy = R"(version = 1
release = "{form}"

[input]
path = "{people}"

[columns]
person  = {{ role = "id" }}
age     = {{ role = "quasi-identifier", domain = [0, 99] }}
sex     = {{ role = "quasi-identifier", values = ["Female", "Male"] }}
zip     = {{ role = "quasi-identifier", taxonomy = "{taxonomies}/zip.csv" }}
job     = {{ role = "quasi-identifier", taxonomy = "{taxonomies}/job.csv" }}
disease = {{ role = "sensitive" }}

[[guarantee]]
type = "alpha-k-anonymity"
alpha = "1/3"
k = 10

[publish]
form = "{form}"
)";

constexpr std::array<const char*, 3> kQuestions = {
    "count where age in [20,30) and sex = Female and disease = Depression", "count where zip = 62*** and disease = Flu",
    "count where job = \"Office clerk\" and disease = Hypertension"};

struct Told {
  ReleaseOutcome outcome;
  Answers answers;
};

Result<Told> Publish(const std::filesystem::path& folder, const std::filesystem::path& people, const std::string& form,
                     const std::vector<Query>& questions, Progress* progress) {
  const std::string path = std::filesystem::relative(people, folder).string();
  const std::string taxonomies = std::filesystem::relative(people.parent_path(), folder).string();
  PENTIMENTO_RETURN_IF_ERROR(WriteDemoFile(
      folder / (form + ".toml"),
      fmt::format(kPolicy, fmt::arg("form", form), fmt::arg("people", path), fmt::arg("taxonomies", taxonomies))));
  PENTIMENTO_ASSIGN(Policy policy, ReadPolicy(folder / (form + ".toml")));
  ReleaseOptions options;
  options.ledger = folder / ("ledger-" + form);  // two ways to publish the same people: one ledger refuses both
  options.out = folder / ("published-" + form);  // beside two tables nobody should find the same people in another
  options.seed = 1;
  options.progress = progress;
  Told told;
  PENTIMENTO_ASSIGN(told.outcome, PublishRelease(std::move(policy), options));
  PENTIMENTO_ASSIGN(told.answers, AnswerQueries(told.outcome.folder, questions, {people}, progress));
  progress->End();
  return told;
}

// The header and the first rows of both tables, side by side.
std::string FirstRows(const std::filesystem::path& folder) {
  std::ifstream people(folder / "nss.csv"), values(folder / "ss.csv");
  std::string text, left, right;
  for (int line = 0; line < 4 && std::getline(people, left) && std::getline(values, right); ++line)
    text += fmt::format("    {:<56}{}\n", left, right);
  return text;
}

std::string AnswersText(const Told& one, const Told& two) {
  std::string text = fmt::format("    {:<74}{:>6}{:>18}{:>18}\n", "", "true", "from one table", "from two");
  const auto cell = [](const Answer& answer) {
    return fmt::format("{:.1f} +/- {:.1f}", answer.count.estimate, answer.count.standard_error());
  };
  for (std::size_t i = 0; i < kQuestions.size(); ++i) {
    text += fmt::format("    {:<74}{:>6}{:>18}{:>18}\n", kQuestions[i],
                        WithCommas(two.answers.answers[i].true_count.value_or(0)), cell(one.answers.answers[i]),
                        cell(two.answers.answers[i]));
  }
  return text;
}

}  // namespace

Status TellHospital(const std::filesystem::path& folder, const std::filesystem::path& people, Progress* progress) {
  std::vector<Query> questions;
  for (const char* question : kQuestions) {
    PENTIMENTO_ASSIGN(Query query, ParseQuery(question, ""));
    questions.push_back(std::move(query));
  }
  PENTIMENTO_ASSIGN(const Told one, Publish(folder, people, "generalized", questions, progress));
  PENTIMENTO_ASSIGN(const Told two, Publish(folder, people, "two-tables", questions, progress));
  return Print(fmt::format(
      "\n5. NOTHING COARSENED. Ten people who look alike may all have the same disease. With type = "
      "\"alpha-k-anonymity\", alpha =\n   \"1/3\" no disease is more frequent than 1/3 in any class. And with form = "
      "\"two-tables\" nothing needs to be coarsened:\n   one table has the people, the other the diseases, and only "
      "random class numbers connect them.\n\n"
      "{}\n"
      "   Nobody can tell whose disease is whose. Counts are answered all the same, each with its standard error. From "
      "two tables\n   they are right on average; from one it is a guess where in a wide box people are:\n\n"
      "{}",
      FirstRows(two.outcome.folder), AnswersText(one, two)));
}

}  // namespace pentimento
