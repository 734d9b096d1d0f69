#include "report/chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace pentimento {
namespace {

constexpr std::array<const char*, 10> kClasses = {"c1", "c2", "c3", "bad", "s1", "s2", "s3", "s4", "s5", "miss"};
const char* ClassOf(Paint paint) { return kClasses[static_cast<std::size_t>(paint)]; }

std::string Percent(double share) { return fmt::format("{:.2f}%", 100 * std::clamp(share, 0.0, 1.0)); }

// "12,000", "0.5"
std::string TickText(double number) {
  if (number != std::floor(number)) return fmt::format("{:g}", number);
  std::string digits = fmt::format("{:.0f}", number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string Legend(const std::vector<std::pair<std::string, Paint>>& parts, bool has_dots) {
  if (parts.size() < 2) return "";
  std::string html = "<ul class=\"legend\">";
  for (const auto& [name, paint] : parts)
    html += fmt::format(
        "<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\">{}</svg> {}</li>",
        has_dots ? fmt::format("<circle cx=\"7\" cy=\"7\" r=\"5\" class=\"{}\"/>", ClassOf(paint))
                 : fmt::format("<rect x=\"1\" y=\"1\" width=\"12\" height=\"12\" class=\"{}\"/>", ClassOf(paint)),
        Isolated(name));
  return html + "</ul>\n";
}

std::string Figure(const ChartWords& words, const std::string& before, const std::string& svg) {
  std::string html = fmt::format("<figure id=\"{}\"><figcaption>{}</figcaption>\n{}{}", words.id,
                                 EscapedHtml(ShortName(words.title, 90)), before, svg);
  if (!words.table.rows.empty()) html += FoldedTable(words.table);
  return html + "</figure>\n";
}

// `left`, `right`: room beside the plot for labels, in pixels.
std::string Svg(const ChartWords& words, int height, const char* kind, const std::string& inner) {
  return fmt::format(
      "<svg class=\"{}\" height=\"{}\" role=\"img\" aria-labelledby=\"{}-t\"><title id=\"{}-t\">{}</title>\n{}</svg>\n",
      kind, height, words.id, words.id, EscapedHtml(words.summary), inner);
}

// Lines across the plot with their numbers on the left, and what they count above them.
std::string LyingGrid(const std::vector<double>& ticks, double top, double height, const std::string& axis,
                      const char* unit) {
  std::string svg;
  for (const double tick : ticks) {
    const double y = top + height * (1 - tick / ticks.back());
    svg += fmt::format(
        "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text class=\"end\" x=\"-6\" "
        "y=\"{1:.1f}\">{2}{3}</text>\n",
        y, y + 4, TickText(tick), unit);
  }
  return svg + fmt::format("<text x=\"-46\" y=\"12\">{}</text>\n", EscapedHtml(axis));
}

constexpr std::size_t kLabelWidth = 30;  // columns of letters beside a number on the narrowest page

}  // namespace

std::vector<double> AxisTicks(double most) {
  if (!(most > 0)) return {0, 1};
  const double rough = most / 4;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    step = factor * power;
    if (step * 4 >= most * (1 - 1e-12)) break;
  }
  std::vector<double> ticks = {0};
  while (ticks.back() < most * (1 - 1e-12)) ticks.push_back(static_cast<double>(ticks.size()) * step);
  return ticks;
}

std::string DrawColumns(const ChartWords& words, const ColumnChart& chart) {
  double most = 0;
  for (const Column& column : chart.columns) most = std::max(most, column.height);
  std::vector<double> ticks = AxisTicks(most);
  // Things that are counted have no halves.
  std::erase_if(ticks, [](double tick) { return tick != std::floor(tick); });
  constexpr double kTop = 24, kHeight = 140;
  std::string svg = LyingGrid(ticks, kTop, kHeight, words.y_axis, "");
  const auto count = static_cast<double>(chart.columns.size());
  // Not more labels than a telephone has room for.
  const std::size_t each = std::max<std::size_t>(1, (chart.columns.size() + 5) / 6);
  for (std::size_t i = 0; i < chart.columns.size(); ++i) {
    const Column& column = chart.columns[i];
    const double x = (static_cast<double>(i) + 0.08) / count;
    const double tall = kHeight * column.height / ticks.back();
    svg += fmt::format("<rect class=\"{}\" x=\"{}\" width=\"{}\" y=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                       ClassOf(column.paint), Percent(x), Percent(0.84 / count), kTop + kHeight - tall, tall);
    if (i % each == 0)
      svg += fmt::format("<text class=\"mid\" x=\"{}\" y=\"{}\">{}</text>\n",
                         Percent((static_cast<double>(i) + 0.5) / count), kTop + kHeight + 16,
                         EscapedHtml(ShortName(column.label, 9)));
  }
  if (chart.line_before) {
    const double x = static_cast<double>(*chart.line_before) / count;
    svg += fmt::format(
        "<line class=\"limit\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/><text class=\"{3} strong\" x=\"{0}\" "
        "dx=\"{4}\" "
        "y=\"{5}\">{6}</text>\n",
        Percent(x), kTop - 18, kTop + kHeight, x > 0.6 ? "end" : "begin", x > 0.6 ? -5 : 5, kTop - 10,
        EscapedHtml(chart.line_label));
  }
  svg += fmt::format("<text class=\"end\" x=\"100%\" y=\"{}\">{}</text>\n", kTop + kHeight + 34,
                     EscapedHtml(words.x_axis));
  return Figure(words, "", Svg(words, static_cast<int>(kTop + kHeight + 40), "plot", svg));
}

namespace {

// The label of a row above it, and its number at the right end.
std::string RowHead(const std::string& label, const std::string& value, double y) {
  return fmt::format(
      "<text class=\"strong\" x=\"0\" y=\"{0}\"><title>{1}</title>{2}</text><text class=\"end\" x=\"100%\" "
      "y=\"{0}\">{3}</text>\n",
      y, EscapedHtml(ShortName(label, 200)), EscapedHtml(ShortName(label, kLabelWidth)), EscapedHtml(value));
}

std::string BarParts(const BarChart& chart, const Bar& bar, double y) {
  std::string svg;
  double begin = 0;
  for (std::size_t part = 0; part < bar.parts.size(); ++part) {
    const double share = chart.full > 0 ? bar.parts[part] / chart.full : 0;
    const char* kind = ClassOf(chart.parts[part].second);
    if (chart.side_by_side) {
      svg += fmt::format("<rect class=\"{}\" x=\"0\" width=\"{}\" y=\"{}\" height=\"6\"/>\n", kind, Percent(share), y);
      y += 7;
    } else if (share > 0) {
      svg += fmt::format("<rect class=\"{} part\" x=\"{}\" width=\"{}\" y=\"{}\" height=\"11\"/>\n", kind,
                         Percent(begin), Percent(share), y);
    }
    begin += share;
  }
  return svg;
}

}  // namespace

std::string DrawBars(const ChartWords& words, const BarChart& chart) {
  const double tall = chart.side_by_side ? 20 + 7.0 * static_cast<double>(chart.parts.size()) + 7 : 38;
  std::string svg;
  double y = 0;
  for (const Bar& bar : chart.bars) {
    svg += RowHead(bar.label, bar.value, y + 13);
    svg += fmt::format("<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{0}\" y2=\"{0}\"/>\n", y + tall - 7);
    svg += BarParts(chart, bar, y + 19);
    y += tall;
  }
  if (!words.x_axis.empty())
    svg += fmt::format("<text class=\"end\" x=\"100%\" y=\"{}\">{}</text>\n", y + 10, EscapedHtml(words.x_axis));
  return Figure(words, Legend(chart.parts, false),
                Svg(words, static_cast<int>(y) + (words.x_axis.empty() ? 2 : 18), "rows", svg));
}

std::string DrawDots(const ChartWords& words, const DotChart& chart) {
  const std::vector<double> ticks = AxisTicks(chart.full);
  constexpr double kTall = 44;
  const double height = kTall * static_cast<double>(chart.rows.size());
  std::string svg;
  for (const double tick : ticks) {
    if (tick != std::floor(tick)) continue;
    const double x = tick / ticks.back();
    svg += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"20\" y2=\"{1}\"/>", Percent(x), height);
    svg += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n",
                       x == 0     ? "begin"
                       : x > 0.99 ? "end"
                                  : "mid",
                       Percent(x), height + 15, TickText(tick));
  }
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const double y = kTall * static_cast<double>(i);
    svg += RowHead(chart.rows[i].label, "", y + 13);
    svg += fmt::format("<line class=\"axis\" x1=\"0\" x2=\"100%\" y1=\"{0}\" y2=\"{0}\"/>\n", y + 29);
    for (std::size_t kind = 0; kind < chart.rows[i].dots.size(); ++kind) {
      const std::optional<double>& dot = chart.rows[i].dots[kind];
      // Smaller ones lie upon larger ones, so that equal numbers are all seen.
      if (dot)
        svg +=
            fmt::format("<circle class=\"{} dot\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", ClassOf(chart.kinds[kind].second),
                        Percent(*dot / ticks.back()), y + 29, 9 - 2.5 * static_cast<double>(kind));
    }
  }
  svg += fmt::format("<text class=\"end\" x=\"100%\" y=\"{}\">{}</text>\n", height + 32, EscapedHtml(words.x_axis));
  return Figure(words, Legend(chart.kinds, true), Svg(words, static_cast<int>(height) + 38, "rows dots", svg));
}

