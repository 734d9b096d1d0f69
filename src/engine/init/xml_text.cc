#include "engine/init/xml_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "taxonomy/label.h"

namespace pentimento {
namespace {

constexpr std::size_t kDeepest = 32;
constexpr std::string_view kXmlBlanks = " \t\r\n";

Error NoXml(std::string_view why) { return {ErrorCode::kBadInput, "is no XML that can be read: " + std::string(why)}; }

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kXmlBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kXmlBlanks) - begin + 1);
}

void AppendUtf8(std::uint32_t letter, std::string& text) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((letter >> shift) & 0x3F)); };
  if (letter < 0x80) {
    text += static_cast<char>(letter);
  } else if (letter < 0x800) {
    text += static_cast<char>(0xC0 | (letter >> 6));
    tail(0);
  } else if (letter < 0x10000) {
    text += static_cast<char>(0xE0 | (letter >> 12));
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0 | (letter >> 18));
    tail(12), tail(6), tail(0);
  }
}

// What stands between '&' and ';'.
bool AppendEntity(std::string_view name, std::string& text) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> kNamed = {
      {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [known, letter] : kNamed) {
    if (name != known) continue;
    text += letter;
    return true;
  }
  if (!name.starts_with('#') || name.size() > 9) return false;
  const bool is_hex = name.size() > 1 && name[1] == 'x';
  const std::string_view digits = name.substr(is_hex ? 2 : 1);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::uint32_t letter = 0;
  for (const char c : digits) {
    const std::size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    if (digit >= (is_hex ? 16U : 10U)) return false;
    letter = letter * (is_hex ? 16 : 10) + static_cast<std::uint32_t>(digit);
    if (letter > 0x10FFFF) return false;
  }
  if (digits.empty() || letter == 0 || (letter >= 0xD800 && letter < 0xE000)) return false;
  AppendUtf8(letter, text);
  return true;
}

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : rest_(text) {}

  Result<XmlElement> Run() {
    if (FindBadUtf8(rest_)) return NoXml("bytes that are not UTF-8");
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    std::vector<XmlElement> open(1);  // the document
    while (!rest_.empty()) {
      if (rest_[0] != '<') {
        PENTIMENTO_RETURN_IF_ERROR(TakeText(open.back().text));
      } else if (rest_.starts_with("<![CDATA[")) {
        const std::size_t end = rest_.find("]]>");
        if (end == rest_.npos) return NoXml("it is cut short");
        open.back().text += rest_.substr(9, end - 9);
        rest_.remove_prefix(end + 3);
      } else if (rest_.starts_with("<!--") || rest_.starts_with("<?")) {
        PENTIMENTO_RETURN_IF_ERROR(Skip(rest_[1] == '?' ? "?>" : "-->"));
      } else if (rest_.starts_with("<!")) {
        return NoXml("it has a document type");
      } else {
        PENTIMENTO_RETURN_IF_ERROR(TakeTag(open));
      }
    }
    if (open.size() != 1 || open[0].children.size() != 1) return NoXml("its elements are not closed, or several");
    return std::move(open[0].children[0]);
  }

 private:
  Status Skip(std::string_view end) {
    const std::size_t at = rest_.find(end);
    if (at == rest_.npos) return NoXml("it is cut short");
    rest_.remove_prefix(at + end.size());
    return {};
  }

  Status TakeText(std::string& text) {
    const std::size_t end = std::min(rest_.find('<'), rest_.size());
    std::string_view left = rest_.substr(0, end);
    rest_.remove_prefix(end);
    while (!left.empty()) {
      const std::size_t plain = std::min(left.find('&'), left.size());
      text += left.substr(0, plain);
      left.remove_prefix(plain);
      if (left.empty()) break;
      const std::size_t close = left.find(';');
      if (close == left.npos || !AppendEntity(left.substr(1, close - 1), text))
        return NoXml("an '&' that means nothing");
      left.remove_prefix(close + 1);
    }
    return {};
  }

  // Where the tag ends, outside of the quotes of its attributes.
  std::size_t EndOfTag() const {
    char quote = 0;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (quote != 0)
        quote = rest_[i] == quote ? 0 : quote;
      else if (rest_[i] == '"' || rest_[i] == '\'')
        quote = rest_[i];
      else if (rest_[i] == '>')
        return i;
    }
    return rest_.npos;
  }

  Status TakeTag(std::vector<XmlElement>& open) {
    const std::size_t end = EndOfTag();
    if (end == rest_.npos) return NoXml("it is cut short");
    std::string_view tag = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    const bool closes = tag.starts_with('/'), is_empty = tag.ends_with('/');
    if (closes) tag.remove_prefix(1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    if (name.empty()) return NoXml("a tag without a name");
    if (!closes) {
      if (open.size() > kDeepest) return NoXml("elements stand too deep in each other");
      open.push_back({std::string(name), "", {}});
      if (!is_empty) return {};
    }
    if (open.size() < 2 || open.back().name != name) return NoXml("elements that are not closed in order");
    XmlElement done = std::move(open.back());
    done.text = Trimmed(done.text);
    open.pop_back();
    open.back().children.push_back(std::move(done));
    return {};
  }

  std::string_view rest_;
};

}  // namespace

const XmlElement* XmlElement::Find(std::string_view child) const {
  const auto found = std::ranges::find(children, child, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::TextOf(std::string_view child) const {
  const XmlElement* found = Find(child);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

Result<XmlElement> ReadXml(std::string_view text) { return XmlReader(text).Run(); }

}  // namespace pentimento
