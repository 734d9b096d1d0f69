// Text and tables for a page of HTML. Every name goes through here, and nothing else writes one.
//
// 1. What is shown is text, whatever it holds: no mark-up, no control characters, no bytes that are no UTF-8, and no
//    character that turns the direction of what stands beside it.
// 2. A name in running text or in a table stands in <bdi>, so that one that runs from right to left turns nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pentimento {

// As text or as the value of an attribute in quotes. Control characters, and those that only turn the direction, become
// "\xNN" and "\u{NNNN}".
std::string EscapedHtml(std::string_view text);
// The same, in <bdi>.
std::string Isolated(std::string_view text);
// At most `most` columns wide (letters of East Asia take two), the rest as "…". Not escaped.
std::string ShortName(std::string_view name, std::size_t most);

std::string Paragraph(std::string_view escaped);
// <ul> of sentences, which are escaped here; nothing for none.
std::string SentenceList(const std::vector<std::string>& sentences);

// A cell: a name, or a number for people that stands on the right.
struct HtmlCell {
  std::string html;
  bool is_number = false;
};
HtmlCell NameCell(std::string_view name);
HtmlCell NumberCell(std::string_view text);
HtmlCell CountCell(std::uint64_t count);
// A number with so many decimals and its unit.
std::string Rounded(double number, int decimals, std::string_view unit = "");

struct HtmlTable {
  std::string id;       // of the table, "classes-1"; unique on the page
  std::string caption;  // escaped
  std::vector<std::string> head;
  std::vector<std::vector<HtmlCell>> rows;
};
// Scrolls by itself where it is too wide. The first cell of a row is its heading.
std::string TableHtml(const HtmlTable& table);
// The same, folded.
std::string FoldedTable(const HtmlTable& table, std::string_view summary = "The numbers");

}  // namespace pentimento
