import { addUser, getSession, getSignInOptions, resumeSession, signIn } from "@attune/contracts/rest/identity.ts";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OidcTestProvider, type Person, startOidcProvider } from "../../../testing/start-oidc-provider.ts";
import { reasonOf, startTestPlatform, type TestPlatform } from "../../../testing/start-test-platform.ts";
import { TestBrowser } from "../../../testing/test-browser.ts";

const home = "https://attune.example";
const redirectUrl = `${home}/api/v1/session/oidc/callback`;
const start = new URL(`${home}/api/v1/session/oidc`);

let provider: OidcTestProvider;
let run: TestPlatform;

beforeAll(async () => {
  provider = await startOidcProvider({ redirectUrl });
  run = await startTestPlatform(settingsOf(provider));
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await provider.down();
});

const settingsOf = ({ issuer, clientId, clientSecret }: OidcTestProvider) => ({
  PLATFORM_OIDC_ISSUER: issuer,
  PLATFORM_OIDC_NAME: "Example ID",
  PLATFORM_OIDC_CLIENT_ID: clientId,
  PLATFORM_OIDC_CLIENT_SECRET: clientSecret,
  PLATFORM_PUBLIC_URL: `${home}/`,
});

let count = 0;
const personWith = (email: string, isEmailVerified = true): Person => ({
  subject: `person-${++count}`,
  email,
  isEmailVerified,
});
const newBrowser = (platform = run): TestBrowser => new TestBrowser({ [home]: platform.baseUrl });
const isHome = (url: URL): boolean => url.origin === home && !url.pathname.startsWith("/api/");
const isCallback = (url: URL): boolean => url.href.startsWith(`${redirectUrl}?`);
const problemOf = (url: URL): string | null => url.searchParams.get("problem");

async function resume(browser: TestBrowser, platform = run) {
  const cookie = browser.cookiesFor(new URL(`${home}/api/v1/session/resume`));
  return (await platform.stranger.call(resumeSession, { headers: { cookie } })).body;
}

async function signInAs(person: Person | "refuses", browser = newBrowser()): Promise<URL> {
  provider.person = person;
  return browser.go(start, isHome);
}

test("the sign-in page is told what the provider is called", async () => {
  expect((await run.stranger.call(getSignInOptions, {})).body.oidc).toEqual({ name: "Example ID" });
});

test("a provider that is down is told on the sign-in page, and is asked again at the next sign-in", async () => {
  const fresh = await startTestPlatform(settingsOf(provider));
  await provider.down();
  const there = await newBrowser(fresh).go(start, isHome);
  await provider.up();
  const { next } = await newBrowser(fresh).visit(start);
  await fresh[Symbol.asyncDispose]();
  expect(there.pathname).toBe("/");
  expect(problemOf(there)).toBe("OIDC_UNAVAILABLE");
  expect(there.searchParams.get("request_id")).toMatch(/^[\w-]{8,}$/);
  expect(next?.origin).toBe(provider.issuer);
});

test("who has the confirmed e-mail address of a user signs in as that user", async () => {
  const member = await run.addMember("editor");
  const browser = newBrowser();
  const there = await signInAs(personWith(member.email.toUpperCase()), browser);
  expect(there.href).toBe(`${home}/`);
  const session = await resume(browser);
  expect(session.user.id).toBe(member.id);
  const { body } = await run.clientOf(session.token).call(getSession, {});
  expect(body.tenants.map(({ role }) => role)).toEqual(["editor"]);
});

test("the request goes with PKCE, state and nonce, and no address of the caller's is taken", async () => {
  const { next } = await newBrowser().visit(start);
  const asked = Object.fromEntries(next?.searchParams ?? []);
  expect(asked).toMatchObject({ response_type: "code", code_challenge_method: "S256", redirect_uri: redirectUrl });
  for (const name of ["state", "nonce", "code_challenge"]) expect(asked[name]).toMatch(/^[\w-]{43}$/);
  const { status } = await newBrowser().visit(new URL(`${start.href}?return_to=https://evil.example/`));
  expect(status).toBe(422);
});

test("an identity stays its user's when the address at the provider changes", async () => {
  const member = await run.addMember("viewer");
  const person = personWith(member.email);
  await signInAs(person);
  const browser = newBrowser();
  await signInAs({ ...person, email: "renamed@example.com", isEmailVerified: false }, browser);
  expect((await resume(browser)).user.id).toBe(member.id);
});

test("another person who is given a user's address later does not become that user", async () => {
  const member = await run.addMember("viewer");
  await signInAs(personWith(member.email));
  expect(problemOf(await signInAs(personWith(member.email)))).toBe("OIDC_USER_REFUSED");
});

test.each([
  ["an address that is not confirmed", async () => personWith((await run.addMember("owner")).email, false)],
  ["an address that no user has", async () => personWith("nobody@example.com")],
  ["a disabled user", async () => personWith((await disabledMember()).email)],
])("%s is refused, and the refusal is in the operation log", async (_, make) => {
  const person = await make();
  const browser = newBrowser();
  const there = await signInAs(person, browser);
  expect(problemOf(there)).toBe("OIDC_USER_REFUSED");
  expect(await reasonOf(resume(browser))).toBe("SIGN_IN_REQUIRED");
  const requestId = there.searchParams.get("request_id");
  const { rows } = await run.platform.database.queries.execute(
    sql`select action, outcome, reason from operation_logs where request_id = ${requestId}`,
  );
  expect(rows).toEqual([{ action: "finishOidc", outcome: "refused", reason: "OIDC_USER_REFUSED" }]);
});

