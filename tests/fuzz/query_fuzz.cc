// A query: read, written and read again, brought together with columns of every kind, and put to their cells.
#include <memory>
#include <string>
#include <vector>

#include "engine/query/bind_query.h"
#include "engine/query/label_meanings.h"
#include "engine/query/query.h"
#include "fuzz/fuzz.h"

using namespace pentimento;

namespace {

struct AskedColumn {
  QueryColumn column;
  LabelMeanings cells;
};

const std::vector<AskedColumn>& Asked() {
  static const std::vector<AskedColumn> asked = [] {
    const auto tree = std::make_shared<const Taxonomy>(
        Taxonomy::Parse("Nurse;Care;*\nDoctor;Care;*\nClerk;Office;*\nOffice clerk;Office;*\n", "job.csv").value());
    const std::pair range(Decimal{0, 0}, Decimal{120, 0});
    std::vector<AskedColumn> made;
    const auto add = [&](const PublishedColumn& column, CellStyle style, std::vector<std::string> labels) {
      const std::vector<std::string> missing = {"?"};
      made.push_back(
          {{column, 0}, LabelMeanings::Read(column, style, std::move(labels), missing, "table.csv").value()});
    };
    add({.name = "job", .taxonomy = tree}, CellStyle::kGeneralized, {"Nurse", "Care", "{Doctor|Clerk}", "*", ""});
    add({.name = "age", .range = range, .scale = 1}, CellStyle::kGeneralized, {"7", "[7.5,30)", "[30,120]", "*"});
    add({.name = "disease"}, CellStyle::kAsCollected, {"Flu", "HIV", "12", "?", ""});
    add({.name = "weight"}, CellStyle::kAsCollected, {"9.9", "-1", "1e3", "007"});
    return made;
  }();
  return asked;
}

void AskColumns(const Query& query) {
  std::vector<QueryColumn> columns;
  for (const AskedColumn& asked : Asked()) columns.push_back(asked.column);
  const Result<BoundQuery> bound = BindQuery(query, columns);
  if (!fuzz::Took(bound)) return;
  for (const ColumnCondition& condition : bound->conditions) {
    const Result<std::vector<CellMatch>> matches = Asked()[condition.column].cells.Match(*bound, condition);
    if (!fuzz::Took(matches)) continue;
    for (const CellMatch& match : *matches)
      fuzz::Require(match.share >= 0 && match.share <= 1, "a cell meets a condition by a share from 0 to 1");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Query> query = ParseQuery(std::string(fuzz::TextOf(data, size)), "queries.txt:1");
  if (!fuzz::Took(query)) return 0;
  const std::string written = WriteQuery(query->predicates);
  const Result<Query> again = ParseQuery(written, "");
  fuzz::Require(fuzz::Took(again) && WriteQuery(again->predicates) == written,
                "a query that is written is read as it was");
  AskColumns(*query);
  return 0;
}
