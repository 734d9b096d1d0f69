// A policy, as `release` and as `import` read it.
#include "fuzz/fuzz.h"
#include "policy/policy.h"

using namespace pentimento;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  for (const PolicyUse use : {PolicyUse::kRelease, PolicyUse::kImport}) {
    const Result<Policy> policy = ParsePolicy(text, "policy.toml", use);
    if (fuzz::Took(policy)) fuzz::Require(policy->text == text, "the ledger keeps the policy as it was written");
  }
  return 0;
}
