#include "cli/output.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/terminal.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "ledger/printable.h"

namespace pentimento {
namespace {

const char* CodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kRefused:
      return "refused";
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kBadPolicy:
      return "policy";
    case ErrorCode::kBadInput:
      return "input";
    case ErrorCode::kStorage:
      return "storage";
    case ErrorCode::kCorruptLedger:
      return "ledger";
    case ErrorCode::kCancelled:
      return "interrupted";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

std::atomic<RunContext*> interruptible = nullptr;  // a signal handler knows nothing else

extern "C" void OnInterrupt(int signal_number) {
  RunContext* const run = interruptible;
  if (run == nullptr || run->Cancel()) _exit(128 + signal_number);
}

void AnswerInterruptsBy(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  for (const int signal_number : {SIGINT, SIGTERM}) sigaction(signal_number, &action, nullptr);
}

std::string FailpointOfEnvironment() {
  const char* const name = std::getenv("PENTIMENTO_FAILPOINT");
  return name == nullptr ? "" : name;
}

}  // namespace

int Fail(const Error& error, bool json, const Remarks& remarks) {
  Note(remarks.notes);
  Warn(remarks.warnings);
  fmt::print(stderr, "pentimento: {}\n", Printable(error.message, "\n"));
  if (json) {
    const nlohmann::ordered_json object = {
        {"error", {{"kind", CodeName(error.code)}, {"exit_code", ExitCode(error.code)}, {"message", error.message}}},
        {"notes", remarks.notes},
        {"warnings", remarks.warnings}};
    fmt::print("{}", JsonText(object));
  }
  return ExitCode(error.code);
}

void Note(std::span<const std::string> notes) {
  for (const std::string& note : notes) fmt::print(stderr, "pentimento: note: {}\n", Printable(note, "\n"));
}

void Warn(std::span<const std::string> warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "pentimento: warning: {}\n", Printable(warning, "\n"));
}

std::unique_ptr<Progress> MakeProgress(bool quiet) {
  const Terminal terminal = LookAtTerminal();
  if (terminal.is_there && !quiet) return MakeTerminalProgress(terminal);
  return std::make_unique<Progress>();
}

CommandRun::CommandRun(std::size_t threads)
    : run_({.threads = threads, .failpoint = FailpointOfEnvironment()}), scope_(run_) {
  if (threads > 0) SetArrowThreads(threads);
  interruptible = &run_;
  AnswerInterruptsBy(OnInterrupt);
}

// What is done is done: a signal that comes now must not turn a release that is out into exit code 130.
CommandRun::~CommandRun() {
  AnswerInterruptsBy(SIG_IGN);
  interruptible = nullptr;
}

// Outside of strings JSON has no such bytes.
std::string EscapedJson(std::string_view json) {
  std::string escaped;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto byte = static_cast<unsigned char>(json[i]);
    const auto next = static_cast<unsigned char>(i + 1 < json.size() ? json[i + 1] : 0);
    if (byte == 0x7F) {
      escaped += "\\u007f";
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      escaped += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      escaped += json[i];
    }
  }
  return escaped;
}

Status Print(std::string_view text) {
  const std::string printable = Printable(text, "\n\t");
  if (std::fwrite(printable.data(), 1, printable.size(), stdout) != printable.size() || std::fflush(stdout) != 0) {
    return Error{ErrorCode::kStorage, "standard output cannot be written"};
  }
  return {};
}

int PrintAndExit(std::string_view text) {
  const Status printed = Print(text);
  return printed.ok() ? 0 : Fail(printed.error());
}

int PrintReport(std::string_view text, bool quiet) { return quiet ? 0 : PrintAndExit(text); }

}  // namespace pentimento
