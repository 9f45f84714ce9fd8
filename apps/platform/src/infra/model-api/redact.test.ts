import { Secret } from "@attune/service-kit/secret.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "./redact.ts";

describe("redact", () => {
  it.each([
    ["the whole secret", "Bad key sk-abcdefgh1234!", "Bad key [secret]!"],
    ["its beginning and its end", "Bad key sk-abc****gh1234", "Bad key [secret]****[secret]"],
    ["no part of it", "Bad key, really.", "Bad key, really."],
    ["lines and control characters", "a\r\n\u0000b\u202ec", "a b c"],
  ])("shows a message with %s", (_name, message, expected) => {
    expect(redact(message, new Secret("sk-abcdefgh1234"))).toBe(expected);
  });

  it("cuts long messages", () => {
    expect(redact("x".repeat(5_000), undefined)).toHaveLength(301);
  });

  it("leaves no six characters of the secret", () => {
    const text = fc.string({ minLength: 7, maxLength: 40 });
    fc.assert(
      fc.property(text, text, fc.nat({ max: 30 }), (secret, words, from) => {
        const shown = redact(`${words}${secret.slice(from)}${words}${secret}`, new Secret(secret));
        for (let at = 0; at + 6 <= secret.length; at++) {
          const fragment = secret.slice(at, at + 6);
          // What replaces it may hold a secret that is made of the same letters.
          const isOurs = "[secret][secret]".includes(fragment);
          expect(!isOurs && shown.replaceAll("[secret]", "\u0001").includes(fragment)).toBe(false);
        }
      }),
    );
  });
});
