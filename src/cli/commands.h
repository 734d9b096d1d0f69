// The commands. Each adds itself to the command line; when it was the one asked for, `*exit_code` is set.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pentimento {

void AddInitCommand(CLI::App& app, int* exit_code);
void AddReleaseCommand(CLI::App& app, int* exit_code);
void AddImportCommand(CLI::App& app, int* exit_code);
void AddPlanCommand(CLI::App& app, int* exit_code);
void AddLogCommand(CLI::App& app, int* exit_code);
void AddRetractCommand(CLI::App& app, int* exit_code);
void AddForgetCommand(CLI::App& app, int* exit_code);
void AddReportCommand(CLI::App& app, int* exit_code);
void AddQueryCommand(CLI::App& app, int* exit_code);
void AddAuditCommand(CLI::App& app, int* exit_code);
void AddCheckCommand(CLI::App& app, int* exit_code);
void AddMetricsCommand(CLI::App& app, int* exit_code);
void AddTaxonomyCommand(CLI::App& app, int* exit_code);
void AddGenerateCommand(CLI::App& app, int* exit_code);
void AddDemoCommand(CLI::App& app, int* exit_code);
void AddCompletionCommand(CLI::App& app, int* exit_code);

// --threads, of every command that works on a whole table.
void AddThreadsOption(CLI::App& command, std::size_t& threads);

// What may follow a command: the names of its own commands, and its long options with their dashes.
std::vector<std::string> WordsOf(const CLI::App& app);

}  // namespace pentimento
