import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpFixture, startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOutboundHttp } from "./guarded-http.ts";
import type { OutboundRequest, StreamingHttp } from "./outbound-http.ts";
import { defaultOutboundSettings } from "./outbound-settings.ts";

let server: HttpFixture;
let http: StreamingHttp;

beforeAll(async () => {
  server = await startHttpFixture((request, response) => void echo(request, response));
  http = createOutboundHttp({ ...defaultOutboundSettings, allowedHosts: [`127.0.0.1:${server.port}`] });
});

afterAll(async () => {
  await http.close();
  await server[Symbol.asyncDispose]();
});

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(request, "end");
  const type = request.headers["content-type"] ?? "";
  response.writeHead(201, { "x-method": request.method, "x-type": type }).end(Buffer.concat(chunks));
}

async function send(request: Omit<OutboundRequest, "url" | "timeoutMs" | "maxBytes">) {
  const wanted = { url: `${server.origin}/`, timeoutMs: 5_000, maxBytes: 100_000, ...request };
  const { status, headers, body } = await http.request(wanted, new AbortController().signal);
  return { status, method: headers["x-method"], type: headers["x-type"] ?? "", text: Buffer.from(body).toString() };
}

describe("requests", () => {
  it("carry text with its type", async () => {
    const sent = await send({ method: "POST", body: `{"a":"é"}`, headers: { "Content-Type": "application/json" } });
    expect(sent).toEqual({ status: 201, method: "POST", type: "application/json", text: `{"a":"é"}` });
  });

  it("carry bytes", async () => {
    expect(await send({ method: "PUT", body: new Uint8Array([104, 105]) })).toMatchObject({
      method: "PUT",
      text: "hi",
    });
  });

  it("carry a form with files, whose boundary stands in the type", async () => {
    const form = new FormData();
    form.append("files", new Blob(["the document"], { type: "application/pdf" }), "名前.pdf");
    form.append("ocr", "true");
    const { type, text } = await send({ method: "POST", body: form });
    const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(type)?.[1] ?? "no boundary";
    expect(text.split(`--${boundary}`)).toHaveLength(4);
    expect(text).toContain(`filename="名前.pdf"`);
    expect(text).toContain("the document");
  });

  it("wait as long as their caller says for a service that thinks", async () => {
    await using slow = await startHttpFixture((_request, response) => void setTimeout(() => response.end("done"), 600));
    const settings = { ...defaultOutboundSettings, allowedHosts: ["127.0.0.1"], headersTimeoutMs: 200 };
    const patient = createOutboundHttp(settings);
    const request = { url: slow.origin, timeoutMs: 5_000, maxBytes: 100 };
    const { body } = await patient.request(request, new AbortController().signal);
    expect(Buffer.from(body).toString()).toBe("done");
    await patient.close();
  });

  it("may ask for headers only", async () => {
    expect(await send({ method: "HEAD" })).toMatchObject({ status: 201, method: "HEAD", text: "" });
  });
});
