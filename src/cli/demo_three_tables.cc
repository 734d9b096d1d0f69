#include <array>
#include <string>
#include <utility>

#include "base/plural.h"
#include "cli/demo.h"
#include "cli/output.h"
#include "engine/publish.h"
#include "fmt/core.h"
#include "policy/policy.h"

namespace pentimento {
namespace {

constexpr const char* kTablePolicy = R"(version = 1
release = "{name}"
overlap = "{overlap}"

[input]
path = "{people}"

[columns]
person  = {{ role = "id" }}
{columns}
disease = {{ role = "sensitive" }}

[[guarantee]]
type = "{guarantee}"
k = 5
)";

constexpr const char* kAge = "age     = { role = \"quasi-identifier\", domain = [0, 99] }\n";
constexpr const char* kZip = "zip     = {{ role = \"quasi-identifier\", taxonomy = \"{}/zip.csv\" }}\n";
constexpr const char* kJob = "job     = {{ role = \"quasi-identifier\", taxonomy = \"{}/job.csv\" }}\n";

struct Asked {
  std::string name;
  std::string columns;  // as a policy writes them
  std::string guarantee;
  std::string overlap;
};

Result<ReleaseOutcome> Publish(const std::filesystem::path& folder, const std::filesystem::path& people,
                               const std::string& ledger, const Asked& asked, Progress* progress) {
  const std::filesystem::path file = folder / (ledger + "-" + asked.name + ".toml");
  PENTIMENTO_RETURN_IF_ERROR(
      WriteDemoFile(file, fmt::format(kTablePolicy, fmt::arg("name", asked.name), fmt::arg("overlap", asked.overlap),
                                      fmt::arg("people", std::filesystem::relative(people, folder).string()),
                                      fmt::arg("columns", asked.columns), fmt::arg("guarantee", asked.guarantee))));
  PENTIMENTO_ASSIGN(Policy policy, ReadPolicy(file));
  ReleaseOptions options;
  options.ledger = folder / ("ledger-" + ledger);
  options.out = folder / ledger;
  options.seed = 1;
  options.progress = progress;
  Result<ReleaseOutcome> outcome = PublishRelease(std::move(policy), options);
  progress->End();
  return outcome;
}

// The same three tables. Where the last one is to be published, too, what it tells together with those before it.
Result<ReleaseOutcome> PublishAll(const std::filesystem::path& folder, const std::filesystem::path& people,
                                  const std::string& ledger, const std::array<std::string, 3>& columns,
                                  const std::string& guarantee, const std::string& overlap_of_last,
                                  Progress* progress) {
  for (const auto& [name, number] : {std::pair{"by-age-and-town", 0}, std::pair{"by-age-and-job", 1}}) {
    PENTIMENTO_ASSIGN([[maybe_unused]] const ReleaseOutcome out,
                      Publish(folder, people, ledger, {name, columns[number], guarantee, "measure"}, progress));
  }
  return Publish(folder, people, ledger, {"by-town-and-job", columns[2], guarantee, overlap_of_last}, progress);
}

std::string Line(const char* what, const CompositionOutcome& told) {
  const std::uint64_t certain = told.certain.empty() ? 0 : told.certain.front().people;
  return fmt::format("    {:<30}{:>14}{:>22}{:>18}\n", what, WithCommas(told.crowds.below_k),
                     WithCommas(told.crowds.alone), WithCommas(certain));
}

}  // namespace

Status TellThreeTables(const std::filesystem::path& folder, const std::filesystem::path& people, Progress* progress) {
  const std::string taxonomies = std::filesystem::relative(people.parent_path(), folder).string();
  const std::string zip = fmt::format(kZip, taxonomies), job = fmt::format(kJob, taxonomies);
  const std::array<std::string, 3> columns = {kAge + zip, kAge + job, zip + job};
  const auto publish_all = [&](const char* ledger, const char* guarantee, const char* overlap_of_last) {
    return PublishAll(folder, people, ledger, columns, guarantee, overlap_of_last, progress);
  };
  PENTIMENTO_ASSIGN(const ReleaseOutcome alone, publish_all("each-alone", "k-anonymity", "measure"));
  const Result<ReleaseOutcome> refused = publish_all("one-is-refused", "k-anonymity", "refuse");
  PENTIMENTO_ASSIGN(const ReleaseOutcome together, publish_all("together", "history", "measure"));
  if (refused.ok() || refused.error().code != ErrorCode::kRefused || !alone.composition || !together.composition)
    return Error{ErrorCode::kInternal, "three tables of the same people were not measured together"};
  return Print(fmt::format(
      "\n7. THREE TABLES, ONE BODY OF PEOPLE. A table by age and town, one by age and job, one by town and job: in "
      "each, "
      "five people\n   share every class. Whoever has all three finds a person in the overlap of three classes. Of {} "
      "people:\n\n"
      "    {:<30}{:>14}{:>22}{:>18}\n{}{}\n"
      "   The ledger knows who is in which class of which release, so the screen says this with every release. With "
      "overlap =\n   \"refuse\" the third table is not published. With type = \"history\" each new table forms its "
      "classes within those that are\n   out: all three together tell no more than the last one.\n",
      WithCommas(alone.persons), "", "fewer than 5", "told from all others", "disease certain",
      Line("each 5-anonymous by itself", *alone.composition), Line("with type = \"history\"", *together.composition)));
}

}  // namespace pentimento
