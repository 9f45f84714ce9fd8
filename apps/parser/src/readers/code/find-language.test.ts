import { expect, test } from "vitest";
import { findLanguage } from "./find-language.ts";
import { languages } from "./languages.ts";

test.each([
  ["main.PY", "", "python"],
  ["Dockerfile", "", "dockerfile"],
  ["Dockerfile.dev", "", "dockerfile"],
  ["a.h", "namespace a {}", "cpp"],
  ["a.h", "int a(void);", "c"],
  ["a.m", "#import <Foundation/Foundation.h>", "objectivec"],
  ["a.m", "x = [1 2 3];", "matlab"],
  ["run", "#!/usr/bin/env -S python3 -u\n", "python"],
  ["run", "#!/bin/sh\n", "bash"],
  ["a.unknown", "words", undefined],
  ["constructor", "words", undefined],
])("%s with %j is %s", (fileName, text, language) => {
  expect(findLanguage(fileName, text)).toBe(language);
});

test("sixty languages and more are known", () => {
  expect(new Set(Object.values(languages)).size).toBeGreaterThan(60);
});
