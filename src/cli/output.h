// What every command shares when it talks: errors, JSON on request, progress on a terminal.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/progress.h"
#include "base/result.h"
#include "base/run.h"
#include "engine/steps/release_outcome.h"

namespace pentimento {

// Prints the error to stderr (and, with `json`, as an object to stdout) and returns its exit code. What was remarked on
// the way comes first: it often is the cause.
int Fail(const Error& error, bool json = false, const Remarks& remarks = {});

// Print to stderr, one line each.
void Note(std::span<const std::string> notes);
void Warn(std::span<const std::string> warnings);

// What --quiet does, in the help of every command that has it.
constexpr const char* kQuietHelp = "no progress, notes or report: warnings, errors and the exit code tell";

// A bar on stderr where that is a terminal, silence elsewhere and for who asks for it.
std::unique_ptr<Progress> MakeProgress(bool quiet = false);

// The one run of a command, which owns its process: Arrow has the run's number of threads, and the failpoint stands in
// the environment variable PENTIMENTO_FAILPOINT. While it lives, Ctrl-C and SIGTERM cancel the run; a second one ends
// the process at once.
class CommandRun {
 public:
  explicit CommandRun(std::size_t threads = 0);
  ~CommandRun();
  CommandRun(const CommandRun&) = delete;
  CommandRun& operator=(const CommandRun&) = delete;

 private:
  RunContext run_;
  RunScope scope_;
};

// JSON as text. It cannot fail, since it tells what is done already: bytes that are no UTF-8 (a path may have such) are
// replaced. Control characters stand there as escapes, those that JSON does not ask for, too.
std::string EscapedJson(std::string_view json);
template <typename Json>
std::string JsonText(const Json& json) {
  return EscapedJson(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

// Writes to stdout, control characters other than line breaks and tabs as \xNN. An error there (a full disk behind a
// redirection) is kStorage.
Status Print(std::string_view text);
// Print and return the exit code; a report is not printed for who asks for quiet.
int PrintAndExit(std::string_view text);
int PrintReport(std::string_view text, bool quiet);

}  // namespace pentimento
