// A verifier's refusal as the error that ends a run.
#pragma once

#include <string>

#include "base/result.h"
#include "guarantee/verify.h"

namespace pentimento {

// `who`: more about the witness, after its words.
Error Refused(const Refusal& refusal, const std::string& who = "");

}  // namespace pentimento
