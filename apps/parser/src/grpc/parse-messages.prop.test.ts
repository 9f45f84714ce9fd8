import { loadDocparser } from "@attune/contracts/proto/load-docparser.ts";
import type { ServiceDefinition } from "@grpc/grpc-js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeParseRequest, MalformedRequest, partsOfResponse } from "./parse-messages.ts";

const method = (loadDocparser()["docparser.DocumentParser"] as ServiceDefinition)["ParseDocument"];
const text = fc.string({ unit: "grapheme", maxLength: 40 });
const key = text.filter((value) => Buffer.byteLength(value) <= 64);

test("requests that the library encodes are decoded to the same values", () => {
  const request = fc.record({
    file_url: text,
    file_name: text,
    file_type: text,
    parser_engine: text,
    engine_overrides: fc.dictionary(key, text, { maxKeys: 5 }),
  });
  fc.assert(
    fc.property(request, (given) => {
      const decoded = decodeParseRequest(method?.requestSerialize(given) ?? Buffer.alloc(0));
      expect(decoded).toEqual({
        fileUrl: given.file_url,
        fileName: given.file_name,
        fileType: given.file_type,
        parserEngine: given.parser_engine,
        engineOverrides: Object.assign(Object.create(null), given.engine_overrides),
      });
    }),
  );
});

test("answers are what the library decodes to the same values", () => {
  const answer = fc.record({
    content: text,
    contentLength: fc.nat(),
    message: text,
    fileType: text,
    parserEngine: text,
  });
  fc.assert(
    fc.property(answer, ({ content, ...rest }) => {
      const bytes = Buffer.concat(partsOfResponse({ success: true, content: Buffer.from(content), ...rest }));
      expect(method?.responseDeserialize(bytes)).toMatchObject({
        success: true,
        content: Buffer.from(content).toString(),
        content_length: rest.contentLength,
        message: rest.message,
        file_type: rest.fileType,
        parser_engine: rest.parserEngine,
      });
    }),
  );
});

test("no bytes at all make decoding throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const decoded = decodeParseRequest(bytes);
      expect(decoded instanceof MalformedRequest || typeof decoded.fileUrl === "string").toBe(true);
    }),
  );
});
