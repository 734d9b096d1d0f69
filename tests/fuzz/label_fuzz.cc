// The labels of published cells, as every reader of a release reads them. The first byte chooses the domain.
#include <array>
#include <memory>
#include <vector>

#include "engine/published/foreign_cells.h"
#include "engine/published/published_cells.h"
#include "engine/query/label_meanings.h"
#include "engine/xy/attribute_codes.h"
#include "fuzz/fuzz.h"
#include "taxonomy/domain.h"
#include "taxonomy/foreign_label.h"
#include "taxonomy/interval_label.h"

using namespace pentimento;

namespace {

std::shared_ptr<const Taxonomy> Tree() {
  static const auto tree = std::make_shared<const Taxonomy>(
      Taxonomy::Parse(
          "Nurse;Care;Health;*\nDoctor;Care;Health;*\na|b;Odd;Health;*\n\\x};Odd;Health;*\n\"p;q\";Office;*\n"
          "[1,2);Office;*\n-7;*\n",
          "job.csv")
          .value());
  return tree;
}

const std::vector<Domain>& Domains() {
  static const std::vector<Domain> domains = {
      Domain(Tree(), true),
      Domain(Tree(), false),
      Domain(NumericRange{.lo = -20, .hi = 120, .points = {}}, true),
      Domain(NumericRange{.lo = 0, .hi = 99'999, .scale = 2, .points = {}}, false),
      Domain(NumericRange{.lo = INT64_MIN, .hi = INT64_MAX, .scale = 1, .points = {INT64_MIN, -1, 0, 7, INT64_MAX}},
             true),
  };
  return domains;
}

void ReadBack(const Domain& domain, std::string_view label) {
  const std::optional<Interval> codes = domain.ParseLabel(label);
  if (!codes) return;
  fuzz::Require(codes->lo <= codes->hi && codes->hi < domain.size(), "a label means codes of its domain");
  const std::optional<Interval> again = domain.ParseLabel(domain.Label(*codes));
  fuzz::Require(again == codes, "a label that is written is read as it was");
}

// Of another tool: what is exact has one label of ours, and a label of ours means what it always means.
void ReadForeign(const Domain& domain, std::string_view label) {
  const ForeignLabelReader reader(domain);
  const ForeignLabel read = reader.Read(label);
  const std::optional<std::string> own = reader.Translate(label);
  fuzz::Require(own.has_value() == (read.reading == LabelReading::kExact),
                "what is exact is translated, and nothing else");
  fuzz::Require(read.codes.lo <= read.codes.hi && read.codes.hi < domain.size(), "a label means codes of its domain");
  // INT64_MIN, which no policy can declare, has digits that are one too many for the strict reader.
  if (own && domain.ParseLabel(domain.Label(read.codes)))
    fuzz::Require(domain.ParseLabel(*own) == read.codes, "a translated label is read as it was");
  const std::optional<Interval> strict = domain.ParseLabel(label);
  if (strict) fuzz::Require(read == ForeignLabel{LabelReading::kExact, *strict}, "a label of ours stays what it is");
}

void ReadForeignCells(const std::string& label) {
  const std::vector<std::string> missing = {"?"};
  const std::pair range(Decimal{-5, 1}, Decimal{120, 0});
  for (const PublishedColumn& column :
       {PublishedColumn{.name = "job", .taxonomy = Tree()}, PublishedColumn{.name = "age", .range = range},
        PublishedColumn{.name = "income", .range = std::pair(Decimal{0, 0}, Decimal{INT64_MAX, 0})}}) {
    ValueColumn values{column.name, {}, {label, "[1,7)"}, std::nullopt, CodeColumn(2, 2)};
    values.codes.Set(1, 1);
    const Result<ForeignColumn> read = ReadForeignColumn(column, values, missing);
    if (fuzz::Took(read) && read->unread.empty()) (void)InOwnLabels(*read, values);
  }
}

void ReadCells(const std::string& label) {
  const std::array<std::string, 2> missing = {"", "?"};
  for (const CellForm form : {CellForm::kTexts, CellForm::kCategories, CellForm::kNumbers})
    (void)CellReader{form, Tree(), missing}.Read(label);
  (void)ReadNumberSpan(label);
  (void)ParseIntervalNumbers(label);
}

void ReadMeanings(const std::string& label) {
  const std::vector<std::string> missing = {"?"};
  const std::pair range(Decimal{-5, 1}, Decimal{120, 0});
  for (const PublishedColumn& column :
       {PublishedColumn{.name = "job", .taxonomy = Tree()}, PublishedColumn{.name = "age", .range = range, .scale = 2},
        PublishedColumn{.name = "note"}})
    for (const CellStyle style : {CellStyle::kAsCollected, CellStyle::kGeneralized})
      (void)fuzz::Took(LabelMeanings::Read(column, style, {label, ""}, missing, "table.csv"));
  PublishedColumn age;
  age.name = "age";
  age.range = range;
  const std::vector<std::string> labels = {label, "[1,7)"};
  for (const bool allows_missing : {false, true}) (void)fuzz::Took(DomainOfLabels(age, {&labels}, allows_missing));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view label = fuzz::TextOf(data + 1, size - 1);
  ReadBack(Domains()[data[0] % Domains().size()], label);
  ReadForeign(Domains()[data[0] % Domains().size()], label);
  ReadForeignCells(std::string(label));
  ReadCells(std::string(label));
  ReadMeanings(std::string(label));
  return 0;
}
