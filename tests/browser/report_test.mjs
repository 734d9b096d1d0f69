// The report in a real browser: pages of every story of the demo, and of names that mean harm.
//
//   node tests/browser/report_test.mjs [--shots DIR]
//
// It is run by `make test-browser`, which installs what it needs with scripts/setup --browser. Of each page it holds that it
// loads without a word on the console and without asking for anything but itself, that axe-core finds nothing against it,
// that nothing sticks out to the right on a narrow screen, that it prints on at most ten pages, that it is no larger than
// 400 kB, and that its tables have the numbers of --json. --shots: also leave pictures of each page there, for the eye.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const require = createRequire(join(root, "build/browser/package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const pentimento = join(root, "build/pentimento");
const CHROMIUM = process.env.PENTIMENTO_CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const MOST_BYTES = 400_000;
const MOST_PRINTED = 10;

const shots = process.argv[2] === "--shots" ? resolve(process.argv[3]) : null;
const folder = mkdtempSync(join(tmpdir(), "pentimento-browser-"));
const failures = [];
const expect = (holds, words) => {
  if (!holds) failures.push(words);
};
const run = (...words) => execFileSync(pentimento, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });

// Every folder below that is a ledger.
const ledgersIn = (path) =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const inner = join(path, entry.name);
    return readdirSync(inner).includes("ledger.db") ? [inner] : ledgersIn(inner);
  });

const makePage = (name, words) => {
  const html = join(folder, `${name}.html`);
  const json = JSON.parse(run("report", ...words, "--html", html, "--json"));
  return { name, html, json };
};

