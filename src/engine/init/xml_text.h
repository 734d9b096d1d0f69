// The small part of XML that project files of ARX are written in: elements and text. What stands in attributes,
// comments and instructions is skipped; a document type, which could make a short file very long, is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pentimento {

struct XmlElement {
  std::string name;
  std::string text;  // of this element alone, with entities replaced, without blanks around it
  std::vector<XmlElement> children;

  // The text of the first child of that name; empty where there is none.
  std::string_view TextOf(std::string_view child) const;
  const XmlElement* Find(std::string_view child) const;
};

// The root. Errors are kBadInput, and their message the reason alone.
Result<XmlElement> ReadXml(std::string_view text);

}  // namespace pentimento
