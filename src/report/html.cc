#include "report/html.h"

#include <fmt/core.h>

#include <optional>

#include "base/plural.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

// The character at the beginning of well-formed text.
struct Letter {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

Letter FirstLetter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  if (byte(0) < 0x80) return {byte(0), 1};
  if (byte(0) < 0xE0) return {(byte(0) & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (byte(0) < 0xF0) return {(byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  return {(byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4};
}

// Turns the direction of others, or is seen nowhere.
bool IsTurning(std::uint32_t code) {
  return code == 0x061C || (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB);
}

bool IsControl(std::uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

bool IsWide(std::uint32_t code) {
  return (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
         (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
         (code >= 0x1F300 && code <= 0x1FAFF) || (code >= 0x20000 && code <= 0x3FFFD);
}

void AppendLetter(std::string_view bytes, std::uint32_t code, std::string& html) {
  switch (code) {
    case '&':
      html += "&amp;";
      return;
    case '<':
      html += "&lt;";
      return;
    case '>':
      html += "&gt;";
      return;
    case '"':
      html += "&quot;";
      return;
    case '\'':
      html += "&#39;";
      return;
    default:
      break;
  }
  if (IsControl(code)) {
    html += fmt::format("\\x{:02x}", code);
  } else if (IsTurning(code) || (code >= 0xFFFE && (code & 0xFFFE) == 0xFFFE)) {
    html += fmt::format("\\u{{{:04x}}}", code);
  } else {
    html += bytes;
  }
}

}  // namespace

std::string EscapedHtml(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    std::size_t good = FindBadUtf8(text).value_or(text.size());
    while (good > 0) {
      const Letter letter = FirstLetter(text);
      AppendLetter(text.substr(0, letter.bytes), letter.code, html);
      text.remove_prefix(letter.bytes);
      good -= letter.bytes;
    }
    if (text.empty()) break;
    html += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(1);
  }
  return html;
}

std::string Isolated(std::string_view text) { return "<bdi>" + EscapedHtml(text) + "</bdi>"; }

std::string ShortName(std::string_view name, std::size_t most) {
  std::string shortened;
  std::size_t width = 0;
  while (!name.empty()) {
    const bool is_good = FindBadUtf8(name.substr(0, 4)) != 0U;
    const Letter letter = is_good ? FirstLetter(name) : Letter{0, 1};
    width += IsWide(letter.code) ? 2 : 1;
    if (width > most) return shortened + "…";
    shortened += name.substr(0, letter.bytes);
    name.remove_prefix(letter.bytes);
  }
  return shortened;
}

std::string Paragraph(std::string_view escaped) { return fmt::format("<p>{}</p>\n", escaped); }

std::string SentenceList(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  std::string html = "<ul>\n";
  for (const std::string& sentence : sentences) html += fmt::format("<li>{}</li>\n", Isolated(sentence));
  return html + "</ul>\n";
}

HtmlCell NameCell(std::string_view name) { return {Isolated(name), false}; }
HtmlCell NumberCell(std::string_view text) { return {EscapedHtml(text), true}; }
HtmlCell CountCell(std::uint64_t count) { return {WithCommas(count), true}; }

std::string Rounded(double number, int decimals, std::string_view unit) {
  return fmt::format("{:.{}f}{}{}", number, decimals, unit.empty() ? "" : "\u00a0", unit);
}

std::string TableHtml(const HtmlTable& table) {
  std::string html = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table id=\"{1}\"><caption>{0}</caption>\n"
      "<thead><tr>",
      table.caption, table.id);
  for (const std::string& name : table.head) html += fmt::format("<th scope=\"col\">{}</th>", EscapedHtml(name));
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<HtmlCell>& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == 0)
        html += fmt::format("<th scope=\"row\">{}</th>", row[i].html);
      else
        html += fmt::format("<td{}>{}</td>", row[i].is_number ? " class=\"n\"" : "", row[i].html);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string FoldedTable(const HtmlTable& table, std::string_view summary) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", summary, TableHtml(table));
}

}  // namespace pentimento
