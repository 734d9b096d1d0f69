#include "engine/init/arx_project.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/fold_case.h"
#include "engine/init/xml_text.h"
#include "files/zip_archive.h"
#include "fmt/core.h"
#include "policy/policy.h"

namespace pentimento {
namespace {

constexpr const char* kTable = "data/input.csv";
constexpr std::uint64_t kMostXml = std::uint64_t{16} << 20;
constexpr std::uint64_t kMostHierarchy = std::uint64_t{256} << 20;
constexpr std::uint64_t kMostTable = std::uint64_t{4} << 30;

Error NotAProject(const std::filesystem::path& path, std::string_view why) {
  return {
      ErrorCode::kBadInput,
      fmt::format("{}: {}. A project of ARX is a ZIP archive with '{}', project.xml and input/definition.xml in it; "
                  "save the project in ARX anew, or name its table",
                  path.string(), why, kTable)};
}

Result<XmlElement> ReadXmlEntry(const ZipArchive& archive, const std::filesystem::path& path, std::string_view name) {
  if (!archive.Has(name)) return NotAProject(path, fmt::format("has no file '{}' in it", name));
  PENTIMENTO_ASSIGN(const std::string text, archive.Read(name, kMostXml));
  Result<XmlElement> xml = ReadXml(text);
  if (!xml.ok()) return NotAProject(path, fmt::format("'{}' in it {}", name, xml.error().message));
  return xml;
}

Result<char> ReadSeparator(const std::filesystem::path& path, const XmlElement& project) {
  // Blanks around a text of XML are no part of it, and so a tab is none at all.
  const std::string_view separator = project.TextOf("separator");
  const char c = separator.empty() ? '\t' : separator[0];
  if (separator.size() > 1 || std::ranges::find(kSeparators, c) == kSeparators.end())
    return NotAProject(path, "separates cells by none of ',', ';', tab and '|'");
  const std::string_view quote = project.TextOf("quote"), escape = project.TextOf("escape");
  if ((!quote.empty() && quote != "\"") || (!escape.empty() && escape != "\"" && escape != "\\"))
    return NotAProject(path, "puts cells between other signs than double quotes");
  return c;
}

ColumnHint::Kind KindOf(std::string_view type) {
  if (type == "QUASI_IDENTIFYING_ATTRIBUTE") return ColumnHint::Kind::kQuasiIdentifying;
  if (type == "SENSITIVE_ATTRIBUTE") return ColumnHint::Kind::kSensitive;
  if (type == "INSENSITIVE_ATTRIBUTE") return ColumnHint::Kind::kInsensitive;
  if (type == "IDENTIFYING_ATTRIBUTE") return ColumnHint::Kind::kIdentifying;
  return ColumnHint::Kind::kUnknown;
}

// "hierarchies/age.csv" is input/hierarchies/age.csv.
Status ReadHierarchy(const ZipArchive& archive, std::string_view ref, ColumnHint& hint) {
  const std::string name = "input/" + std::string(ref);
  if (ref.empty() || !archive.Has(name)) return {};
  PENTIMENTO_ASSIGN(const std::string text, archive.Read(name, kMostHierarchy));
  Result<Taxonomy> taxonomy = Taxonomy::Parse(text, ref);
  if (taxonomy.ok())
    hint.taxonomy = std::move(taxonomy).value();
  else
    hint.fault = fmt::format("Its hierarchy cannot be used as a taxonomy ({}).", taxonomy.error().message);
  return {};
}

Result<ColumnHints> ReadColumnHints(const ZipArchive& archive, const XmlElement& definition) {
  ColumnHints hints;
  for (const XmlElement& column : definition.children) {
    if (column.name != "assigment" && column.name != "assignment") continue;  // the first is ARX's own spelling
    ColumnHint hint;
    hint.kind = KindOf(column.TextOf("type"));
    hint.is_target = column.TextOf("response") == "true";
    hint.from = "the ARX project";
    PENTIMENTO_RETURN_IF_ERROR(ReadHierarchy(archive, column.TextOf("ref"), hint));
    hints.insert_or_assign(std::string(column.TextOf("name")), std::move(hint));
  }
  return hints;
}

// "5-anonymity"
std::optional<std::uint64_t> ReadK(std::string_view criterion) {
  std::uint64_t k = 0;
  const auto [end, error] = std::from_chars(criterion.data(), criterion.data() + criterion.size(), k);
  const std::string_view rest(end, static_cast<std::size_t>(criterion.data() + criterion.size() - end));
  if (error != std::errc() || rest != "-anonymity" || k < 2 || k > 4'294'967'296) return std::nullopt;
  return k;
}

void ReadCriteria(const XmlElement& config, ArxProject& project) {
  constexpr std::size_t kLongest = 120;
  const XmlElement* criteria = config.Find("criteria");
  if (criteria == nullptr) return;
  for (const XmlElement& criterion : criteria->children) {
    if (const auto k = ReadK(criterion.text))
      project.k = k;
    else if (criterion.text == "Inclusion")
      project.remarks.emplace_back("The ARX project has a research subset (\"Inclusion\"). All rows are taken here.");
    else
      project.remarks.push_back(
          fmt::format("The ARX project also asked for '{}', which is not carried over. See which "
                      "guarantee is like it.",
                      criterion.text.substr(0, kLongest)));
  }
  if (project.k)
    project.remarks.push_back(
        fmt::format("The ARX project asked for {}-anonymity. No row is suppressed here.", *project.k));
}

}  // namespace

bool LooksLikeArxProject(const std::filesystem::path& path) { return FoldCase(path.extension().string()) == ".deid"; }

Result<ArxProject> ReadArxProject(const std::filesystem::path& path) {
  PENTIMENTO_ASSIGN(const ZipArchive archive, ZipArchive::Open(path));
  if (!archive.Has(kTable)) return NotAProject(path, "has no table in it");
  PENTIMENTO_ASSIGN(const XmlElement about, ReadXmlEntry(archive, path, "project.xml"));
  PENTIMENTO_ASSIGN(const XmlElement definition, ReadXmlEntry(archive, path, "input/definition.xml"));
  ArxProject project;
  PENTIMENTO_ASSIGN(project.separator, ReadSeparator(path, about));
  PENTIMENTO_ASSIGN(project.hints, ReadColumnHints(archive, definition));
  if (archive.Has("input/config.xml")) {
    PENTIMENTO_ASSIGN(const XmlElement config, ReadXmlEntry(archive, path, "input/config.xml"));
    ReadCriteria(config, project);
  }
  return project;
}

Status WriteArxTable(const std::filesystem::path& project, const std::filesystem::path& table) {
  PENTIMENTO_ASSIGN(const ZipArchive archive, ZipArchive::Open(project));
  return archive.Extract(kTable, kMostTable, table);
}

}  // namespace pentimento
