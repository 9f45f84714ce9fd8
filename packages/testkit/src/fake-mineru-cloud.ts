import { type Answer, notFound, type Received, startFake } from "./fake-engines.ts";
import type { HttpFixture } from "./http-fixture.ts";
import { makeZip } from "./make-zip.ts";

/** What the cloud remembers between calls. */
interface CloudState {
  origin: string;
  uploaded: string | undefined;
  polls: number;
  /** What the batch says of its file. */
  file: object;
}

/** MinerU's cloud, API v4: batch, upload, polling, archive. A file that says `fail` ends in the state `failed`. */
export async function startFakeMineruCloud(token: string): Promise<HttpFixture> {
  const state: CloudState = { origin: "", uploaded: undefined, polls: 0, file: {} };
  const fixture = await startFake((received) => answerFiles(received, state) ?? answerApi(received, state, token));
  state.origin = fixture.origin;
  return fixture;
}

// Uploads and archives lie in an object store: addresses that carry their own right.
function answerFiles({ method, path, headers, body }: Received, state: CloudState): Answer | undefined {
  if (path === "/result.zip") return { bytes: makeArchive(state) };
  if (method !== "PUT" || path !== "/upload?signature=abc") return undefined;
  if (headers["content-type"] !== undefined) return { status: 403, text: "SignatureDoesNotMatch" };
  state.uploaded = body.toString();
  return { text: "" };
}

// A file that says `bomb` or `torn` ends in an archive of that kind.
function makeArchive({ uploaded = "", file }: CloudState): Buffer {
  if (uploaded === "torn") return Buffer.from("PK");
  const bytes =
    uploaded === "bomb" ? Buffer.alloc((64 << 20) + 1) : `# Cloud\n\n${uploaded}\n\n    ${JSON.stringify(file)}\n`;
  return makeZip([
    { name: "images/a.png", bytes: "picture" },
    { name: "full.md", bytes },
  ]);
}

function answerApi({ method, path, headers, body }: Received, state: CloudState, token: string): Answer {
  if (headers.authorization !== `Bearer ${token}`) return { json: { code: "A0202", msg: "token error" } };
  if (method === "POST" && path === "/api/v4/file-urls/batch") {
    state.file = (JSON.parse(body.toString()) as { files: object[] }).files[0] ?? {};
    const data = { batch_id: "b 1", file_urls: [`${state.origin}/upload?signature=abc`] };
    return { json: { code: 0, msg: "ok", data } };
  }
  if (path !== "/api/v4/extract-results/batch/b%201") return notFound;
  const result = { file_name: "document.pdf", ...progress(state) };
  return { json: { code: 0, msg: "ok", data: { batch_id: "b 1", extract_result: [result] } } };
}

function progress(state: CloudState): object {
  if (state.uploaded === "fail") return { state: "failed", err_msg: "cannot be parsed" };
  const isDone = state.polls++ > 0 && state.uploaded !== undefined;
  return isDone ? { state: "done", full_zip_url: `${state.origin}/result.zip` } : { state: "running" };
}
