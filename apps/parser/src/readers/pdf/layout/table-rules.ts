import type { Box, Rule } from "../page-content.ts";
import type { CrossRule } from "./table-frame.ts";

/** Rules looked at on one page; tables of more lines are read by those drawn first. */
const maxRules = 5000;
/** Lines this close, in points, are one. */
const levelSlack = 2.2;
const pieceGap = 4;
export const minTableWidth = 60;

/** Ends of ruling lines of one table differ no more than this, in points. */
export const endSlack = 6;

export interface PageRules {
  /** Lines across, put together from their pieces, top to bottom. */
  readonly across: readonly CrossRule[];
  readonly upright: readonly Rule[];
}

/** The lines of a page as they look, however they are drawn; edges of filled areas are lines too. */
export function joinRules(rules: readonly Rule[], shades: readonly Box[]): PageRules {
  const drawn = rules.slice(0, maxRules);
  const edges = shades.slice(0, maxRules).flatMap(edgesOf);
  const across = mergeCollinear([...drawn.filter(({ isHorizontal }) => isHorizontal), ...edges]);
  return { across, upright: drawn.filter(({ isHorizontal }) => !isHorizontal) };
}

// Upper and lower edge of a filled area that may be a row or a cell.
function edgesOf({ left, top, right, bottom }: Box): Box[] {
  if (right - left < 12 || bottom - top < 5 || bottom - top > 700) return [];
  return [
    { left, right, top, bottom: top },
    { left, right, top: bottom, bottom },
  ];
}

function mergeCollinear(rules: readonly Box[]): CrossRule[] {
  const levels: Box[][] = [];
  for (const rule of [...rules].sort((a, b) => a.top - b.top)) {
    const level = levels.at(-1);
    if (level?.[0] !== undefined && rule.top - level[0].top < levelSlack) level.push(rule);
    else levels.push([rule]);
  }
  return levels.flatMap((level) => mergeAlong(level.sort((a, b) => a.left - b.left)));
}

function mergeAlong(rules: readonly Box[]): CrossRule[] {
  const merged: { left: number; top: number; right: number; bottom: number; joints: number[] }[] = [];
  for (const { left, top, right, bottom } of rules) {
    const last = merged.at(-1);
    if (last === undefined || left > last.right + pieceGap) {
      merged.push({ left, top, right, bottom, joints: [] });
      continue;
    }
    if (left > last.right - pieceGap && left > last.left + pieceGap) last.joints.push((left + last.right) / 2);
    last.right = Math.max(last.right, right);
  }
  return merged;
}

/** Upright lines, put together from their pieces. */
export function joinUprights(upright: readonly Rule[]): Box[] {
  const turned = upright.map(({ left, top, right, bottom }) => ({
    left: top,
    top: left,
    right: bottom,
    bottom: right,
  }));
  return mergeCollinear(turned).map(({ left, top, right, bottom }) => ({
    left: top,
    top: left,
    right: bottom,
    bottom: right,
  }));
}

/** Lines that begin and end at the same places, each stack from top to bottom. */
export function stackRules(rules: readonly CrossRule[]): CrossRule[][] {
  const stacks: CrossRule[][] = [];
  const byLeft = new Map<number, CrossRule[][]>();
  for (const rule of rules) {
    const key = Math.round(rule.left / endSlack);
    const near = [key - 1, key, key + 1].flatMap((at) => byLeft.get(at) ?? []);
    const stack = near.find(([first]) => first !== undefined && isAligned(first, rule));
    if (stack !== undefined) {
      stack.push(rule);
      continue;
    }
    const made = [rule];
    stacks.push(made);
    const known = byLeft.get(key);
    if (known === undefined) byLeft.set(key, [made]);
    else known.push(made);
  }
  return stacks.filter((stack) => stack.length > 1);
}

function isAligned(a: Box, b: Box): boolean {
  return Math.abs(a.left - b.left) <= endSlack && Math.abs(a.right - b.right) <= endSlack;
}
