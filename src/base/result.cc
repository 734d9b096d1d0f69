#include "base/result.h"

namespace pentimento {

int ExitCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kRefused:
      return 1;
    case ErrorCode::kUsage:
    case ErrorCode::kBadPolicy:
      return 2;
    case ErrorCode::kBadInput:
      return 3;
    case ErrorCode::kStorage:
    case ErrorCode::kCorruptLedger:
      return 4;
    case ErrorCode::kCancelled:
      return 130;  // what shells expect after Ctrl-C
    case ErrorCode::kInternal:
      return kExitInternal;
  }
  return kExitInternal;
}

}  // namespace pentimento
