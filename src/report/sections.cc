#include "report/sections.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/plural.h"
#include "report/chart.h"
#include "report/html.h"

namespace pentimento {
namespace {

std::string SectionHead(const char* id, const char* title, const char* words) {
  return fmt::format("<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{1}</h2>\n<p>{2}</p>\n", id, title, words);
}

std::string Missing(std::string_view words) { return fmt::format("<p class=\"missing\">{}</p>\n", words); }

std::string AnswerHtml(const char* question, const std::vector<std::string>& sentences) {
  constexpr std::size_t kMostSentences = 12;
  std::vector<std::string> shown(
      sentences.begin(), sentences.begin() + static_cast<std::ptrdiff_t>(std::min(sentences.size(), kMostSentences)));
  if (sentences.size() > shown.size())
    shown.push_back(fmt::format("… and {} more; ask for fewer releases to see them.", sentences.size() - shown.size()));
  for (std::string& sentence : shown) sentence = ShortName(sentence, 700);
  return fmt::format("<h3>{}</h3>\n{}", question, SentenceList(shown));
}

std::string_view KeptWord(const ReportNumbers& numbers) {
  switch (numbers.verdict.kept) {
    case KeptOverAll::kYes:
      return numbers.edition == ReportEdition::kPublic
                 ? "Yes: over the releases on this page every promise is kept, as their folders tell."
                 : "Yes, every promise is kept over all releases.";
    case KeptOverAll::kNo:
      return "No, a promise is broken by the releases together.";
    case KeptOverAll::kUnknown:
      return "It cannot be told for all releases.";
    case KeptOverAll::kNothingToTell:
      break;
  }
  return "There is nothing to tell.";
}

const char* KeptClass(KeptOverAll kept) {
  return kept == KeptOverAll::kYes ? "good" : kept == KeptOverAll::kNo ? "broken" : "open";
}

}  // namespace

std::size_t FirstShown(const ReportNumbers& numbers, std::size_t most) {
  return numbers.releases.size() > most ? numbers.releases.size() - most : 0;
}

std::string LeftOutNote(const ReportNumbers& numbers, std::size_t most) {
  if (numbers.releases.size() <= most) return "";
  return Missing(fmt::format("Only the latest {} of {} releases are here; name others with --release or --series.",
                             most, WithCommas(numbers.releases.size())));
}

std::string VerdictSection(const ReportNumbers& numbers) {
  const ReportedVerdict& verdict = numbers.verdict;
  std::string html = fmt::format(
      "<section aria-labelledby=\"verdict\" class=\"verdict {}\"><h2 id=\"verdict\">The result</h2>\n"
      "<p class=\"result\">{}</p>\n",
      KeptClass(verdict.kept), KeptWord(numbers));
  html += AnswerHtml("Is what was promised kept over all releases?", verdict.kept_words);
  html += AnswerHtml("What was promised?", verdict.promised);
  html += AnswerHtml("What is the worst group?", verdict.worst);
  html += AnswerHtml("How many releases are left?", verdict.left);
  return html + "</section>\n";
}

std::string PromiseSection(const ReportNumbers& numbers) {
  std::string html = SectionHead("gaps", "What was not promised",
                                 "A guarantee covers what it says and no more. Whoever signs accepts these gaps.");
  std::vector<std::string> gaps;
  for (const ReportedRelease& release : numbers.releases) {
    if (!release.not_promised.empty() && std::ranges::find(gaps, release.not_promised) == gaps.end())
      gaps.push_back(release.not_promised);
  }
  gaps.emplace_back("Who is in a table is not hidden.");
  gaps.emplace_back("Nothing is measured together with tables that are not in this ledger.");
  gaps.emplace_back("Whoever knows more of somebody than the columns named in a promise may find more.");
  return html + SentenceList(gaps) + "</section>\n";
}

namespace {

std::string CompositionTable(const ReportNumbers& numbers, HtmlTable& table) {
  const bool is_internal = numbers.edition == ReportEdition::kInternal;
  table = {"t-risk",
           "What each release tells together with those before it",
           {"release", "k", "people below k", "smallest crowd", "alone"},
           {}};
  if (is_internal) {
    for (const char* more : {"below k before it", "below k, knowing who is in which", "measured with"})
      table.head.emplace_back(more);
  }
  for (std::size_t i = FirstShown(numbers, kMostListed); i < numbers.releases.size(); ++i) {
    const ReportedRelease& release = numbers.releases[i];
    if (!release.composition || !release.composition->is_measured()) continue;
    const ReportedComposition& told = *release.composition;
    std::vector<HtmlCell> row = {NameCell(release.name), CountCell(told.k),
                                 NumberCell((told.crowds_are_exact ? "" : "up to ") + WithCommas(told.crowds.below_k)),
                                 CountCell(told.crowds.smallest), CountCell(told.crowds.alone)};
    if (is_internal) {
      row.push_back(told.already_below_k ? CountCell(*told.already_below_k) : NumberCell("not known"));
      row.push_back(told.joint ? CountCell(told.joint->below_k) : NumberCell("not known"));
      std::string with;
      for (const std::string& name : told.with) with += (with.empty() ? "" : ", ") + ShortName(name, 60);
      row.push_back(NameCell(ShortName(with, 300)));
    }
    table.rows.push_back(std::move(row));
  }
  return {};
}

DotChart RiskDots(const ReportNumbers& numbers) {
  DotChart chart;
  const bool is_internal = numbers.edition == ReportEdition::kInternal;
  if (is_internal) chart.kinds.emplace_back("for whoever knows who is in which release", Paint::kThird);
  chart.kinds.emplace_back("in combination with the releases before", Paint::kTooSmall);
  chart.kinds.emplace_back("in the table alone (rows)", Paint::kFirst);
  for (std::size_t i = FirstShown(numbers, kMostDrawn); i < numbers.releases.size(); ++i) {
    const ReportedRelease& release = numbers.releases[i];
    DotRow row{.label = release.name, .dots = {}};
    const bool is_measured = release.composition && release.composition->is_measured();
    const auto add = [&](bool is_known, std::uint64_t count) {
      row.dots.push_back(is_known ? std::optional(static_cast<double>(count)) : std::nullopt);
      if (is_known) chart.full = std::max(chart.full, static_cast<double>(count));
    };
    if (is_internal)
      add(is_measured && release.composition->joint.has_value(),
          is_measured && release.composition->joint ? release.composition->joint->below_k : 0);
    add(is_measured, is_measured ? release.composition->crowds.below_k : 0);
    const bool has_k = release.table && release.table->k > 0 && !release.table->changes_only;
    add(has_k, has_k ? release.table->rows_below_k : 0);
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

std::vector<std::string> CertainWords(const ReportNumbers& numbers) {
  std::vector<std::string> words;
  for (const ReportedRelease& release : numbers.releases) {
    if (!release.composition) continue;
    for (const ReportedComposition::Certain& certain : release.composition->certain) {
      if (certain.people > 0 || !certain.is_exact)
        words.push_back(fmt::format("Once '{}' is out, the value of '{}' is certain for {}{} {}.", release.name,
                                    certain.column, certain.is_exact ? "" : "at least ", WithCommas(certain.people),
                                    Plural(certain.people, "person", "people")));
    }
    for (const ReportedComposition::Unknown& unknown : release.composition->unknown)
      words.push_back(fmt::format("What '{}' tells together with '{}' is not known: {}.", release.name, unknown.release,
                                  unknown.why));
  }
  if (words.size() > kMostDrawn) words.resize(kMostDrawn);
  return words;
}

}  // namespace

std::string RiskSection(const ReportNumbers& numbers) {
  if (numbers.releases.empty()) return "";
  std::string html = SectionHead(
      "risk", "Risk over releases",
      "Each table may be safe alone, and several together not. A person’s crowd is everybody who fits the person in "
      "all "
      "releases. Here is how many people have a crowd smaller than the promised k, once each release is out.");
  ChartWords words{.id = "risk-chart",
                   .title = "People below k after each release",
                   .summary =
                       "For each release, how many people have fewer than k people like them: in its table alone, "
                       "and in combination with the releases before it.",
                   .x_axis = "people below k",
                   .y_axis = "",
                   .table = {}};
  CompositionTable(numbers, words.table);
  if (words.table.rows.empty())
    return html +
           Missing(numbers.releases.size() == 1
                       ? "There is one release here, and no measurement together with others: there is nothing to draw."
                       : "No measurement together with releases outside of a release’s own series is recorded: there "
                         "was none about the same people, or it was made before measurements were recorded.") +
           "</section>\n";
  html += DrawDots(words, RiskDots(numbers)) + LeftOutNote(numbers, kMostDrawn);
  return html + SentenceList(CertainWords(numbers)) + "</section>\n";
}

namespace {

std::string SizeText(const SizeBin& bin) {
  return bin.from == bin.to ? WithCommas(bin.from) : fmt::format("{}–{}", WithCommas(bin.from), WithCommas(bin.to));
}

std::string ClassSizeChart(const ReportedRelease& release, std::size_t number) {
  const ReportedTable& table = *release.table;
  const std::string id = fmt::format("sizes-{}", number);
  ChartWords words{.id = id,
                   .title = release.name,
                   .summary = fmt::format("Classes by their size: from {} to {} rows.", table.metrics.smallest_class,
                                          table.metrics.largest_class),
                   .x_axis = "rows in a class",
                   .y_axis = "classes",
                   .table = {"t-" + id,
                             fmt::format("Classes by size in {}", Isolated(release.name)),
                             {"rows in a class", "classes", "rows"},
                             {}}};
  ColumnChart chart;
  for (const SizeBin& bin : table.class_sizes) {
    const bool is_small = bin.to < table.k;
    chart.columns.push_back(
        {SizeText(bin), static_cast<double>(bin.classes), is_small ? Paint::kTooSmall : Paint::kFirst});
    words.table.rows.push_back({NumberCell(SizeText(bin)), CountCell(bin.classes), CountCell(bin.rows)});
    if (table.k > 0 && !chart.line_before && !is_small) chart.line_before = chart.columns.size() - 1;
  }
  if (table.k > 0 && !chart.line_before) chart.line_before = chart.columns.size();
  chart.line_label = fmt::format("k = {}", table.k);
  // Where even the smallest class is larger than k, the line stands before all of them.
  return DrawColumns(words, chart);
}

std::string SizesInWords(const ReportedRelease& release) {
  const ReportedTable& table = *release.table;
  std::string words = fmt::format("{} rows in {} {} of {} to {} rows", WithCommas(table.metrics.rows),
                                  WithCommas(table.metrics.classes), Plural(table.metrics.classes, "class", "classes"),
                                  WithCommas(table.metrics.smallest_class), WithCommas(table.metrics.largest_class));
  if (table.k > 0 && !table.changes_only)
    words += table.rows_below_k == 0
                 ? fmt::format("; none is smaller than k = {}", WithCommas(table.k))
                 : fmt::format("; {} {} in a class smaller than k = {}", WithCommas(table.rows_below_k),
                               Plural(table.rows_below_k, "row is", "rows are"), WithCommas(table.k));
  if (table.changes_only)
    words += "; these are changes alone, so its classes are only the new or refined parts of larger ones";
  return words + ".";
}

}  // namespace

std::string ClassSizeSection(const ReportNumbers& numbers) {
  if (numbers.releases.empty()) return "";
  std::string html =
      SectionHead("sizes", "How large the classes are",
                  "Rows with the same published quasi-identifiers are a class: nobody can tell its people "
                  "apart by these columns. Larger is safer, and less exact.");
  html += "<div class=\"multiples\">\n";
  for (std::size_t i = FirstShown(numbers, kMostDrawn); i < numbers.releases.size(); ++i) {
    const ReportedRelease& release = numbers.releases[i];
    html += "<div>\n";
    if (release.table) {
      html += ClassSizeChart(release, i + 1) + Paragraph(EscapedHtml(SizesInWords(release)));
    } else {
      html += fmt::format("<h3>{}</h3>\n", Isolated(ShortName(release.name, 60))) +
              Missing("Its table is not drawn: " + Isolated(ShortName(release.why_no_table, 600)));
    }
    html += "</div>\n";
  }
  return html + "</div>\n" + LeftOutNote(numbers, kMostDrawn) + "</section>\n";
}

std::string UniqueSection(const ReportNumbers& numbers) {
  HtmlTable table{"t-unique", "Rows that nobody shares", {"release", "before", "of rows", "after", "of rows"}, {}};
  bool lacks_original = false;
  for (std::size_t i = FirstShown(numbers, kMostListed); i < numbers.releases.size(); ++i) {
    const ReportedRelease& release = numbers.releases[i];
    if (!release.table) continue;
    const auto or_missing = [](const std::optional<std::uint64_t>& count) {
      return count ? CountCell(*count) : NumberCell("not at hand");
    };
    lacks_original = lacks_original || !release.table->unique_before;
    table.rows.push_back({NameCell(release.name), or_missing(release.table->unique_before),
                          or_missing(release.table->rows_before), CountCell(release.table->unique_after),
                          CountCell(release.table->metrics.rows)});
  }
  if (table.rows.empty()) return "";
  std::string html =
      SectionHead("unique", "Who stands out, before and after",
                  "A row that nobody shares its quasi-identifiers with can be found by whoever knows them.");
  html += TableHtml(table);
  if (lacks_original && numbers.edition == ReportEdition::kInternal)
    html += Missing(
        "How many stood out before cannot be told from the ledger, which keeps no cells. Name the original of one "
        "release: --release NAME --original FILE.");
  if (lacks_original && numbers.edition == ReportEdition::kPublic)
    html += Missing("How many stood out before is not public.");
  return html + "</section>\n";
}

namespace {

std::string ShareText(double share) { return Rounded(100 * share, 1, "%"); }

std::string CourseChart(const ReportedBudget& budget, const ReportedBudget::Item& item, const std::string& id) {
  const double limit = 1.0 / static_cast<double>(item.l);
  ChartWords words{
      .id = id,
      .title = fmt::format("{} of '{}': the chance that somebody ever had it",
                           item.words == "a value" ? "A value" : "A set of values", ShortName(item.column, 40)),
      .summary =
          fmt::format("After each release, the largest and the average chance so far. The limit is one in {}.", item.l),
      .x_axis = "release",
      .y_axis = "chance so far",
      .table = {"t-" + id, "Chance so far, after each release", {"release", "largest", "average"}, {}}};
  StepChart chart{.lines = {},
                  .limit = limit,
                  .limit_label = fmt::format("limit 1/{}", item.l),
                  .steps = std::max<std::uint64_t>(budget.planned.value_or(0), budget.releases.size()),
                  .planned = budget.planned};
  // An open series has room for more than is out.
  if (!budget.planned) chart.steps += std::max<std::uint64_t>(1, chart.steps / 4);
  chart.lines.push_back({"largest", item.largest_after, Paint::kTooSmall});
  chart.lines.push_back({"average", item.mean_after, Paint::kFirst});
  for (std::size_t i = 0; i < item.largest_after.size(); ++i)
    words.table.rows.push_back({NameCell(budget.releases[i]), NumberCell(ShareText(item.largest_after[i])),
                                NumberCell(ShareText(item.mean_after[i]))});
  return DrawSteps(words, chart);
}

std::string LeftChart(const ReportedBudget::Item& item, const std::string& id) {
  ChartWords words{.id = id,
                   .title = "People by how much of their budget is left",
                   .summary = "How many people have how much of their budget left, in twentieths.",
                   .x_axis = "left of the budget, %",
                   .y_axis = "people",
                   .table = {"t-" + id, "People by what is left of their budget", {"left", "people"}, {}}};
  ColumnChart chart;
  for (std::size_t i = 0; i < item.people_by_left.size(); ++i) {
    const std::string label = fmt::format("{}–{}", i * 5, i * 5 + 5);
    chart.columns.push_back({fmt::format("{}", i * 5), static_cast<double>(item.people_by_left[i]),
                             i < 2 ? Paint::kTooSmall : Paint::kFirst});
    words.table.rows.push_back({NumberCell(label + "\u00a0%"), CountCell(item.people_by_left[i])});
  }
  return DrawColumns(words, chart);
}

std::string ItemHtml(const ReportedBudget& budget, const ReportedBudget::Item& item, const std::string& id) {
  const auto releases = [](const std::optional<std::uint64_t>& left) {
    return left ? fmt::format("{} {}", WithCommas(*left), Plural(*left, "release", "releases"))
                : std::string("any number of releases");
  };
  std::string html = Paragraph(fmt::format(
      "{} of {}: nobody’s chance is above {} so far; the limit is {}. {} of {} people {} above nine tenths of it. In "
      "the "
      "latest release {} of {} rows had it. Like that one, {} {} left for whoever is closest to the limit, and {} on "
      "average.",
      item.words == "a value" ? "A value" : "A set of values", Isolated(item.column), ShareText(item.largest_chance),
      ShareText(1.0 / static_cast<double>(item.l)), WithCommas(item.people_near), WithCommas(budget.people),
      Plural(item.people_near, "is", "are"), WithCommas(item.holders), WithCommas(item.rows),
      releases(item.left_for_tightest), item.left_for_tightest == 1U ? "is" : "are", releases(item.left_on_average)));
  html += "<div class=\"multiples\">\n<div>\n";
  html += item.largest_after.empty() ? Missing("How it came to this is not drawn: " + EscapedHtml(budget.why_no_course))
                                     : CourseChart(budget, item, id);
  return html + "</div><div>\n" + LeftChart(item, id + "-left") + "</div></div>\n";
}

}  // namespace

std::string BudgetSection(const ReportNumbers& numbers) {
  if (numbers.budgets.empty()) return "";
  std::string html = SectionHead("budget", "What is left of the budgets",
                                 "Under the global guarantee everybody has a budget for each protected value: over all "
                                 "releases of the series, the "
                                 "chance that the person ever had it stays below the limit.");
  for (std::size_t b = 0; b < std::min(numbers.budgets.size(), kMostDrawn); ++b) {
    const ReportedBudget& budget = numbers.budgets[b];
    html += fmt::format("<h3>Series {}</h3>\n", Isolated(ShortName(budget.series, 80)));
    if (!budget.problem.empty()) {
      html += Missing("Its account cannot be read: " + EscapedHtml(budget.problem));
      continue;
    }
    html += Paragraph(
        budget.planned
            ? fmt::format("{} of {} planned releases are out, about {} people.", budget.releases.size(),
                          WithCommas(*budget.planned), WithCommas(budget.people))
            : fmt::format("{} {} out, about {} people; the series is open, no number of releases is planned.",
                          budget.releases.size(), Plural(budget.releases.size(), "release is", "releases are"),
                          WithCommas(budget.people)));
    for (std::size_t i = 0; i < budget.items.size(); ++i)
      html += ItemHtml(budget, budget.items[i], fmt::format("budget-{}-{}", b + 1, i + 1));
    if (budget.more_items > 0)
      html += Missing(
          fmt::format("{} more protected values are further from their limits.", WithCommas(budget.more_items)));
  }
  return html + "</section>\n";
}

namespace {

std::string GrowthChart(const ReportedGrowth& growth, const std::string& id) {
  ChartWords words{
      .id = id,
      .title = fmt::format("Series {}", ShortName(growth.series, 60)),
      .summary = "How many people are in each release, and how many of them have left.",
      .x_axis = "",
      .y_axis = "",
      .table = {"t-" + id,
                "The living and the withdrawn",
                {"release", "living", "withdrawn", "living among fewer than k", "fewest living in a class"},
                {}}};
  BarChart chart{.bars = {}, .parts = {{"living", Paint::kFirst}, {"withdrawn", Paint::kSecond}}, .full = 0};
  const std::size_t first = growth.steps.size() > kMostDrawn ? growth.steps.size() - kMostDrawn : 0;
  for (std::size_t i = first; i < growth.steps.size(); ++i) {
    const ReportedGrowth::Step& step = growth.steps[i];
    if (!step.living) continue;
    const LivingCounts& living = *step.living;
    const std::uint64_t all = living.living + living.withdrawn;
    chart.bars.push_back({step.release,
                          WithCommas(living.living) + " living",
                          {static_cast<double>(living.living), static_cast<double>(living.withdrawn)}});
    chart.full = std::max(chart.full, static_cast<double>(all));
    words.table.rows.push_back({NameCell(step.release), CountCell(living.living), CountCell(living.withdrawn),
                                CountCell(living.among_few), CountCell(living.fewest)});
  }
  return chart.bars.empty() ? "" : DrawBars(words, chart);
}

}  // namespace

std::string GrowthSection(const ReportNumbers& numbers) {
  if (numbers.growing.empty()) return "";
  std::string html =
      SectionHead("growth", "Who is still in a series that grows",
                  "Whoever has left keeps a row with empty cells, so that classes do not shrink. Whoever "
                  "sees which rows are empty can set them aside: then the living count.");
  for (std::size_t g = 0; g < std::min(numbers.growing.size(), kMostDrawn); ++g) {
    const ReportedGrowth& growth = numbers.growing[g];
    html += GrowthChart(growth, fmt::format("growth-{}", g + 1));
    const bool nobody_left = std::ranges::none_of(
        growth.steps, [](const ReportedGrowth::Step& step) { return step.living && step.living->withdrawn > 0; });
    if (nobody_left && std::ranges::any_of(growth.steps, [](const auto& step) { return step.living.has_value(); }))
      html += Paragraph(fmt::format("Nobody has left the series {} so far.", Isolated(growth.series)));
    std::vector<std::string> unknown;
    for (const ReportedGrowth::Step& step : growth.steps) {
      if (!step.living && unknown.size() < kMostDrawn)
        unknown.push_back(fmt::format("Who is living in '{}' is not known: {}.", step.release, step.why_not));
    }
    html += SentenceList(unknown);
  }
  return html + "</section>\n";
}

namespace {

constexpr std::array<const char*, kLabelWidths> kWidthWords = {
    "exact value", "up to a tenth of the range", "up to half", "wider", "nothing (*)", "missing value"};
constexpr std::array<Paint, kLabelWidths> kWidthPaints = {Paint::kScale1, Paint::kScale2, Paint::kScale3,
                                                          Paint::kScale4, Paint::kScale5, Paint::kMissing};
constexpr std::size_t kMostColumns = 12;

std::string LevelChart(const ReportedTable& table) {
  ChartWords words{.id = "levels",
                   .title = "How exact the labels of each column are",
                   .summary = "For each column the share of rows whose label is exact, coarser, or says nothing.",
                   .x_axis = "share of rows",
                   .y_axis = "",
                   .table = {"t-levels", "Rows by how exact their label is", {"column", "detail lost", "labels"}, {}}};
  for (const char* word : kWidthWords) words.table.head.emplace_back(word);
  BarChart chart{.bars = {}, .parts = {}, .full = static_cast<double>(table.metrics.rows)};
  for (std::size_t i = 0; i < kLabelWidths; ++i) chart.parts.emplace_back(kWidthWords[i], kWidthPaints[i]);
  for (const ColumnView& column : table.columns) {
    if (chart.bars.size() == 2 * kMostColumns) break;
    Bar bar{.label = column.name, .value = Rounded(column.ncp_percent, 1, "%") + " lost", .parts = {}};
    std::vector<HtmlCell> row = {NameCell(column.name), NumberCell(Rounded(column.ncp_percent, 1, "%")),
                                 CountCell(column.labels)};
    for (const std::uint64_t rows : column.rows_by_width) {
      bar.parts.push_back(static_cast<double>(rows));
      row.push_back(CountCell(rows));
    }
    chart.bars.push_back(std::move(bar));
    words.table.rows.push_back(std::move(row));
  }
  return DrawBars(words, chart);
}

std::string ValueChart(const ColumnView& column, std::size_t number) {
  const bool has_before = !column.bins.empty() && column.bins.front().before.has_value();
  const std::string id = fmt::format("values-{}", number);
  ChartWords words{.id = id,
                   .title = column.name,
                   .summary = has_before ? "Rows by value: of the original, and as the release suggests."
                                         : "Rows by value, as the release suggests.",
                   .x_axis = "",
                   .y_axis = "",
                   .table = {"t-" + id, fmt::format("Rows by value of {}", Isolated(column.name)), {"value"}, {}}};
  BarChart chart;
  if (has_before) {
    words.table.head.emplace_back("before");
    chart.parts.emplace_back("before", Paint::kSecond);
  }
  words.table.head.emplace_back("after");
  chart.parts.emplace_back("after", Paint::kFirst);
  chart.side_by_side = true;
  for (const ValueBin& bin : column.bins) {
    const std::string label =
        bin.label == kOtherValues ? fmt::format("{} others", WithCommas(column.other_labels)) : bin.label;
    const auto after = static_cast<std::uint64_t>(bin.after + 0.5);
    Bar bar{.label = label, .value = WithCommas(after), .parts = {}};
    std::vector<HtmlCell> row = {NameCell(ShortName(label, 200))};
    if (has_before) {
      const std::uint64_t before = bin.before.value_or(0);
      bar.parts.push_back(static_cast<double>(before));
      bar.value = fmt::format("{} → {}", WithCommas(before), WithCommas(after));
      row.push_back(CountCell(before));
    }
    bar.parts.push_back(bin.after);
    row.push_back(CountCell(after));
    for (const double part : bar.parts) chart.full = std::max(chart.full, part);
    chart.bars.push_back(std::move(bar));
    words.table.rows.push_back(std::move(row));
  }
  return DrawBars(words, chart);
}

// The latest release whose table could be read.
const ReportedRelease* LatestTable(const ReportNumbers& numbers) {
  for (auto release = numbers.releases.rbegin(); release != numbers.releases.rend(); ++release) {
    if (release->table && !release->table->columns.empty()) return &*release;
  }
  return nullptr;
}

}  // namespace

std::string ColumnSection(const ReportNumbers& numbers) {
  if (numbers.releases.empty()) return "";
  std::string html = SectionHead("columns", "What became of the columns",
                                 "Coarser labels protect, and cost detail: lost is the share of a column’s range that "
                                 "its labels leave open, on average.");
  const ReportedRelease* release = LatestTable(numbers);
  if (release == nullptr)
    return html + Missing("No published table with quasi-identifiers could be read, so there is nothing to draw.") +
           "</section>\n";
  const ReportedTable& table = *release->table;
  html += Paragraph(fmt::format("This is {}{}", Isolated(release->name),
                                numbers.releases.size() > 1
                                    ? ", the latest release that could be read; for another one name it with --release."
                                    : "."));
  if (table.two_tables)
    html += Paragraph(
        "It is in two tables: its quasi-identifiers are exact, and only classes connect them with the "
        "sensitive values.");
  html += LevelChart(table);
  html += fmt::format("<h3>How the values are spread{}</h3>\n", table.unique_before ? ", before and after" : "");
  html += Paragraph(
      "After: each label is spread evenly over the values that it stands for, as a reader would do who knows no more.");
  if (!table.unique_before)
    html +=
        Missing(numbers.edition == ReportEdition::kPublic
                    ? "How they were spread before is not public."
                    : "How they were spread before cannot be told from the ledger; name the original of one release "
                      "with --release NAME --original FILE.");
  html += "<div class=\"multiples\">\n";
  for (std::size_t i = 0; i < std::min(table.columns.size(), kMostColumns); ++i)
    html += "<div>\n" + ValueChart(table.columns[i], i + 1) + "</div>\n";
  html += "</div>\n";
  if (table.columns.size() > kMostColumns)
    html += Missing(fmt::format("{} more columns are not drawn.", table.columns.size() - kMostColumns));
  return html + "</section>\n";
}

std::string QuerySection(const ReportNumbers& numbers) {
  if (!numbers.query_error) return "";
  const ReportedQueryError& error = *numbers.query_error;
  std::string html =
      SectionHead("queries", "How far off counts are",
                  "Counts from the release were compared with the true ones of the original, over queries "
                  "that are drawn at random.");
  html +=
      Paragraph(fmt::format("On average {} off, and half of them at most {}, over {} counts with {} "
                            "quasi-identifiers each.",
                            Rounded(100 * error.average, 1, "%"), Rounded(100 * error.median, 1, "%"),
                            WithCommas(error.counted), error.dimensions));
  if (error.left_out > 0)
    html += Paragraph(fmt::format("{} more, whose true count is 0, are left out.", WithCommas(error.left_out)));
  return html + "</section>\n";
}

namespace {

std::string LossChart(const ReportNumbers& numbers) {
  ChartWords words{
      .id = "trials-chart",
      .title = "Detail that is lost",
      .summary = "For each policy that was tried, the share of the detail that its release would lose.",
      .x_axis = "share of the detail",
      .y_axis = "",
      .table = {"t-trials",
                "What each policy would make of its table",
                {"tried", "k", "detail lost", "classes", "smallest class", "rows", "people below k, together"},
                {}}};
  BarChart chart{.bars = {}, .parts = {{"lost", Paint::kFirst}}, .full = 100};
  for (std::size_t i = 0; i < std::min(numbers.trials.size(), 2 * kMostDrawn); ++i) {
    const ReportedTrial& trial = numbers.trials[i];
    if (!trial.refusal.empty()) {
      chart.bars.push_back({trial.label, "refused", {0}});
      continue;
    }
    const std::string lost = Rounded(trial.loss_percent, 1, "%");
    chart.bars.push_back({trial.label, lost, {trial.loss_percent}});
    words.table.rows.push_back(
        {NameCell(trial.label), CountCell(trial.k), NumberCell(lost), CountCell(trial.classes),
         CountCell(trial.smallest_class), CountCell(trial.rows),
         trial.below_k_together ? CountCell(*trial.below_k_together) : NumberCell("not measured")});
  }
  return DrawBars(words, chart);
}

}  // namespace

std::string TrialSection(const ReportNumbers& numbers) {
  if (numbers.trials.empty()) return "";
  std::string html =
      SectionHead("trials", "Risk against utility",
                  "What would become of a table under each of these policies, as dry runs beside what is "
                  "on record now. A larger k hides people among more others, and costs detail.");
  html += LossChart(numbers);
  std::vector<std::string> refusals;
  for (const ReportedTrial& trial : numbers.trials) {
    if (!trial.refusal.empty() && refusals.size() < kMostDrawn)
      refusals.push_back(fmt::format("{} is refused: {}", trial.label, ShortName(trial.refusal, 600)));
  }
  return html + SentenceList(refusals) + "</section>\n";
}

namespace {

std::string RecordHtml(const ReportedRelease& release) {
  std::vector<std::string> lines;
  if (const auto& record = release.record) {
    if (!record->user.empty())
      lines.push_back(fmt::format("Published by {} with {}.", record->user, record->policy_file));
    if (record->input_rows) {
      std::string files;
      for (const std::string& file : record->input_files) files += (files.empty() ? "" : ", ") + file;
      lines.push_back(fmt::format("From {} rows of {}.", WithCommas(*record->input_rows), ShortName(files, 300)));
    }
    if (!record->folder.empty()) lines.push_back(fmt::format("In {}.", record->folder));
    if (!record->retracted.empty()) lines.push_back(record->retracted + ". It was out, and goes on counting.");
    lines.insert(lines.end(), record->forgotten.begin(), record->forgotten.end());
    for (const std::string& note : record->notes) lines.push_back("Noted, and accepted: " + note);
  }
  if (release.composition && !release.composition->words.empty()) lines.push_back(release.composition->words);
  if (lines.empty()) return "";
  for (std::string& line : lines) line = ShortName(line, 900);
  return fmt::format("<h3>{}</h3>\n{}", Isolated(ShortName(release.name, 80)), SentenceList(lines));
}

HtmlTable ReleaseTable(const ReportNumbers& numbers) {
  HtmlTable table{"t-releases", "Releases", {"release", "state", "rows", "made by"}, {}};
  if (numbers.edition == ReportEdition::kInternal) table.head.insert(table.head.begin() + 2, "time");
  for (std::size_t i = FirstShown(numbers, kMostListed); i < numbers.releases.size(); ++i) {
    const ReportedRelease& release = numbers.releases[i];
    std::vector<HtmlCell> row = {NameCell(release.name), NameCell(release.state), CountCell(release.rows),
                                 NameCell(release.engine.empty() ? "not known" : release.engine)};
    if (numbers.edition == ReportEdition::kInternal)
      row.insert(row.begin() + 2, NameCell(release.record ? release.record->opened_at : ""));
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable FileTable(const ReportNumbers& numbers) {
  HtmlTable table{"t-files", "Files and their SHA-256", {"release", "file", "bytes", "sha256"}, {}};
  for (std::size_t i = FirstShown(numbers, kMostListed); i < numbers.releases.size(); ++i) {
    for (const ReportedFile& file : numbers.releases[i].files) {
      if (table.rows.size() == 2 * kMostListed) return table;
      table.rows.push_back({NameCell(ShortName(numbers.releases[i].name, 80)),
                            NameCell(ShortName(file.name, 120)),
                            CountCell(file.bytes),
                            {fmt::format("<code>{}</code>", EscapedHtml(file.sha256)), false}});
    }
  }
  return table;
}

}  // namespace

std::string RecordSection(const ReportNumbers& numbers) {
  std::string html = SectionHead("record", "What is on record",
                                 numbers.edition == ReportEdition::kInternal
                                     ? "As the ledger has it. The policies themselves and the seeds stay in the ledger."
                                     : "As the published folders have it.");
  if (!numbers.releases.empty()) html += TableHtml(ReleaseTable(numbers)) + LeftOutNote(numbers, kMostListed);
  std::string notes;
  for (std::size_t i = FirstShown(numbers, kMostDrawn); i < numbers.releases.size(); ++i)
    notes += RecordHtml(numbers.releases[i]);
  if (!notes.empty()) html += notes + LeftOutNote(numbers, kMostDrawn);
  if (const HtmlTable files = FileTable(numbers); !files.rows.empty())
    html += FoldedTable(files, "Files and their hashes: compare them with sha256sum");
  return html + SentenceList(numbers.left_out) + "</section>\n";
}

std::string SignatureSection(const ReportNumbers& numbers) {
  (void)numbers;
  return "<section aria-labelledby=\"sign\" class=\"sign\"><h2 id=\"sign\">Signature</h2>\n"
         "<p>I have read what was promised, what was not, and what the releases tell together.</p>\n"
         "<dl><dt>Name</dt><dd></dd><dt>Date</dt><dd></dd><dt>Signature</dt><dd></dd></dl></section>\n";
}

}  // namespace pentimento
