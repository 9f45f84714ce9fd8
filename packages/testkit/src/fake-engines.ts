import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpFixture, startHttpFixture } from "./http-fixture.ts";

/*
 * Servers that speak the documented protocol of a remote engine: they check what they are sent as the real one does, refuse
 * what it refuses, and answer with a transcript of the file they got, so that a test sees that it arrived.
 */

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** Fields of a form, files as their text; those given more than once are joined by commas. */
  readonly form: ReadonlyMap<string, { readonly value: string; readonly fileName: string }>;
}

export type Answer = {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Buffer;
};

export async function startFake(answer: (received: Received) => Answer): Promise<HttpFixture> {
  return startHttpFixture((request, response) => {
    receive(request)
      .then((received) => respond(response, answer(received)))
      .catch(() => respond(response, { status: 500, text: "fault" }));
  });
}

async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  const isForm = type.startsWith("multipart/form-data");
  const form = isForm ? await new Response(body, { headers: { "content-type": type } }).formData() : new FormData();
  const fields = new Map<string, { value: string; fileName: string }>();
  for (const [key, value] of form) {
    const before = fields.get(key);
    if (typeof value !== "string") fields.set(key, { value: await value.text(), fileName: value.name });
    else fields.set(key, { value: before === undefined ? value : `${before.value},${value}`, fileName: "" });
  }
  return { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body, form: fields };
}

function respond(response: ServerResponse, { status = 200, json, text = "", bytes }: Answer): void {
  const body = bytes ?? Buffer.from(json === undefined ? text : JSON.stringify(json));
  response.writeHead(status, { "content-type": json === undefined ? "text/html" : "application/json" }).end(body);
}

export const notFound: Answer = { status: 404, json: { detail: "Not Found" } };

/** Which of these fields a form has, with what in them. */
function told(form: Received["form"], keys: readonly string[]): string {
  return keys.flatMap((key) => (form.has(key) ? [`${key}=${form.get(key)?.value}`] : [])).join(" ");
}

/** docling-serve 1.x. A file that says `fail` is answered with status `failure`, one that says `part` with a part of it. */
export function startFakeDocling(apiKey: string): Promise<HttpFixture> {
  return startFake(({ method, path, headers, form }) => {
    if (path === "/health") return { json: { status: "ok" } };
    if (headers["x-api-key"] !== apiKey) return { status: 401, json: { detail: "Api key is required." } };
    if (method !== "POST" || path !== "/v1/convert/file") return notFound;
    const file = form.get("files");
    if (file === undefined || form.get("to_formats")?.value !== "md") return { status: 422, json: { detail: "files" } };
    const status = { fail: "failure", part: "partial_success" }[file.value] ?? "success";
    const how = told(form, ["page_range", "do_ocr", "force_ocr"]);
    const text = `# ${file.fileName}\n\n${file.value}\n\n<!-- image -->\n\n${how}\n`;
    const md_content = status === "failure" ? null : text;
    return { json: { document: { filename: file.fileName, md_content }, status, errors: [], processing_time: 0.1 } };
  });
}

/** The server of MinerU 2 and 3. */
export function startFakeMineru(): Promise<HttpFixture> {
  return startFake(({ method, path, form }) => {
    if (path === "/openapi.json") return { json: { openapi: "3.1.0" } };
    if (method !== "POST" || path !== "/file_parse") return notFound;
    const file = form.get("files");
    const isComplete = ["backend", "parse_method", "formula_enable", "table_enable", "return_md"].every((key) =>
      form.has(key),
    );
    if (file === undefined || !isComplete) return { status: 422, json: { detail: "field required" } };
    if (file.value === "fail") return { status: 500, json: { error: "Failed to process file" } };
    const how = told(form, ["start_page_id", "end_page_id", "server_url"]);
    const heading = `## ${form.get("backend")?.value} ${form.get("parse_method")?.value}`;
    const md_content = `${heading}\n\n${file.value}\n\n${how}`;
    return { json: { backend: "pipeline", version: "3.4", results: { document: { md_content } } } };
  });
}

/** Tika Server 2 and 3. */
export function startFakeTika(): Promise<HttpFixture> {
  return startFake(({ method, path, headers, body }) => {
    if (method === "GET" && path === "/version") return { text: "Apache Tika 3.2.0" };
    if (method !== "PUT" || path !== "/tika") return notFound;
    if (body.toString() === "fail") return { status: 422, text: "" };
    if (headers.accept !== "text/html") return { text: body.toString() };
    const text = body.toString().replaceAll("<", "&lt;");
    const { password } = headers;
    const opened = password === undefined ? "" : `<p>opened with ${password.length} characters</p>`;
    return {
      text: `<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Tika</h1><p>${text}</p>${opened}</body></html>`,
    };
  });
}

/** unstructured-api. */
export function startFakeUnstructured(apiKey: string): Promise<HttpFixture> {
  return startFake(({ method, path, headers, form }) => {
    if (path === "/healthcheck") return { json: { healthcheck: "HEALTHCHECK STATUS: EVERYTHING OK!" } };
    if (headers["unstructured-api-key"] !== apiKey) return { status: 401, json: { detail: "API key is invalid" } };
    if (method !== "POST" || path !== "/general/v0/general") return notFound;
    const file = form.get("files");
    if (file === undefined) return { status: 422, json: { detail: "files" } };
    if (file.value === "fail") return { status: 422, json: { detail: "File type is not supported." } };
    const table = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>";
    return {
      json: [
        { type: "Header", text: "running head", metadata: { page_number: 1 } },
        { type: "PageBreak", text: "", metadata: {} },
        { type: "Title", text: "A <title>", metadata: { category_depth: 1 } },
        { type: "NarrativeText", text: file.value, metadata: {} },
        { type: "ListItem", text: "first", metadata: {} },
        { type: "ListItem", text: "second", metadata: {} },
        { type: "CodeSnippet", text: told(form, ["strategy", "languages", "encoding"]), metadata: {} },
        { type: "Table", text: "a b 1 2", metadata: { text_as_html: table } },
      ],
    };
  });
}

/** An OpenAI-compatible API with a vision model that reads the bytes of the picture as text. */
export function startFakeVisionModel(apiKey: string): Promise<HttpFixture> {
  return startFake(({ method, path, headers, body }) => {
    if (headers.authorization !== `Bearer ${apiKey}`)
      return { status: 401, json: { error: { message: "Incorrect API key" } } };
    if (path === "/v1/models") return { json: { object: "list", data: [{ id: "vision", object: "model" }] } };
    if (method !== "POST" || path !== "/v1/chat/completions") return notFound;
    const { model, messages } = JSON.parse(body.toString()) as VisionRequest;
    if (model !== "vision") return { status: 404, json: { error: { message: "The model does not exist" } } };
    const url = messages[0]?.content.find(({ type }) => type === "image_url")?.image_url?.url ?? "";
    const text = Buffer.from(url.split(",")[1] ?? "", "base64").toString();
    const content = `\`\`\`markdown\n# Seen\n\n${text}\n\`\`\``;
    const finish_reason = text === "long" ? "length" : "stop";
    return {
      json: {
        id: "1",
        object: "chat.completion",
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason }],
      },
    };
  });
}

interface VisionRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly content: readonly { readonly type: string; readonly image_url?: { readonly url: string } }[];
  }[];
}