// Names that would do harm if they were more than text.
const LONG = "x".repeat(300);
const HARMFUL = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "\u05E9\u05DC\u05D5\u05DD \u202Eabc", LONG];
const harmfulPage = () => {
  // A taxonomy would have a file of this name, and no file has one as long as the last.
  const meaning = (name) => (name === LONG ? "domain = [0, 9]" : `values = ["<b>a&b</b>", ${JSON.stringify(`${name}!`)}]`);
  const value = (name, i) => (name === LONG ? `${i % 10}` : i % 2 ? `${name}!` : "<b>a&b</b>");
  const columns = HARMFUL.map((name) => `${JSON.stringify(name)} = { role = "quasi-identifier", ${meaning(name)} }`);
  const rows = Array.from({ length: 40 }, (_, i) => HARMFUL.map((name, c) => `"${value(name, i >> c).replaceAll('"', '""')}"`).join(","));
  writeFileSync(join(folder, "harm.csv"), `${HARMFUL.map((name) => `"${name.replaceAll('"', '""')}"`).join(",")}\n${rows.join("\n")}\n`);
  writeFileSync(join(folder, "harm.toml"), `version = 1\nrelease = "harm"\n[input]\npath = "harm.csv"\n[columns]\n${columns.join("\n")}\n[[guarantee]]\ntype = "k-anonymity"\nk = 3\n`);
  run("release", "harm.toml", "--ledger", "harm-ledger", "--out", "harm-out");
  return makePage("harm", ["--ledger", "harm-ledger", "--release", "harm", "--original", "harm.csv"]);
};

const allPages = () => {
  run("demo", "--rows", "2000", "--keep", "demo");
  const pages = ledgersIn(join(folder, "demo")).flatMap((ledger) => {
    const name = ledger.slice(join(folder, "demo").length + 1).replaceAll("/", "-");
    return [makePage(name, ["--ledger", ledger]), makePage(`${name}-public`, ["--ledger", ledger, "--edition", "public"])];
  });
  expect(pages.length >= 16, `the demo has ${pages.length / 2} ledgers, where eight are known`);
  pages.push(makePage("original", ["--ledger", "demo/series/ledger", "--release", "spring", "--original", "demo/register/spring.csv"]));
  writeFileSync(join(folder, "demo/register/next.toml"), readFileSync(join(folder, "demo/register/spring-alone.toml"), "utf8").replace(/^release = .*/m, 'release = "next"'));
  pages.push(makePage("compared", ["--ledger", "demo/alone/ledger", "--compare", "demo/register/next.toml", "--k", "5,10,20"]));
  return [...pages, harmfulPage()];
};

const number = (text) => Number(text.replaceAll(",", "").replace(/\s*%$/, "").replace("up to ", ""));
const tableOf = (page, id) =>
  page.evaluate((wanted) => {
    const table = document.getElementById(wanted);
    return table && [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  }, id);
const same = (name, what, shown, wanted) =>
  expect(JSON.stringify(shown) === JSON.stringify(wanted), `${name}: ${what} is ${JSON.stringify(shown)}, --json says ${JSON.stringify(wanted)}`);

// The numbers of the page are those of --json.
const compareNumbers = async (page, { name, json }) => {
  for (const [i, release] of json.releases.entries()) {
    if (!release.table || json.releases.length - i > 12) continue;
    const sizes = await tableOf(page, `t-sizes-${i + 1}`);
    same(name, `class sizes of ${release.release}`, sizes?.map(([, classes, rows]) => [number(classes), number(rows)]),
      release.table.class_sizes.map((bin) => [bin.classes, bin.rows]));
  }
  const risk = (await tableOf(page, "t-risk")) ?? [];
  same(name, "people below k", risk.map((row) => [number(row[1]), number(row[2]), number(row[3]), number(row[4])]),
    json.releases.filter((release) => release.composition?.crowds)
      .map(({ composition: { k, crowds } }) => [k, crowds.below_k, crowds.smallest, crowds.alone]));
  const latest = json.releases.filter((release) => release.table?.columns.length > 0).at(-1);
  if (latest) {
    same(name, "rows by exactness", (await tableOf(page, "t-levels")).map((row) => row.slice(2).map(number)),
      latest.table.columns.map((column) => [column.labels, ...Object.values(column.rows_by_width)]));
    const values = await tableOf(page, "t-values-1");
    const before = latest.table.unique_before === null ? 0 : 1;
    same(name, "values of a column", values.map((row) => number(row[1 + before])),
      latest.table.columns[0].values.map((value) => Math.floor(value.after + 0.5)));
    if (before) same(name, "values before", values.map((row) => number(row[1])), latest.table.columns[0].values.map((value) => value.before));
  }
  if (json.trials) {
    const tried = json.trials.filter((trial) => !trial.refusal);
    expect(tried.length === 3, `${name}: ${json.trials.length - tried.length} trials are refused`);
    same(name, "trials", (await tableOf(page, "t-trials")).map((row) => [1, 2, 3, 4, 5].map((cell) => number(row[cell]))),
      tried.map((trial) => [trial.k, Number(trial.ncp_percent.toFixed(1)), trial.classes, trial.smallest_class, trial.rows]));
  }
  for (const [g, growth] of json.growing.entries()) {
    same(name, "the living", ((await tableOf(page, `t-growth-${g + 1}`)) ?? []).map((row) => row.slice(1).map(number)),
      growth.releases.filter((step) => step.living).map(({ living }) => [living.living, living.withdrawn, living.among_few, living.fewest]));
  }
  for (const [b, budget] of json.budgets.entries()) {
    for (const [i, item] of budget.items.entries()) {
      same(name, "people by what is left", (await tableOf(page, `t-budget-${b + 1}-${i + 1}-left`)).map((row) => number(row[1])), item.people_by_left);
      same(name, "chances so far", ((await tableOf(page, `t-budget-${b + 1}-${i + 1}`)) ?? []).map((row) => number(row[1])),
        item.largest_after.map((chance) => Number((100 * chance).toFixed(1))));
    }
  }
};

const lookFor = async (browser, made) => {
  const { name, html } = made;
  const context = await browser.newContext({ viewport: { width: 360, height: 800 } });
  const page = await context.newPage();
  page.on("console", (message) => expect(false, `${name}: on the console: ${message.text()}`));
  page.on("pageerror", (error) => expect(false, `${name}: ${error}`));
  page.on("dialog", (dialog) => { expect(false, `${name}: a name was executed`); return dialog.dismiss(); });
  const url = pathToFileURL(html).href;
  page.on("request", (request) => expect(request.url() === url || request.url() === "data:,", `${name}: asks for ${request.url()}`));
  await page.goto(url, { waitUntil: "load" });
  expect(statSync(html).size <= MOST_BYTES, `${name}: has ${statSync(html).size} bytes`);
  expect(await page.evaluate(() => document.scripts.length) === 0, `${name}: has a script`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(wide <= 0, `${name}: sticks out by ${wide} px at 360 px`);
  await compareNumbers(page, made);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const width of [360, 800, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      if (shots) await page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    for (const { id, nodes } of violations) expect(false, `${name} (${colorScheme}): axe: ${id}: ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`);
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = false; }));
  }
  await page.emulateMedia({ colorScheme: "light" });
  const pdf = await page.pdf({ format: "A4", ...(shots ? { path: join(shots, `${name}.pdf`) } : {}) });
  const printed = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  expect(printed >= 1 && printed <= MOST_PRINTED, `${name}: prints on ${printed} pages`);
  await context.close();
  return `${name}: ${statSync(html).size} bytes, ${printed} printed pages`;
};

const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
try {
  if (shots) mkdirSync(shots, { recursive: true });
  for (const made of allPages()) {
    const words = await lookFor(browser, made);
    if (shots) console.log(words);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures.slice(0, 40)) console.error(`browser: ${failure}`);
console.log(failures.length === 0 ? "browser: every page is as it should be" : `browser: ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
