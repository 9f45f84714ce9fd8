import { join, resolve } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkFileList } from "./check-file-list.ts";

function verdict(path: string): string {
  try {
    checkFileList([{ path, sizeBytes: 1 }], { maxFiles: 1, maxEntryBytes: 1 });
    return "fine";
  } catch (error) {
    return error instanceof AppError ? error.reason : String(error);
  }
}

describe("the files of an entry", () => {
  it("lie in the folder that they are put into, whatever they are called, or are refused", () => {
    const piece = fc.oneof(fc.constantFrom("..", ".", "", "/", "\\", "a", "\0", "C:"), fc.string({ unit: "binary" }));
    const path = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("/"));
    const property = fc.property(path, (name) => {
      const judged = verdict(name);
      expect(["fine", "CACHE_PATH_UNSAFE"]).toContain(judged);
      if (judged !== "fine") return;
      const place = join("/cache/files", name);
      expect(place.startsWith("/cache/files/")).toBe(true);
      expect(resolve("/cache/files", name)).toBe(place);
      expect(place.slice("/cache/files/".length)).toBe(name);
    });
    fc.assert(property, { numRuns: 1000 });
  });
});
