import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Download, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildWeb } from "./build-web.ts";
import { findChromium } from "./find-chromium.ts";
import { findFaults } from "./find-faults.ts";
import { type ServedPlatform, startPlatform } from "./start-platform.ts";

const executablePath = findChromium();
if (executablePath === undefined) {
  console.warn("Skipped: there is no Chromium; name one in CHROMIUM_PATH, or install chromium.");
}
const rows = [
  { instruction: "Name the capital of France.", input: "", output: "Paris." },
  { instruction: "Translate to German.", input: "cat", output: "Katze" },
  { instruction: "Add the numbers.", input: "2 and 3", output: "5" },
];
const password = "correct horse battery staple";

// Where everything runs at once, a step can take long; one that never comes fails all the same.
describe.skipIf(executablePath === undefined)("the web app in a browser", { timeout: 300_000 }, () => {
  let platform: ServedPlatform;
  let browser: Browser;
  let page: Page;
  let folder: string;
  const thrown: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "attune-browser-"));
    buildWeb();
    platform = await startPlatform();
    browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ["--no-sandbox"] });
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      locale: "en",
      acceptDownloads: true,
      // What moves while it is clicked can miss the click.
      reducedMotion: "reduce",
    });
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.on("pageerror", ({ message }) => thrown.push(message));
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });

  test("the first password works once, and another one is chosen", async () => {
    await page.goto(platform.url);
    await page.getByLabel("E-mail address").fill(platform.email);
    await page.getByLabel("Password", { exact: true }).fill(platform.firstPassword);
    expect.soft(await findFaults(page)).toEqual([]);
    // What has room on the screen is not scrolled.
    expect.soft(await page.evaluate("document.documentElement.scrollHeight - innerHeight")).toBe(0);
    await button("Sign in").click();
    await page.getByLabel("Current password").fill(platform.firstPassword);
    await page.getByLabel("New password", { exact: true }).fill(password);
    await page.getByLabel("New password again").fill(password);
    await button("Save").click();
    await page.getByRole("heading", { name: "Datasets" }).waitFor();
    await page.getByText("There is no dataset yet.").waitFor();
    expect.soft(await findFaults(page)).toEqual([]);
  });

  test("a dataset is made of a JSONL file, and what was found in it is shown", async () => {
    const file = join(folder, "questions.jsonl");
    writeFileSync(file, `${rows.map((row) => JSON.stringify(row)).join("\n")}\n{"instruction":"No answer"}\n`);
    await button("New dataset").first().click();
    await page.locator("input[type=file]").setInputFiles(file);
    expect.soft(await findFaults(page)).toEqual([]);
    await button("Create and upload").click();
    await page.getByText("3 of 4 rows are valid").waitFor();
    expect.soft(await findFaults(page)).toEqual([]);
    await button("Open the dataset").click();
    await page.getByRole("heading", { name: "questions" }).waitFor();
    await page.getByText("Length of the examples in characters").waitFor();
    expect.soft(await findFaults(page)).toEqual([]);
  });

  test("a row is edited, which makes version 2 with its difference", async () => {
    await page.getByRole("tab", { name: "Rows" }).click();
    await page.getByText("Katze").click();
    const editor = page.getByRole("textbox", { name: "The row, as JSON" });
    await editor.fill('{"instruction": "Translate to German.", "input": "cat", "output": "die Katze"}');
    expect.soft(await findFaults(page)).toEqual([]);
    await button("Save").click();
    await page.getByText("Version: 2").waitFor();
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByText("1 changed").waitFor();
    await page.locator(".row-json.is-before mark", { hasText: '"Katze"' }).waitFor();
    await page.locator(".row-json.is-after mark", { hasText: '"die Katze"' }).waitFor();
    expect.soft(await findFaults(page)).toEqual([]);
  });

  test("what is typed outlives a save of somebody else, and is saved on top of it", async () => {
    await page.getByRole("tab", { name: "Rows" }).click();
    await page.getByText("2 and 3").click();
    await page
      .getByRole("textbox", { name: "The row, as JSON" })
      .fill('{"instruction": "Add.", "input": "2 and 3", "output": "five"}');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText("die Katze").click();
    await other.getByRole("button", { name: "Delete row" }).click();
    await other.getByRole("button", { name: "OK" }).click();
    await other.getByText("Version: 3").waitFor();
    await other.close();
    await button("Save").click();
    await page.getByText("Somebody saved version 3 while you were typing").waitFor();
    expect(await page.getByRole("textbox", { name: "The row, as JSON" }).inputValue()).toContain("five");
    expect.soft(await findFaults(page)).toEqual([]);
    await button("Save mine on version 3").click();
    await page.getByText("Version: 4").waitFor();
    await page.getByText("five").waitFor();
  });

  /** The next file that the browser saves; where none comes, what the page shows instead. */
  const download = (): Promise<Download> =>
    page.waitForEvent("download").catch(async (error: Error) => {
      throw new Error(`${error.message}\n${await page.locator("body").innerText()}`);
    });

  test("an export arrives as a ZIP, and the download as the file", async () => {
    await button("Export").click();
    await page.getByRole("menuitem", { name: "For LLaMA-Factory" }).click();
    await page.getByText("INVALID_ROW: 1 of 3 rows").waitFor();
    const [zip] = await Promise.all([download(), button("Export the valid rows").click()]);
    expect(
      readFileSync(await zip.path())
        .subarray(0, 2)
        .toString(),
    ).toBe("PK");
    const [file] = await Promise.all([download(), button("Download").click()]);
    expect(readFileSync(await file.path(), "utf8")).toContain("five");
  });

  test("a large file goes on when the connection was lost, and after the page was loaded anew", async () => {
    const file = join(folder, "large.jsonl");
    const line = JSON.stringify({ instruction: "Again?", output: "answer ".repeat(1300) });
    // 18 MiB: two requests, of which the second one begins here.
    writeFileSync(file, `${line}\n`.repeat(2_000));
    const piece = String(16 * 2 ** 20);
    const first = await watchPieces((count) => count > 1);
    await page.goto(`${platform.url}/datasets`);
    await button("New dataset").first().click();
    await page.locator("input[type=file]").setInputFiles(file);
    await button("Create and upload").click();
    await page.getByText("Connection lost, trying again").waitFor();
    expect.soft(await findFaults(page)).toEqual([]);
    expect(first.slice(0, 2)).toEqual(["0", piece]);

    await page.reload();
    const second = await watchPieces((count) => count === 1);
    await page.getByText("large").first().click();
    await button("Upload files").first().click();
    await page.locator("input[type=file]").setInputFiles(file);
    await button("Upload").click();
    await page.getByText("2,000 of 2,000 rows are valid").waitFor();
    expect(second).toEqual([piece, piece]);
    await page.unroute("**/uploads/*?offset=*");
  });

  /** Cuts those of the requests that send bytes, and tells at which offsets they came. */
  async function watchPieces(isCut: (count: number) => boolean): Promise<string[]> {
    const offsets: string[] = [];
    await page.unroute("**/uploads/*?offset=*");
    await page.route("**/uploads/*?offset=*", async (route) => {
      offsets.push(new URL(route.request().url()).searchParams.get("offset") ?? "");
      await (isCut(offsets.length) ? route.abort("connectionreset") : route.continue());
    });
    return offsets;
  }

  test("a model is shared with everybody in the tenant, and the grant is taken back", async () => {
    const before = page.url();
    await page.goto(`${platform.url}/models`);
    await button("Add model").click();
    await page.getByRole("dialog").getByText("Base model").click();
    await page.getByLabel("Name", { exact: true }).fill("Shared one");
    await button("Add").click();
    await button("Share").click();
    const dialog = page.getByRole("dialog", { name: "Share Shared one" });
    await dialog.getByText("It is shared with nobody beyond their roles.").waitFor();
    await dialog.getByLabel("Whom").press("ArrowDown");
    await page.getByTitle("Everybody in the tenant").click();
    await dialog.getByRole("button", { name: "Share" }).click();
    await dialog.getByRole("listitem").getByText("Read").hover();
    expect.soft(await findFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Take the right of Everybody in the tenant back" }).click();
    await dialog.getByText("It is shared with nobody beyond their roles.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.goto(before);
  });

  test("the system's page tells how each part is, and ends what it verifies", async () => {
    const before = page.url();
    await page.goto(`${platform.url}/system`);
    const health = page.getByRole("region", { name: "Health" });
    await health.getByText(/^Attune \d.* running for/).waitFor();
    for (const name of ["Database", "Object store", "Parser", "Clock", "Background work"])
      await health.getByRole("heading", { name }).waitFor();
    // Nobody told the platform of this test where its parser is.
    await health.getByText("Not set up").waitFor();
    await health.getByText(/^PostgreSQL \d/).waitFor();
    await page.getByText("What is stored has never been verified").waitFor();
    await button("Verify now").click();
    await page.getByText(/are as they were written$/).waitFor();
    expect.soft(await findFaults(page)).toEqual([]);
    await page.goto(before);
  });

  test("no page has a serious fault, in either theme and language", async () => {
    const found: string[] = [];
    const own = new URL(page.url()).pathname.split("/").slice(0, 3).join("/");
    const paths = [
      "/datasets",
      own,
      `${own}/rows`,
      `${own}/versions`,
      "/models",
      "/users",
      "/tokens",
      "/jobs",
      "/operations",
      "/system",
    ];
    for (const [theme, language] of [
      ["light", "en"],
      ["dark", "zh"],
    ] as const) {
      await page.evaluate(`localStorage.setItem("attune.theme", "${theme}")`);
      await page.evaluate(`localStorage.setItem("attune.language", "${language}")`);
      for (const path of paths) {
        await page.goto(platform.url + path);
        await page.locator("h1").waitFor();
        await expect.poll(() => page.locator(".ant-spin-spinning, .ant-skeleton").count(), { timeout: 60_000 }).toBe(0);
        found.push(...(await findFaults(page)).map((fault) => `${path} ${theme} ${language}: ${fault}`));
        const shots = process.env["SCREENSHOTS_DIR"];
        if (shots)
          await page.screenshot({
            path: `${shots}/${theme}-${language}${path.replaceAll(/\/|[\da-f-]{36}/g, "_")}.png`,
          });
      }
    }
    expect(found).toEqual([]);
    expect(thrown).toEqual([]);
  });
});
