// Charts as SVG, without a library and without a script. Places are in percent of the width, which the page decides, so
// that letters and lines keep their size on a telephone and on paper.
//
// 1. A chart shows no number that its table does not have; the table stands beneath it.
// 2. What colour tells, a word or a place tells as well.
// 3. Labels are names: they are shortened and escaped here; the table has them whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/html.h"

namespace pentimento {

// Words around every chart. All but `table` are plain text.
struct ChartWords {
  std::string id;       // unique on the page
  std::string title;    // what is seen
  std::string summary;  // the same in a sentence, for who does not see it
  std::string x_axis;
  std::string y_axis;
  HtmlTable table;
};

// Colours by name, the same in all charts. Three for series; kTooSmall for what lies below a limit.
enum class Paint { kFirst, kSecond, kThird, kTooSmall, kScale1, kScale2, kScale3, kScale4, kScale5, kMissing };

// Upright bars side by side: how many classes are of which size.
struct Column {
  std::string label;
  double height = 0;
  Paint paint = Paint::kFirst;
};
struct ColumnChart {
  std::vector<Column> columns;
  std::optional<std::size_t> line_before =
      {};  // the column that begins with the limit; its number of columns: after all
  std::string line_label;
};
std::string DrawColumns(const ChartWords& words, const ColumnChart& chart);

// Lying bars under their labels, each of several parts: loss by column, the living and the withdrawn.
struct Bar {
  std::string label;
  std::string value;  // as text, at the right end
  std::vector<double> parts;
};
struct BarChart {
  std::vector<Bar> bars;
  std::vector<std::pair<std::string, Paint>> parts;  // what the parts are called; one: no legend
  double full = 0;                                   // what the whole width stands for
  bool side_by_side = false;                         // parts beneath each other instead of one after the other
};
std::string DrawBars(const ChartWords& words, const BarChart& chart);

// Dots on a line for each label: a number of several kinds.
struct DotRow {
  std::string label;
  std::vector<std::optional<double>> dots;  // by kind
};
struct DotChart {
  std::vector<DotRow> rows;
  std::vector<std::pair<std::string, Paint>> kinds;
  double full = 0;
};
std::string DrawDots(const ChartWords& words, const DotChart& chart);

// Steps over whole numbers from 1 on: what has been spent after each release. Shares of 1.
struct StepLine {
  std::string label;
  std::vector<double> values;  // after the first, the second, ...
  Paint paint = Paint::kFirst;
};
struct StepChart {
  std::vector<StepLine> lines;
  double limit = 0;
  std::string limit_label;
  std::uint64_t steps = 0;                    // as wide as so many
  std::optional<std::uint64_t> planned = {};  // where an upright line stands
};
std::string DrawSteps(const ChartWords& words, const StepChart& chart);

// Round ends of an axis from 0: at least two, the last at least `most`.
std::vector<double> AxisTicks(double most);

}  // namespace pentimento
