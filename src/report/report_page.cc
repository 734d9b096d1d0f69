#include "report/report_page.h"

#include <fmt/core.h>

#include "base/plural.h"
#include "report/html.h"
#include "report/sections.h"

namespace pentimento {
namespace {

// Blue and vermilion are told apart by everybody (Okabe and Ito); the scale differs in lightness alone.
constexpr const char* kStyle = R"css(
:root{color-scheme:light dark;--paper:#fff;--ink:#1a1a1a;--soft:#555;--line:#c9c9c9;--card:#f5f6f8;--c1:#0072b2;--c2:#e69f00;--c3:#009e73;
--bad:#d55e00;--good:#00684b;--s1:#08519c;--s2:#3f8fc5;--s3:#8fc0e0;--s4:#c3cfd9;--s5:#707070;--miss:#e5c07b}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#ececec;--soft:#b3b8bd;--line:#474d54;--card:#1f2429;--c1:#56b4e9;--c2:#e6ab2e;
--c3:#2fbf94;--bad:#ff8a3d;--good:#5fd6ae;--s1:#8ecbff;--s2:#4f9fd8;--s3:#2f6ea3;--s4:#4a5a68;--s5:#8d8d8d;--miss:#b3923f}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:1rem;max-width:70rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;
overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}h2{font-size:1.3rem;margin:2.2rem 0 .4rem;border-bottom:1px solid var(--line)}
h3{font-size:1.05rem;margin:1.2rem 0 .3rem}p{margin:.4rem 0;max-width:46rem}ul{margin:.4rem 0;padding-left:1.3rem;max-width:46rem}
.soft,.missing{color:var(--soft)}.missing{border-left:4px solid var(--line);padding-left:.7rem}
.verdict{background:var(--card);border-left:8px solid var(--soft);padding:.4rem 1rem 1rem;margin-top:1rem;border-radius:4px}
.verdict h2{margin-top:.5rem;border:0}.verdict.good{border-color:var(--good)}.verdict.broken{border-color:var(--bad)}
.result{font-size:1.25rem;font-weight:600}
figure{margin:1rem 0;min-width:0}figcaption{font-weight:600;margin-bottom:.3rem}
figure>svg{display:block;overflow:visible;width:100%}figure>svg.plot{margin-left:56px;width:calc(100% - 60px)}
svg text{font-size:12px;fill:var(--ink)}svg .end{text-anchor:end}svg .mid{text-anchor:middle}svg .strong{font-weight:600}
.grid{stroke:var(--line);stroke-width:1}.axis{stroke:var(--soft);stroke-width:1}.limit{stroke:var(--ink);stroke-width:2;stroke-dasharray:5 4}
.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.bad{fill:var(--bad)}.s1{fill:var(--s1)}.s2{fill:var(--s2)}.s3{fill:var(--s3)}
.s4{fill:var(--s4)}.s5{fill:var(--s5)}.miss{fill:var(--miss)}
.dot{stroke:var(--paper);stroke-width:1}.part{stroke:var(--paper);stroke-width:.7}
.step{stroke-width:3;stroke-linecap:square}.step.c1{stroke:var(--c1)}.step.bad{stroke:var(--bad)}
.legend{list-style:none;padding:0;margin:.2rem 0 .5rem;display:flex;flex-wrap:wrap;gap:.1rem .9rem;font-size:.85rem}
.legend svg{vertical-align:-2px}
.multiples{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));gap:.5rem 2rem}.multiples>div{min-width:0}
details{margin:.3rem 0}summary{cursor:pointer;color:var(--soft);font-size:.9rem}
.wide{overflow-x:auto;margin:.5rem 0}table{border-collapse:collapse;font-size:.88rem;overflow-wrap:normal}
caption{text-align:left;color:var(--soft);font-size:.85rem}th,td{border-bottom:1px solid var(--line);padding:.2rem .8rem .2rem 0;text-align:left;
vertical-align:top}thead th{white-space:nowrap}th bdi,td bdi{display:inline-block;max-width:22rem;overflow-wrap:anywhere}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code{font-size:.8rem}
.sign dl{display:grid;grid-template-columns:6rem 1fr;gap:1.4rem 1rem;max-width:34rem}.sign dd{margin:0;border-bottom:1px solid var(--ink);min-height:2rem}
:focus-visible{outline:3px solid var(--c1);outline-offset:2px}
@media print{:root{--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--card:#fff;--c1:#0072b2;--c2:#e69f00;--c3:#009e73;--bad:#d55e00;--good:#00684b;
--s1:#08519c;--s2:#3f8fc5;--s3:#8fc0e0;--s4:#c3cfd9;--s5:#707070;--miss:#e5c07b}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}body{font-size:11px;max-width:none;padding:0}h2{break-after:avoid;margin-top:1.2rem}
figure,.verdict,.sign,tr{break-inside:avoid}details{display:none}.wide{overflow:visible}
.multiples{grid-template-columns:repeat(3,1fr);gap:.2rem 1.5rem}svg text{font-size:10px}table{font-size:.8rem}@page{margin:14mm}}
)css";

std::string Head(const ReportNumbers& numbers) {
  const bool is_internal = numbers.edition == ReportEdition::kInternal;
  std::string scope;
  for (const std::string& part : numbers.scope) scope += (scope.empty() ? "" : ", ") + part;
  const std::string about =
      is_internal ? fmt::format("Internal edition: private. Of the ledger {}{}.", Isolated(numbers.ledger),
                                scope.empty() ? ", all releases" : ": " + Isolated(ShortName(scope, 300)))
                  : std::string("Public edition: it holds nothing that is not in the published folders.");
  return fmt::format(
      "<header><h1>What the releases tell together</h1>\n<p class=\"soft\">{} {} {}. Made by pentimento "
      "{}.</p></header>\n",
      about, WithCommas(numbers.releases.size()), Plural(numbers.releases.size(), "release", "releases"),
      EscapedHtml(numbers.version));
}

}  // namespace

std::string ReportPage(const ReportNumbers& numbers) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>What the releases tell together</title>\n<style>{}</style>\n</head>\n<body>\n",
      kStyle);
  page += Head(numbers) + "<main>\n";
  // In the order in which they matter; those that have no room any more are named. What is signed always has.
  std::string unwritten;
  constexpr std::size_t kForTheEnd = 4'000;
  const auto add = [&](const std::string& section, const char* name) {
    if (page.size() + section.size() + kForTheEnd <= kMostPageBytes)
      page += section;
    else
      unwritten += fmt::format("{}{}", unwritten.empty() ? "" : ", ", name);
  };
  add(VerdictSection(numbers), "the result");
  add(PromiseSection(numbers), "what was not promised");
  add(RiskSection(numbers), "risk over releases");
  add(BudgetSection(numbers), "what is left of the budgets");
  add(GrowthSection(numbers), "who is still in a series");
  add(ClassSizeSection(numbers), "how large the classes are");
  add(UniqueSection(numbers), "who stands out");
  add(ColumnSection(numbers), "what became of the columns");
  add(QuerySection(numbers), "how far off counts are");
  add(TrialSection(numbers), "what was tried");
  add(RecordSection(numbers), "what is on record");
  if (!unwritten.empty())
    page += fmt::format("<p class=\"missing\">There was no room for: {}. Ask for fewer releases.</p>\n", unwritten);
  return page + SignatureSection(numbers) + "</main>\n</body>\n</html>\n";
}

}  // namespace pentimento
