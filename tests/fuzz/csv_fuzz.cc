// A CSV, from its bytes to codes: how it is written is found out, or said in another of the ways that a policy can.
#include "files/text_form.h"
#include "fuzz/table_input.h"

using namespace pentimento;

namespace {

// Whatever a user can say, drawn from the bytes.
TextSetting SettingOf(std::string_view text) {
  std::size_t number = text.size();
  for (const char c : text.substr(0, 64)) number = 31 * number + static_cast<unsigned char>(c);
  TextSetting setting;
  if (number % 3 == 1) setting.separator = kSeparators[number / 3 % kSeparators.size()];
  if (number % 5 > 1) setting.encoding = static_cast<TextEncoding>(number / 5 % kEncodingNames.size());
  return setting;
}

// What is said counts, and what is found out is there.
void CheckDetection(std::string_view text, const TextSetting& setting) {
  const Result<TextForm> form = DetectTextForm(text, setting);
  if (!fuzz::Took(form)) return;
  fuzz::Require(form->mark <= text.size(), "the mark is in the text");
  if (setting.encoding) fuzz::Require(form->encoding == *setting.encoding, "what the user says counts");
  if (setting.separator) fuzz::Require(form->separator == *setting.separator, "what the user says counts");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  if (text.starts_with("PAR1")) return 0;  // another fuzzer's
  const std::filesystem::path file = fuzz::WriteFile("table.csv", text);
  const TextSetting setting = SettingOf(text);
  CheckDetection(text, {});
  CheckDetection(text, setting);
  fuzz::EncodeInEveryRole(file);
  fuzz::EncodeInEveryRole(file, setting, {.trims = true, .folds_case = true, .decimal_point = ',', .decimals = 1});
  return 0;
}