namespace {

// A flat line for each step, and an upright one between two of them.
std::string StepsOf(const StepLine& line, std::uint64_t steps, double most, double top, double height) {
  std::string svg;
  const auto count = static_cast<double>(steps);
  double before = 0;
  for (std::size_t i = 0; i < line.values.size(); ++i) {
    const double y = top + height * (1 - line.values[i] / most);
    const double y_before = top + height * (1 - before / most);
    const std::string x = Percent(static_cast<double>(i) / count);
    svg += fmt::format("<line class=\"{} step\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", ClassOf(line.paint),
                       x, x, y_before, y);
    svg += fmt::format("<line class=\"{} step\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       ClassOf(line.paint), x, Percent(static_cast<double>(i + 1) / count), y, y);
    before = line.values[i];
  }
  return svg;
}

}  // namespace

std::string DrawSteps(const ChartWords& words, const StepChart& chart) {
  constexpr double kTop = 24, kHeight = 160;
  const std::vector<double> ticks = AxisTicks(100 * chart.limit * 1.05);
  const double most = ticks.back() / 100;
  std::string svg = LyingGrid(ticks, kTop, kHeight, words.y_axis, "\u00a0%");
  const double y = kTop + kHeight * (1 - chart.limit / most);
  svg += fmt::format(
      "<line class=\"limit\" x1=\"0\" x2=\"100%\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text class=\"end strong\" x=\"100%\" "
      "y=\"{1:.1f}\">{2}</text>\n",
      y, y - 5, EscapedHtml(chart.limit_label));
  std::vector<std::pair<std::string, Paint>> kinds;
  for (const StepLine& line : chart.lines) {
    svg += StepsOf(line, chart.steps, most, kTop, kHeight);
    kinds.emplace_back(line.label, line.paint);
  }
  const auto count = static_cast<double>(chart.steps);
  const std::uint64_t each = std::max<std::uint64_t>(1, (chart.steps + 9) / 10);
  for (std::uint64_t step = 0; step < chart.steps; step += each)
    svg += fmt::format("<text class=\"mid\" x=\"{}\" y=\"{}\">{}</text>\n",
                       Percent((static_cast<double>(step) + 0.5) / count), kTop + kHeight + 16, step + 1);
  if (chart.planned) {
    const double x = static_cast<double>(*chart.planned) / count;
    svg += fmt::format(
        "<line class=\"axis\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/><text class=\"end\" x=\"{0}\" dx=\"-4\" "
        "y=\"{3}\">planned</text>\n",
        Percent(x), kTop, kTop + kHeight, kTop + kHeight - 6);
  }
  svg += fmt::format("<text class=\"end\" x=\"100%\" y=\"{}\">{}</text>\n", kTop + kHeight + 34,
                     EscapedHtml(words.x_axis));
  return Figure(words, Legend(kinds, false), Svg(words, static_cast<int>(kTop + kHeight + 40), "plot", svg));
}

}  // namespace pentimento
