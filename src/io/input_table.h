// The table of a release where it is not in files: a caller hands it over as streams of Arrow batches.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/arrow_c_data.h"
#include "io/encode.h"

namespace pentimento {

// Opens a stream of the table's rows each time it is asked. Every stream has the same columns and the same rows.
class InputTable {
 public:
  // Makes a fresh stream, which the caller takes over. `name` stands for the table in messages.
  InputTable(std::string name, std::function<Result<ArrowArrayStream>()> make);
  // A stream that can be read once, and is taken over. Whoever asks for its rows again is told so: kUsage.
  static std::shared_ptr<InputTable> Once(std::string name, ArrowArrayStream stream);
  InputTable(const InputTable&) = delete;
  InputTable& operator=(const InputTable&) = delete;

  const std::string& name() const { return name_; }
  // The header, in order, duplicates included. Takes no rows.
  Result<std::vector<std::string>> ColumnNames();
  Result<TableSource> Open();

 private:
  // The next stream, made already where somebody has looked at its columns.
  Result<TableSource> Take();

  std::string name_;
  std::function<Result<ArrowArrayStream>()> make_;
  std::optional<TableSource> waiting_;
};

// The names of a table's columns, in order; a column without a name has an empty one.
std::vector<std::string> NamesOfColumns(const ArrowSchema& table);

}  // namespace pentimento
