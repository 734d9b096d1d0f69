#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "fmt/core.h"
#include "fmt/ranges.h"

namespace pentimento {
namespace {

struct CompletedOption {
  std::string name;  // --ledger
  std::string about;
  bool takes_value = false;
  std::vector<std::string> choices;  // none: any text, so files are offered
};

struct CompletedCommand {
  std::string path;  // "taxonomy build"; empty: no command yet
  std::vector<std::string> commands;
  std::vector<std::string> abouts;  // by command
  std::vector<CompletedOption> options;
  int most_places = 0;  // words that are neither commands nor options
  std::vector<std::string> choices_of_place;
};

// "{csv,parquet}" is how the parser describes a list of choices.
std::vector<std::string> ChoicesOf(const CLI::Option& option) {
  std::string text = option.get_type_name();
  const std::size_t begin = text.find('{'), end = text.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return CLI::detail::split(text.substr(begin + 1, end - begin - 1), ',');
}

std::string FirstSentence(const std::string& text) { return text.substr(0, text.find_first_of(":;(")); }

CompletedCommand Describe(const CLI::App& app, std::string path) {
  CompletedCommand described;
  described.path = std::move(path);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    described.commands.push_back(command->get_name());
    described.abouts.push_back(FirstSentence(command->get_description()));
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      described.options.push_back({.name = "--" + name,
                                   .about = FirstSentence(option->get_description()),
                                   .takes_value = option->get_items_expected_max() > 0,
                                   .choices = ChoicesOf(*option)});
    }
    if (!option->get_positional()) continue;
    described.most_places = std::max(described.most_places, option->get_items_expected_max());
    described.choices_of_place = ChoicesOf(*option);
  }
  return described;
}

void DescribeAll(const CLI::App& app, const std::string& path, std::vector<CompletedCommand>& all) {
  all.push_back(Describe(app, path));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    DescribeAll(*command, path.empty() ? command->get_name() : path + " " + command->get_name(), all);
  }
}

std::vector<std::string> NamesOf(const std::vector<CompletedOption>& options, bool with_value_only) {
  std::vector<std::string> names;
  for (const CompletedOption& option : options) {
    if (option.takes_value || !with_value_only) names.push_back(option.name);
  }
  return names;
}

// bash, and zsh, which reads it through bashcompinit. _pentimento_at tells what may follow a command, and fails where
// there is none of that name; _pentimento_choices what an option may be.
std::string BashScript(const std::vector<CompletedCommand>& commands, bool zsh) {
  std::string cases, choices;
  for (const CompletedCommand& command : commands) {
    cases += fmt::format(
        "    \"{}\") commands=\"{}\" options=\"{}\" valued=\" {} \" most={} here=\"{}\" ;;\n", command.path,
        fmt::join(command.commands, " "), fmt::join(NamesOf(command.options, false), " "),
        fmt::join(NamesOf(command.options, true), " "), command.most_places, fmt::join(command.choices_of_place, " "));
    for (const CompletedOption& option : command.options) {
      if (option.choices.empty()) continue;
      choices +=
          fmt::format("    \"{}:{}\") choices=\"{}\" ;;\n", command.path, option.name, fmt::join(option.choices, " "));
    }
  }
  return fmt::format(R"({}_pentimento_at() {{
  case "$1" in
{}    *) return 1 ;;
  esac
}}
_pentimento_choices() {{
  choices=""
  case "$1:$2" in
{}  esac
}}
_pentimento() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="" places=0 value="" word commands options valued most here choices
  _pentimento_at ""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    if [[ -n "$value" ]]; then value=""
    elif [[ "$valued" == *" $word "* ]]; then value=1
    elif [[ "$word" == -* ]]; then :
    elif _pentimento_at "${{command:+$command }}$word"; then command="${{command:+$command }}$word"
    else places=$((places + 1))
    fi
  done
  if [[ -n "$value" ]]; then
    _pentimento_choices "$command" "$previous"
    if [[ -n "$choices" ]]; then COMPREPLY=($(compgen -W "$choices" -- "$current"))
    else COMPREPLY=($(compgen -f -- "$current"))
    fi
  elif [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n "$commands" ]]; then COMPREPLY=($(compgen -W "$commands" -- "$current"))
  elif [[ -n "$here" ]]; then COMPREPLY=($(compgen -W "$here" -- "$current"))
  elif (( places < most )); then COMPREPLY=($(compgen -f -- "$current"))
  else COMPREPLY=($(compgen -W "$options" -- "$current"))
  fi
}}
complete -o filenames -F _pentimento pentimento
)",
                     zsh ? "autoload -U +X bashcompinit && bashcompinit\n" : "", cases, choices);
}

// Between single quotes.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string FishScript(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> paths;
  std::string lines;
  for (const CompletedCommand& command : commands) {
    if (!command.path.empty()) paths.push_back(Quoted(command.path));
    const std::string here = fmt::format("complete -c pentimento -n '__pentimento_at \"{}\"'", command.path);
    for (std::size_t i = 0; i < command.commands.size(); ++i) {
      lines += fmt::format("{} -f -a {} -d {}\n", here, command.commands[i], Quoted(command.abouts[i]));
    }
    if (!command.choices_of_place.empty()) {
      lines += fmt::format("{} -f -a {}\n", here, Quoted(fmt::format("{}", fmt::join(command.choices_of_place, " "))));
    }
    for (const CompletedOption& option : command.options) {
      const std::string takes = !option.takes_value      ? ""
                                : option.choices.empty() ? " -r -F"
                                                         : fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
      lines += fmt::format("{} -l {}{} -d {}\n", here, option.name.substr(2), takes, Quoted(option.about));
    }
  }
  return fmt::format(R"(function __pentimento_at
  set -l command ''
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim "$command $word")
    if contains -- $longer {}
      set command $longer
    end
  end
  test "$command" = "$argv[1]"
end
{})",
                     fmt::join(paths, " "), lines);
}

// Written from the commands themselves, so that it cannot fall behind.
std::string Script(const CLI::App& app, const std::string& shell) {
  std::vector<CompletedCommand> commands;
  DescribeAll(app, "", commands);
  return shell == "fish" ? FishScript(commands) : BashScript(commands, shell == "zsh");
}

}  // namespace

std::vector<std::string> WordsOf(const CLI::App& app) {
  const CompletedCommand command = Describe(app, "");
  std::vector<std::string> words = command.commands;
  for (const CompletedOption& option : command.options) words.push_back(option.name);
  return words;
}

void AddCompletionCommand(CLI::App& app, int* exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "print a script that completes commands with the Tab key");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Example, for ~/.bashrc:\n  source <(pentimento completion bash)\n"
      "Example, for ~/.config/fish/config.fish:\n  pentimento completion fish | source\n");
  command->callback([=, &app] { *exit_code = PrintAndExit(Script(app, *shell)); });
}

}  // namespace pentimento
