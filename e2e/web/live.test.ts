import { createClient } from "@attune/contracts/rest/create-client.ts";
import { createDataset, deleteDataset, editDataset, getDataset } from "@attune/contracts/rest/datasets.ts";
import { changePassword, signIn } from "@attune/contracts/rest/identity.ts";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildWeb } from "./build-web.ts";
import { findChromium } from "./find-chromium.ts";
import { type ServedPlatform, startPlatform } from "./start-platform.ts";

const executablePath = findChromium();
if (executablePath === undefined) {
  console.warn("Skipped: there is no Chromium; name one in CHROMIUM_PATH, or install chromium.");
}
const password = "correct horse battery staple";

describe.skipIf(executablePath === undefined)("a page while others work", { timeout: 300_000 }, () => {
  let platform: ServedPlatform;
  let browser: Browser;
  let page: Page;
  let other: ReturnType<typeof createClient>;

  beforeAll(async () => {
    buildWeb();
    platform = await startPlatform();
    const { url: baseUrl, email, firstPassword } = platform;
    const stranger = createClient({ baseUrl, token: () => undefined });
    const { token } = (await stranger.call(signIn, { body: { email, password: firstPassword } })).body;
    other = createClient({ baseUrl, token: () => token });
    await other.call(changePassword, { body: { current_password: firstPassword, new_password: password } });
    browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ["--no-sandbox"] });
    page = await (await browser.newContext({ locale: "en", reducedMotion: "reduce" })).newPage();
    page.setDefaultTimeout(60_000);
    await page.clock.install();
    await page.goto(platform.url);
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Datasets" }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.[Symbol.asyncDispose]();
  });

  test("lists and records follow what somebody else makes, changes and deletes", async () => {
    const { id } = (await other.call(createDataset, { body: { name: "Made elsewhere" } })).body;
    const params = { dataset_id: id };
    await page.getByRole("link", { name: "Made elsewhere" }).click();
    await page.getByRole("heading", { name: "Made elsewhere" }).waitFor();
    await other.call(editDataset, { params, body: { name: "Renamed elsewhere" }, ifMatch: '"1"' });
    await page.getByRole("heading", { name: "Renamed elsewhere" }).waitFor();
    await page.getByRole("menuitem", { name: "Datasets" }).click();
    await page.getByRole("link", { name: "Renamed elsewhere" }).waitFor();
    await other.call(deleteDataset, { params });
    await page.getByText("There is no dataset yet.").waitFor();
    expect(await page.getByRole("link", { name: "Renamed elsewhere" }).count()).toBe(0);
  });

  test("what is typed in a dialog does not undo what somebody else saved meanwhile", async () => {
    const { id } = (await other.call(createDataset, { body: { name: "Edited twice" } })).body;
    const params = { dataset_id: id };
    await page.getByRole("link", { name: "Edited twice" }).click();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Description").fill("Typed here");
    await other.call(editDataset, { params, body: { description: "Saved there" }, ifMatch: '"1"' });
    // Behind the dialog.
    await page.getByText("Saved there").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("changed by somebody else").first().waitFor();
    expect((await other.call(getDataset, { params })).body.description).toBe("Saved there");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Typed here").waitFor();
    await dialog.waitFor({ state: "hidden" });
    expect((await other.call(getDataset, { params })).body.description).toBe("Typed here");
  });

  test("a connection that stays away is told, and its return too, with what was missed", async () => {
    await page.getByRole("menuitem", { name: "Datasets" }).click();
    const notice = page.getByText("The connection to the platform is lost.");
    await page.route("**/api/v1/events*", (route) => route.abort());
    // The page believes that the stream has been silent for too long.
    await page.clock.runFor(50_000);
    await page.clock.runFor(10_000);
    await notice.waitFor();
    await other.call(createDataset, { body: { name: "Made meanwhile" } });
    await page.unroute("**/api/v1/events*");
    await page.clock.runFor(40_000);
    await notice.waitFor({ state: "hidden" });
    await page.clock.runFor(1000);
    await page.getByRole("link", { name: "Made meanwhile" }).waitFor();
    expect(await notice.count()).toBe(0);
  });
});
