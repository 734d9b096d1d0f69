// Prints what the parser thinks of each policy named on the command line, one line each: "accepted" or
// "refused MESSAGE". check.py compares it with the JSON Schema.
#include <cstdio>

#include "policy/policy.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const pentimento::Result<pentimento::Policy> policy = pentimento::ReadPolicy(argv[i]);
    if (policy.ok()) {
      std::puts("accepted");
    } else {
      std::printf("refused %s\n", policy.error().message.c_str());
    }
  }
  return 0;
}
