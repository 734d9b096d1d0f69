// A project of ARX: a ZIP archive with XML and hierarchies in it. The bytes are read as an archive, as a project, and
// as one of the XML files in it.
#include <filesystem>

#include "engine/init/arx_project.h"
#include "engine/init/xml_text.h"
#include "files/zip_archive.h"
#include "fuzz/fuzz.h"

using namespace pentimento;

namespace {

constexpr std::uint64_t kMost = 1 << 20;

void ReadAsArchive(const std::filesystem::path& file) {
  const Result<ZipArchive> archive = ZipArchive::Open(file);
  if (!fuzz::Took(archive)) return;
  for (const char* name : {"data/input.csv", "project.xml", "input/definition.xml", "input/config.xml", "a"}) {
    const Result<std::string> text = archive->Read(name, kMost);
    if (fuzz::Took(text)) fuzz::Require(text->size() <= kMost, "no more than was asked for");
  }
  const std::filesystem::path table = fuzz::Folder() / "input.csv";
  std::filesystem::remove(table);
  const Status extracted = archive->Extract("data/input.csv", kMost, table);
  if (!extracted.ok()) fuzz::Require(extracted.error().code != ErrorCode::kInternal, extracted.error().message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  const std::filesystem::path file = fuzz::WriteFile("project.deid", bytes);
  ReadAsArchive(file);
  (void)fuzz::Took(ReadArxProject(file));
  (void)fuzz::Took(ReadXml(bytes));
  return 0;
}
