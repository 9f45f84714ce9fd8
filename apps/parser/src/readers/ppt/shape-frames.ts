import type { Box } from "../reading-order.ts";
import { findRecord, recordType } from "./records.ts";

/** How coordinates inside a group become those of the slide. */
export interface Frame {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly offsetX: number;
  readonly offsetY: number;
}

export const wholeSlide: Frame = { scaleX: 1, scaleY: 1, offsetX: 0, offsetY: 0 };

/** The place of a shape in units of 1/576 inch, by its anchor in the slide or in its group ([MS-PPT] 2.7.1, [MS-ODRAW] 2.2.39). */
export function placeIn(frame: Frame, shape: Buffer): Box | undefined {
  const box = readAnchor(shape);
  if (box === undefined) return undefined;
  return {
    left: frame.offsetX + frame.scaleX * box.left,
    top: frame.offsetY + frame.scaleY * box.top,
    right: frame.offsetX + frame.scaleX * box.right,
    bottom: frame.offsetY + frame.scaleY * box.bottom,
  };
}

/** The frame of what lies inside a group, by the shape that stands for the group and its own coordinates. */
export function frameInside(group: Buffer, outer: Frame): Frame {
  const place = placeIn(outer, group);
  const inner = findRecord(group, recordType.artGroupFrame)?.body;
  if (place === undefined || inner === undefined || inner.length < 16) return outer;
  const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => inner.readInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  if (right <= left || bottom <= top) return outer;
  const scaleX = (place.right - place.left) / (right - left);
  const scaleY = (place.bottom - place.top) / (bottom - top);
  return { scaleX, scaleY, offsetX: place.left - scaleX * left, offsetY: place.top - scaleY * top };
}

function readAnchor(shape: Buffer): Box | undefined {
  const child = findRecord(shape, recordType.artChildAnchor)?.body;
  if (child !== undefined && child.length >= 16) {
    const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => child.readInt32LE(at));
    return boxOf([left, right], [top, bottom]);
  }
  const client = findRecord(shape, recordType.artClientAnchor)?.body;
  if (client === undefined || client.length < 8) return undefined;
  const [top, left, right, bottom] =
    client.length >= 16
      ? [0, 4, 8, 12].map((at) => client.readInt32LE(at))
      : [0, 2, 4, 6].map((at) => client.readInt16LE(at));
  return boxOf([left, right], [top, bottom]);
}

type Edges = readonly [number | undefined, number | undefined];

function boxOf([left = 0, right = 0]: Edges, [top = 0, bottom = 0]: Edges): Box {
  return {
    left: Math.min(left, right),
    top: Math.min(top, bottom),
    right: Math.max(left, right),
    bottom: Math.max(top, bottom),
  };
}