async function disabledMember() {
  const member = await run.addMember("editor");
  await run.platform.database.queries.execute(sql`update users set is_disabled = true where id = ${member.id}`);
  return member;
}

test("a user who is disabled later is refused, identity or not", async () => {
  const member = await run.addMember("editor");
  const person = personWith(member.email);
  await signInAs(person);
  await run.platform.database.queries.execute(sql`update users set is_disabled = true where id = ${member.id}`);
  expect(problemOf(await signInAs(person))).toBe("OIDC_USER_REFUSED");
});

test("who says no at the provider comes back with a reason", async () => {
  expect(problemOf(await signInAs("refuses"))).toBe("OIDC_FAILED");
});

async function comeBack(browser: TestBrowser): Promise<URL> {
  provider.person = personWith((await run.addMember("viewer")).email);
  return browser.go(start, isCallback);
}

test("an answer counts once", async () => {
  const browser = newBrowser();
  const callback = await comeBack(browser);
  expect((await browser.visit(callback)).next?.href).toBe(`${home}/`);
  const asked = provider.tokenRequests;
  expect(problemOf((await browser.visit(callback)).next as URL)).toBe("OIDC_REQUEST_UNKNOWN");
  expect(provider.tokenRequests).toBe(asked);
});

test.each([
  ["another state", (url: URL) => url.searchParams.set("state", "a".repeat(43))],
  ["no state", (url: URL) => url.searchParams.delete("state")],
  ["two states", (url: URL) => url.searchParams.append("state", "b")],
])("an answer with %s is refused", async (_, spoil) => {
  const browser = newBrowser();
  const callback = await comeBack(browser);
  spoil(callback);
  expect(problemOf((await browser.visit(callback)).next as URL)).toBe("OIDC_REQUEST_UNKNOWN");
});

test.each([
  ["another code", (url: URL) => url.searchParams.set("code", "made-up")],
  ["the code left out", (url: URL) => url.searchParams.delete("code")],
  ["another issuer", (url: URL) => url.searchParams.set("iss", "https://evil.example")],
])("an answer with %s is refused", async (_, spoil) => {
  const browser = newBrowser();
  const callback = await comeBack(browser);
  spoil(callback);
  expect(problemOf((await browser.visit(callback)).next as URL)).toBe("OIDC_FAILED");
});

test("a code of another sign-in is refused, since it was asked for with another verifier and nonce", async () => {
  const [first, second] = [newBrowser(), newBrowser()];
  const stolen = (await comeBack(first)).searchParams.get("code") ?? "";
  const callback = await comeBack(second);
  callback.searchParams.set("code", stolen);
  expect(problemOf((await second.visit(callback)).next as URL)).toBe("OIDC_FAILED");
});

test("a sign-in that was started in another browser is refused", async () => {
  const callback = await comeBack(newBrowser());
  const other = newBrowser();
  expect(problemOf((await other.visit(callback)).next as URL)).toBe("OIDC_REQUEST_UNKNOWN");
  await other.visit(start);
  expect(problemOf((await other.visit(callback)).next as URL)).toBe("OIDC_REQUEST_UNKNOWN");
});

test("two tabs of a browser do not end each other's sign-in", async () => {
  const browser = newBrowser();
  const first = await comeBack(browser);
  const second = await browser.go(start, isCallback);
  expect((await browser.visit(first)).next?.href).toBe(`${home}/`);
  expect((await browser.visit(second)).next?.href).toBe(`${home}/`);
});

test("a sign-in that took too long is refused", async () => {
  const browser = newBrowser();
  const callback = await comeBack(browser);
  await run.platform.database.queries.execute(sql`update oidc_requests set expires_at = now() - interval '1 second'`);
  expect(problemOf((await browser.visit(callback)).next as URL)).toBe("OIDC_REQUEST_UNKNOWN");
});

test("a provider that goes down on the way is told", async () => {
  const browser = newBrowser();
  const callback = await comeBack(browser);
  await provider.down();
  const { next } = await browser.visit(callback);
  await provider.up();
  expect(problemOf(next as URL)).toBe("OIDC_UNAVAILABLE");
});

test("a password that an administrator handed out ends with the first sign-in at the provider", async () => {
  const { client } = run.operator;
  const email = "one-time@example.com";
  const { body } = await client.call(addUser, { body: { email, display_name: "New", role: "editor" } });
  const password = body.one_time_password ?? "";
  const before = (await run.stranger.call(signIn, { body: { email, password } })).body.token;
  const browser = newBrowser();
  await signInAs(personWith(email), browser);
  expect((await resume(browser)).must_change_password).toBe(false);
  expect(await reasonOf(run.stranger.call(signIn, { body: { email, password } }))).toBe("SIGN_IN_FAILED");
  expect(await reasonOf(run.clientOf(before).call(getSession, {}))).toBe("SIGN_IN_REQUIRED");
});

test("an address that stands in the user info only is found there", async () => {
  const other = await startOidcProvider({ redirectUrl, hasEmailInIdToken: false });
  const platform = await startTestPlatform(settingsOf(other));
  try {
    const member = await platform.addMember("editor");
    other.person = personWith(member.email);
    const browser = newBrowser(platform);
    await browser.go(start, isHome);
    expect((await resume(browser, platform)).user.id).toBe(member.id);
  } finally {
    await platform[Symbol.asyncDispose]();
    await other.down();
  }
});
