#include "io/input_table.h"

#include <utility>

#include "fmt/core.h"

namespace pentimento {

InputTable::InputTable(std::string name, std::function<Result<ArrowArrayStream>()> make)
    : name_(std::move(name)), make_(std::move(make)) {}

std::shared_ptr<InputTable> InputTable::Once(std::string name, ArrowArrayStream stream) {
  // Shared, because a function can be copied; released where nobody asks for it.
  const auto only = std::make_shared<TableSource>(name, stream);
  auto make = [only, name]() -> Result<ArrowArrayStream> {
    if (only->stream()->release == nullptr) {
      return Error{
          ErrorCode::kUsage,
          fmt::format("{}: this stream has been read already, and can be read only once; hand over a new one", name)};
    }
    return std::exchange(*only->stream(), {});
  };
  return std::make_shared<InputTable>(std::move(name), std::move(make));
}

Result<std::vector<std::string>> InputTable::ColumnNames() {
  PENTIMENTO_ASSIGN(TableSource source, Take());
  ArrowSchema schema{};
  if (const int error = source.stream()->get_schema(source.stream(), &schema); error != 0) return source.Explain(error);
  std::vector<std::string> names = NamesOfColumns(schema);
  schema.release(&schema);
  waiting_.emplace(std::move(source));
  return names;
}

Result<TableSource> InputTable::Open() { return Take(); }

Result<TableSource> InputTable::Take() {
  if (waiting_) {
    TableSource source = std::move(*waiting_);
    waiting_.reset();
    return source;
  }
  PENTIMENTO_ASSIGN(const ArrowArrayStream stream, make_());
  return TableSource(name_, stream);
}

std::vector<std::string> NamesOfColumns(const ArrowSchema& table) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < table.n_children; ++i)
    names.emplace_back(table.children[i]->name == nullptr ? "" : table.children[i]->name);
  return names;
}

}  // namespace pentimento
