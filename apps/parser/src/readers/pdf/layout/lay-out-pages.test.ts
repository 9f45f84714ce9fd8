import { expect, test } from "vitest";
import { FurnitureFinder } from "./furniture.ts";
import { lineAt, linesAt, pageOf } from "./geometry.fixture.ts";
import { layOutPages } from "./lay-out-pages.ts";

test("everything but furniture reaches the blocks", () => {
  const pages = [1, 2, 3].map((number) =>
    pageOf(
      [lineAt("Running head", { baseline: 30 }), ...linesAt([`text of page ${number}`, "and more"], { baseline: 300 })],
      { number },
    ),
  );
  const laidOut = layOutPages(pages, new FurnitureFinder());
  expect(laidOut.map(({ reached, isPlain, blocks }) => [reached, isPlain, blocks.length])).toEqual([
    [1, false, 1],
    [1, false, 1],
    [1, false, 1],
  ]);
});

test("furniture is text where there is nothing else", () => {
  const pages = [1, 2, 3].map((number) => pageOf([lineAt("Label", { baseline: 30 })], { number }));
  expect(layOutPages(pages, new FurnitureFinder()).map(({ blocks }) => blocks.length)).toEqual([1, 1, 1]);
});

test("a page whose layout would lose letters is given in plain order", () => {
  const page = pageOf(linesAt(["all that was found"]), { letterCount: 100 });
  const [laidOut] = layOutPages([page], undefined);
  expect(laidOut).toMatchObject({ isPlain: true, reached: 0.15 });
  expect(laidOut?.blocks).toHaveLength(1);
});

test("text in another direction follows the text of the page", () => {
  const page = pageOf(linesAt(["upright text"]), {
    turnedLines: [lineAt("turned", { style: { turn: 3 } })],
    letterCount: 17,
  });
  expect(layOutPages([page], undefined)[0]?.blocks.map((block) => block.kind === "text" && block.text)).toEqual([
    "upright text",
    "turned",
  ]);
});

test("a page with more lines than can be laid out is given whole, and says so", () => {
  const page = pageOf(Array.from({ length: 4001 }, (_, index) => lineAt("a", { baseline: index * 12 })));
  const [laidOut] = layOutPages([page], undefined);
  expect(laidOut).toMatchObject({ isPlain: true, reached: 1 });
  expect(laidOut?.blocks.map((block) => (block.kind === "text" ? block.lineCount : 0))).toEqual([4001]);
});
