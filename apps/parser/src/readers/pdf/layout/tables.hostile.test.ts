import { describe, expect, test } from "vitest";
import type { Rule } from "../page-content.ts";
import { lineAt, pageOf } from "./geometry.fixture.ts";
import { findTables } from "./tables.ts";

/** A repeatable number between 0 and 1. */
const scatter = (index: number, salt: number): number => ((index * 2_654_435_761 + salt * 97) % 1009) / 1009;

function rulesAt(count: number, place: (index: number) => Omit<Rule, "bottom" | "right"> & { length: number }): Rule[] {
  return Array.from({ length: count }, (_, index) => {
    const { left, top, length, isHorizontal } = place(index);
    return isHorizontal
      ? { left, right: left + length, top, bottom: top, isHorizontal }
      : { left, right: left, top, bottom: top + length, isHorizontal };
  });
}

function spentOn(rules: readonly Rule[], shades: readonly Rule[] = []): number {
  const lines = Array.from({ length: 3000 }, (_, index) =>
    lineAt(`cell ${index}`, { left: 40 + (index % 10) * 50, baseline: 40 + Math.floor(index / 10) * 2.4 }),
  );
  const startedAt = process.cpuUsage();
  findTables(pageOf(lines, { rules, shades }), lines, new Set());
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1000;
}

describe("tables of hostile pages", () => {
  const most = 4000;

  test("a hundred thousand lines all over the page", () => {
    const rules = rulesAt(100_000, (index) => ({
      left: scatter(index, 1) * 500,
      top: scatter(index, 2) * 700,
      length: 60 + scatter(index, 3) * 200,
      isHorizontal: index % 2 === 0,
    }));
    expect(spentOn(rules)).toBeLessThan(most);
  });

  test("a hundred thousand lines of one width below one another", () => {
    const rules = rulesAt(100_000, (index) => ({ left: 40, top: index * 0.008, length: 500, isHorizontal: true }));
    expect(spentOn(rules)).toBeLessThan(most);
  });

  test("a grid of lines too fine for cells", () => {
    const rules = rulesAt(5000, (index) => ({
      left: index % 2 === 0 ? 0 : (index / 2) * 5,
      top: index % 2 === 0 ? (index / 2) * 5 : 0,
      length: 14_000,
      isHorizontal: index % 2 === 0,
    }));
    expect(spentOn(rules)).toBeLessThan(most);
  });

  test("shades one over the other", () => {
    const shades = rulesAt(50_000, (index) => ({
      left: scatter(index, 4) * 300,
      top: scatter(index, 5) * 600,
      length: 200,
      isHorizontal: true,
    })).map((rule) => ({ ...rule, bottom: rule.top + 20 }));
    expect(spentOn([], shades)).toBeLessThan(most);
  });

  test("no word is lost or told twice", () => {
    const rules = rulesAt(400, (index) => ({
      left: scatter(index, 6) * 400,
      top: scatter(index, 7) * 700,
      length: 80 + scatter(index, 8) * 400,
      isHorizontal: index % 3 !== 0,
    }));
    const lines = Array.from({ length: 300 }, (_, index) =>
      lineAt(`w${index}`, { left: scatter(index, 9) * 500, baseline: 20 + scatter(index, 10) * 700 }),
    );
    const { tables, rest } = findTables(pageOf(lines, { rules }), lines, new Set());
    const told = [
      ...JSON.stringify(tables.map(({ table }) => table.rows)).matchAll(/w\d+/g),
      ...JSON.stringify(rest.map(({ words }) => words.map(({ text }) => text))).matchAll(/w\d+/g),
    ].map(([text]) => text);
    expect(told).toHaveLength(lines.length);
    expect(new Set(told)).toEqual(new Set(lines.map(({ words }) => words[0]?.text)));
  });
});
