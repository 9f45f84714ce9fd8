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
  /** Fields of a form, files as their text. */
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
    fields.set(
      key,
      typeof value === "string" ? { value, fileName: "" } : { value: await value.text(), fileName: value.name },
    );
  }
  return { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body, form: fields };
}

function respond(response: ServerResponse, { status = 200, json, text = "", bytes }: Answer): void {
  const body = bytes ?? Buffer.from(json === undefined ? text : JSON.stringify(json));
  response.writeHead(status, { "content-type": json === undefined ? "text/html" : "application/json" }).end(body);
}

export const notFound: Answer = { status: 404, json: { detail: "Not Found" } };

/** docling-serve 1.x. A file that says `fail` is answered with status `failure`, one that says `part` with a part of it. */
export function startFakeDocling(apiKey: string): Promise<HttpFixture> {
  return startFake(({ method, path, headers, form }) => {
    if (path === "/health") return { json: { status: "ok" } };
    if (headers["x-api-key"] !== apiKey) return { status: 401, json: { detail: "Api key is required." } };
    if (method !== "POST" || path !== "/v1/convert/file") return notFound;
    const file = form.get("files");
    if (file === undefined || form.get("to_formats")?.value !== "md") return { status: 422, json: { detail: "files" } };
    const status = { fail: "failure", part: "partial_success" }[file.value] ?? "success";
    const md_content = status === "failure" ? null : `# ${file.fileName}\n\n${file.value}\n\n<!-- image -->\n`;
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
    const md_content = `## ${form.get("backend")?.value} ${form.get("parse_method")?.value}\n\n${file.value}`;
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
    return { text: `<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Tika</h1><p>${text}</p></body></html>` };
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
        { type: "Title", text: "A <title>", metadata: { category_depth: 1 } },
        { type: "NarrativeText", text: file.value, metadata: {} },
        { type: "ListItem", text: "first", metadata: {} },
        { type: "ListItem", text: "second", metadata: {} },
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
