#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "fmt/core.h"

namespace pentimento {
namespace {

constexpr std::size_t kWidestBar = 30;
constexpr std::size_t kNarrowestBar = 5;

std::string_view EnvironmentText(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

std::size_t ColumnsOfTerminal() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string_view text = EnvironmentText("COLUMNS");
  std::size_t columns = 0;
  std::from_chars(text.data(), text.data() + text.size(), columns);
  return columns > 0 ? columns : 80;
}

std::string Repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

class ErasingProgress : public Progress {
 public:
  explicit ErasingProgress(const Terminal& terminal) : terminal_(terminal) {}
  ~ErasingProgress() override { Clear(); }
  void Begin(std::string_view step) override {
    step_ = step;
    Show(-1);
  }
  void Advance(double fraction) override { Show(fraction); }
  void End() override { Clear(); }

 private:
  void Show(double fraction) {
    fmt::print(stderr, "\r\033[K{}", ProgressLine(terminal_, step_, fraction));
    std::fflush(stderr);
    is_shown_ = true;
  }
  void Clear() {
    if (is_shown_) fmt::print(stderr, "\r\033[K");
    is_shown_ = false;
  }
  Terminal terminal_;
  std::string step_;
  bool is_shown_ = false;
};

class PlainProgress : public Progress {
 public:
  explicit PlainProgress(const Terminal& terminal) : terminal_(terminal) {}
  void Begin(std::string_view step) override { fmt::print(stderr, "{}\n", ProgressLine(terminal_, step, -1)); }

 private:
  Terminal terminal_;
};

}  // namespace

bool LocaleIsUtf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view locale = EnvironmentText(name);
    if (locale.empty()) continue;
    std::string letters;
    for (const char c : locale) {
      if (c != '-') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return letters.find("utf8") != std::string::npos;
  }
  return false;
}

Terminal LookAtTerminal() {
  const std::string_view kind = EnvironmentText("TERM");
  return {.is_there = isatty(STDERR_FILENO) != 0,
          .erases = !kind.empty() && kind != "dumb",
          .has_blocks = LocaleIsUtf8(),
          .columns = ColumnsOfTerminal()};
}

std::string ProgressLine(const Terminal& terminal, std::string_view step, double fraction) {
  const std::size_t room = std::max<std::size_t>(terminal.columns, 1) - 1;
  if (fraction < 0) {
    const std::string_view dots = terminal.has_blocks ? " …" : " ...";
    const std::size_t width = terminal.has_blocks ? 2 : 4;
    if (step.size() + width > room) return std::string(step.substr(0, room));
    return fmt::format("{}{}", step, dots);
  }
  const double done = std::min(fraction, 1.0);
  const std::string percent = fmt::format(" {:3.0f} %", done * 100);
  if (step.size() + percent.size() > room) return std::string(step.substr(0, room));
  const std::size_t left = room - step.size() - percent.size();
  if (left < kNarrowestBar + 1) return fmt::format("{}{}", step, percent);
  const std::size_t bar = std::min(kWidestBar, left - 1);
  const auto full = static_cast<std::size_t>(done * static_cast<double>(bar));
  return fmt::format("{} {}{}{}", step, Repeated(terminal.has_blocks ? "█" : "#", full),
                     Repeated(terminal.has_blocks ? "░" : ".", bar - full), percent);
}

std::unique_ptr<Progress> MakeTerminalProgress(const Terminal& terminal) {
  if (terminal.erases) return std::make_unique<ErasingProgress>(terminal);
  return std::make_unique<PlainProgress>(terminal);
}

}  // namespace pentimento
