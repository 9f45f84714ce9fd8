import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@attune/service-kit/app-error.ts";
import { type HttpFixture, startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { describe, expect, it } from "vitest";
import { createOutboundHttp } from "../../outbound/guarded-http.ts";
import { defaultOutboundSettings } from "../../outbound/outbound-settings.ts";
import { createHttpSource, defaultHttpSourceSettings } from "./http-source.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function openFrom(server: HttpFixture, path: string, isOpen = true) {
  const allowedHosts = isOpen ? [`127.0.0.1:${server.port}`] : [];
  const http = createOutboundHttp({ ...defaultOutboundSettings, allowedHosts });
  const source = createHttpSource({ ...defaultHttpSourceSettings, timeoutMs: 5_000, retryDelayMs: 10 }, { http });
  try {
    const { stream, ...rest } = await source.open(server.origin + path, new AbortController().signal);
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return { ...rest, text: Buffer.concat(chunks).toString() };
  } catch (error) {
    return error instanceof AppError ? { reason: error.reason, message: error.message } : { reason: String(error) };
  } finally {
    await http.close();
  }
}

async function openAnswer(answer: Answer, path = "/file.pdf") {
  await using server = await startHttpFixture(answer);
  return { opened: await openFrom(server, path), tries: server.requests.length };
}

describe("the http source", () => {
  it("streams the file with what its server says about it", async () => {
    const { opened } = await openAnswer((_request, response) => {
      const headers = {
        "content-type": "text/html; charset=Shift_JIS",
        "content-disposition": "attachment; filename*=UTF-8''%E5%A0%B1.html",
        "content-length": "5",
      };
      response.writeHead(200, headers).end("hello");
    });
    const expected = { text: "hello", sizeBytes: 5, mediaType: "text/html", charset: "shift_jis", fileName: "報.html" };
    expect(opened).toEqual(expected);
  });

  it("takes the name from the address that answered in the end", async () => {
    const { opened } = await openAnswer((request, response) => {
      if (request.url === "/download") response.writeHead(302, { location: "/files/annual%20report.pdf" }).end();
      else response.end("pdf");
    }, "/download");
    expect(opened).toEqual({ text: "pdf", sizeBytes: 3, fileName: "annual report.pdf" });
  });

  it("reaches nothing on loopback that is not opened", async () => {
    await using server = await startHttpFixture((_request, response) => response.end("secret"));
    expect(await openFrom(server, "/", false)).toMatchObject({ reason: "FETCH_REFUSED" });
    expect(server.connectionCount).toBe(0);
  });

  it.each([
    [404, "FILE_NOT_FOUND", 1],
    [410, "FILE_NOT_FOUND", 1],
    [401, "FETCH_DENIED", 1],
    [403, "FETCH_DENIED", 1],
    [400, "FETCH_FAILED", 1],
    [204, "FETCH_FAILED", 1],
    [206, "FETCH_FAILED", 1],
    [304, "FETCH_FAILED", 1],
    [429, "FETCH_FAILED", 3],
    [500, "FETCH_FAILED", 3],
    [503, "FETCH_FAILED", 3],
  ])("tells status %i as %s after %i tries", async (status, reason, tries) => {
    const result = await openAnswer((_request, response) => response.writeHead(status).end());
    expect(result).toMatchObject({ opened: { reason }, tries });
    expect(result.opened).toHaveProperty("message", expect.stringContaining(String(status)));
  });

  it("tries again when a server is busy for a moment", async () => {
    let requests = 0;
    const { opened, tries } = await openAnswer((_request, response) => {
      response.writeHead(++requests < 3 ? 503 : 200).end("late");
    });
    expect(opened).toMatchObject({ text: "late" });
    expect(tries).toBe(3);
  });

  it("does not start over once bytes have come", async () => {
    const { opened, tries } = await openAnswer((_request, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("hello", () => response.destroy());
    });
    expect(opened).toMatchObject({ reason: "FETCH_FAILED" });
    expect(tries).toBe(1);
  });

  it("gives an empty body as it is", async () => {
    const { opened } = await openAnswer((_request, response) => response.end());
    expect(opened).toEqual({ text: "", sizeBytes: 0, fileName: "file.pdf" });
  });
});
