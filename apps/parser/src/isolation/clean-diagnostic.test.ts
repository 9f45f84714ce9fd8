import { describe, expect, it } from "vitest";
import { cleanDiagnostic, stripControls } from "./clean-diagnostic.ts";

describe("cleanDiagnostic", () => {
  it("keeps names and stack frames, and drops what an error quotes of the document", () => {
    const text = `SyntaxError [ERR_X]: Unexpected token, "my secret" is not JSON
more of my secret
    at parse (file:///app/read-json.ts:3:4)
caused by TypeError: my secret
    at file:///app/worker.ts:1:1`;
    expect(cleanDiagnostic(text)).toBe(`SyntaxError [ERR_X]
    at parse (file:///app/read-json.ts:3:4)
caused by TypeError
    at file:///app/worker.ts:1:1`);
  });

  it("keeps what V8 and the launchers say of themselves", () => {
    const text =
      "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\nbwrap: No permissions";
    expect(cleanDiagnostic(text)).toBe(text);
  });

  it("drops control characters, so that no terminal obeys them", () => {
    expect(cleanDiagnostic("    at \u001b[31mred\u0007\u009b")).toBe("    at [31mred");
    expect(stripControls("a\tb\nc\u001b")).toBe("a\tb\nc");
  });
});
