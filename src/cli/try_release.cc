#include "cli/try_release.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/plural.h"
#include "cli/output.h"
#include "engine/publish.h"
#include "fmt/core.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

// How many of the policy's guarantees have a k; all of them get this one.
std::size_t SetK(std::uint64_t k, Policy& policy) {
  std::size_t count = 0;
  for (GuaranteePolicy& guarantee : policy.guarantees) {
    std::visit(
        [&](auto& one) {
          if constexpr (requires { one.k; }) {
            // The global guarantee may leave its k to others, or to nobody.
            if (one.k == 0) return;
            one.k = k;
            ++count;
          }
        },
        guarantee);
  }
  return count;
}

std::string LineOf(std::uint64_t k, const Result<ReleaseOutcome>& tried) {
  if (!tried.ok()) return fmt::format("  {:>8}   refused: {}\n", WithCommas(k), tried.error().message);
  const Metrics& metrics = tried->metrics;
  std::string line = fmt::format("  {:>8}   {:>10}   {:>10}   {:>8.2f} %", WithCommas(k), WithCommas(metrics.classes),
                                 WithCommas(metrics.smallest_class), metrics.ncp_percent);
  for (const SingleValuedColumn& column : tried->single_valued.value_or(std::vector<SingleValuedColumn>()))
    line += fmt::format("   {} of '{}'", WithCommas(column.found.classes), column.column);
  return line + "\n";
}

Json JsonOf(std::uint64_t k, const Result<ReleaseOutcome>& tried) {
  if (!tried.ok()) return {{"k", k}, {"possible", false}, {"metrics", nullptr}, {"why", tried.error().message}};
  return {{"k", k},
          {"possible", true},
          {"metrics", Json::parse(MetricsJson(tried->metrics, tried->quasi_identifiers))},
          {"why", nullptr}};
}

}  // namespace

Result<std::vector<std::uint64_t>> ParseTries(const std::string& text) {
  const Error mistake{ErrorCode::kUsage, "--try takes numbers of at least 2 for k, as in --try k=5,10,20"};
  std::vector<std::uint64_t> tries;
  if (!text.starts_with("k=")) return mistake;
  const char* at = text.data() + 2;
  const char* const end = text.data() + text.size();
  while (true) {
    std::uint64_t k = 0;
    const auto [after, error] = std::from_chars(at, end, k);
    if (error != std::errc() || k < 2 || k > (std::uint64_t{1} << 32) || (after != end && *after != ','))
      return mistake;
    tries.push_back(k);
    if (after == end) break;
    at = after + 1;
  }
  std::ranges::sort(tries);
  tries.erase(std::unique(tries.begin(), tries.end()), tries.end());
  return tries;
}

int TryRelease(const Policy& policy, const ReleaseOptions& options, const std::vector<std::uint64_t>& tries,
               bool json) {
  if (std::ranges::find(policy.inputs, std::filesystem::path(kStandardInput)) != policy.inputs.end())
    return Fail(
        {ErrorCode::kUsage, "--try reads the table once for each k, and standard input is there once; name a file"},
        json);
  std::string text =
      fmt::format("{}: what it would lose (dry runs: nothing was written)\n  {:>8}   {:>10}   {:>10}   {:>10}   {}\n",
                  policy.release, "k", "classes", "smallest", "NCP", "classes with a single value");
  Json lines = Json::array();
  bool is_possible = false;
  for (const std::uint64_t k : tries) {
    Policy tried_policy = policy;
    if (SetK(k, tried_policy) == 0) return Fail({ErrorCode::kUsage, "--try: no guarantee of the policy has a k"}, json);
    Remarks remarks;
    ReleaseOptions of_try = options;
    of_try.remarks = &remarks;
    const Result<ReleaseOutcome> tried = PublishRelease(std::move(tried_policy), of_try);
    if (!tried.ok() && tried.error().code != ErrorCode::kRefused) return Fail(tried.error(), json, remarks);
    is_possible |= tried.ok();
    text += LineOf(k, tried);
    lines.push_back(JsonOf(k, tried));
  }
  if (options.progress != nullptr) options.progress->End();
  const Json all = {{"release", policy.release}, {"tries", std::move(lines)}};
  const int printed = PrintAndExit(json ? JsonText(all) : text);
  return printed != 0 || is_possible ? printed : ExitCode(ErrorCode::kRefused);
}

}  // namespace pentimento
