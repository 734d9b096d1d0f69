#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "fmt/core.h"
#include "fmt/ranges.h"

namespace pentimento {
namespace {

// A line of a shell's case statement for every command: its path, and the words that may follow.
void AddCases(const CLI::App& app, const std::string& path, std::string& cases) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string command_path = path.empty() ? command->get_name() : path + " " + command->get_name();
    cases += fmt::format("    \"{}\") words=\"{}\" ;;\n", command_path, fmt::join(WordsOf(*command), " "));
    AddCases(*command, command_path, cases);
  }
}

// Written from the commands themselves, so that it cannot fall behind. zsh reads it through bashcompinit.
std::string Script(const CLI::App& app, bool zsh) {
  std::string cases;
  AddCases(app, "", cases);
  return fmt::format(R"({}_pentimento() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" path="" word words
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in -*) break ;; esac
    path="${{path:+$path }}$word"
  done
  words="{}"
  case "$path" in
{}  esac
  if [[ "$current" == -* || -z "$path" || "$path" == taxonomy ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _pentimento pentimento
)",
                     zsh ? "autoload -U +X bashcompinit && bashcompinit\n" : "", fmt::join(WordsOf(app), " "), cases);
}

}  // namespace

std::vector<std::string> WordsOf(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(command->get_name());
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

void AddCompletionCommand(CLI::App& app, int* exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "print a script that completes commands with the Tab key");
  command->add_option("SHELL", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  command->footer("Example, for ~/.bashrc:\n  source <(pentimento completion bash)\n");
  command->callback([=, &app] { *exit_code = PrintAndExit(Script(app, *shell == "zsh")); });
}

}  // namespace pentimento
