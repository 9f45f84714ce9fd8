import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildWeb } from "./build-web.ts";
import { findChromium } from "./find-chromium.ts";
import { type ServedPlatform, startPlatform } from "./start-platform.ts";

const executablePath = findChromium();
const password = "correct horse battery staple";

/** One call of the API, as a program makes it. */
async function call(url: string, token: string, body: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body })).json();
}

describe.skipIf(executablePath === undefined)("leaving a page of the web app", { timeout: 300_000 }, () => {
  let platform: ServedPlatform;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    buildWeb();
    platform = await startPlatform();
    browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ["--no-sandbox"] });
    page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: "en", reducedMotion: "reduce" });
    page.setDefaultTimeout(60_000);
    const token = await enter(platform.email, platform.firstPassword);
    const { id } = (await post("/datasets", token, { name: "Of the first", is_private: true })) as { id: string };
    const row = JSON.stringify({ instruction: "Name the capital.", input: "", output: "Paris." });
    await call(`${platform.url}/api/v1/datasets/${id}/files?name=a.jsonl`, token, `${row}\n`);
    const added = (await post("/users", token, {
      email: "second@example.org",
      display_name: "Second",
      role: "viewer",
    })) as {
      one_time_password: string;
    };
    await enter("second@example.org", added.one_time_password);
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.[Symbol.asyncDispose]();
  });

  const post = (path: string, token: string, body: unknown) =>
    call(`${platform.url}/api/v1${path}`, token, JSON.stringify(body));

  /** Signs in for the first time; gives the token. */
  async function enter(email: string, oneTimePassword: string): Promise<string> {
    const { token } = (await post("/session", "none", { email, password: oneTimePassword })) as { token: string };
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ current_password: oneTimePassword, new_password: password });
    await fetch(`${platform.url}/api/v1/session/password`, { method: "PUT", headers, body });
    return token;
  }

  async function signIn(email: string): Promise<void> {
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  }

  async function signOut(email: string): Promise<void> {
    await page.getByRole("button", { name: email }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
  }

  test("asks before the way back takes what was typed into a row", async () => {
    await page.goto(platform.url);
    await signIn(platform.email);
    await page.getByRole("link", { name: "Of the first" }).click();
    await page.getByRole("tab", { name: "Rows" }).click();
    await page.getByText("Paris.").click();
    const row = page.getByRole("textbox", { name: "The row, as JSON" });
    await row.fill('{"instruction": "Typed.", "input": "", "output": "kept"}');
    await page.evaluate("history.back()");
    await page.getByRole("button", { name: "Drop mine" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).last().click();
    await page.getByRole("button", { name: "Drop mine" }).waitFor({ state: "hidden" });
    expect(await row.inputValue()).toContain("kept");
    await page.evaluate("history.back()");
    await page.getByRole("button", { name: "Drop mine" }).click();
    await row.waitFor({ state: "detached" });
  });

  test("is not called signing out while the platform has not heard of it", async () => {
    await page.goto(`${platform.url}/datasets`);
    await page.getByText("Of the first").waitFor();
    await page.route("**/api/v1/session", (route) =>
      route.request().method() === "DELETE" ? route.abort() : route.continue(),
    );
    await signOut(platform.email);
    await page.getByText("You are still signed in").last().waitFor();
    await page.unroute("**/api/v1/session");
    await page.getByRole("button", { name: "OK" }).click();
    await signOut(platform.email);
    await page.getByLabel("E-mail address").waitFor();
    await page.reload();
    await page.getByLabel("E-mail address").waitFor();
    expect(await page.getByText("Of the first").count()).toBe(0);
  });

  test("leaves nothing to whoever signs in next", async () => {
    await signIn(platform.email);
    await page.getByText("Of the first").waitFor();
    await signOut(platform.email);
    // What the next one sees is not what the platform tells them, which never comes.
    await page.route("**/api/v1/datasets?*", () => undefined);
    await signIn("second@example.org");
    await page.getByRole("button", { name: "second@example.org" }).waitFor();
    await page.getByRole("heading", { name: "Datasets" }).waitFor();
    expect(await page.getByText("Of the first").count()).toBe(0);
  });
});
