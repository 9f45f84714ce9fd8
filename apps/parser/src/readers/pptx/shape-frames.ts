import type { OpcElement } from "../../containers/opc-element.ts";
import type { Box } from "../reading-order.ts";

/** How coordinates inside a group become those of the slide. */
export interface Frame {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly offsetX: number;
  readonly offsetY: number;
}

export const wholeSlide: Frame = { scaleX: 1, scaleY: 1, offsetX: 0, offsetY: 0 };

/** The frame of what lies inside a group (`a:xfrm` with child offset and extent, ECMA-376 part 1 §20.1.7.5). */
export function frameOf(group: OpcElement, outer: Frame): Frame {
  const transform = group.path("p:grpSpPr", "a:xfrm");
  const offset = pair(transform?.child("a:off"), "x", "y");
  const extent = pair(transform?.child("a:ext"), "cx", "cy");
  const childOffset = pair(transform?.child("a:chOff"), "x", "y");
  const childExtent = pair(transform?.child("a:chExt"), "cx", "cy");
  if (offset === undefined || extent === undefined || childOffset === undefined || childExtent === undefined)
    return outer;
  const scaleX = childExtent[0] > 0 ? extent[0] / childExtent[0] : 1;
  const scaleY = childExtent[1] > 0 ? extent[1] / childExtent[1] : 1;
  return {
    scaleX: outer.scaleX * scaleX,
    scaleY: outer.scaleY * scaleY,
    offsetX: outer.offsetX + outer.scaleX * (offset[0] - childOffset[0] * scaleX),
    offsetY: outer.offsetY + outer.scaleY * (offset[1] - childOffset[1] * scaleY),
  };
}

/** The place in EMU of the first of these shapes that has one: a shape, then those it inherits from. */
export function placeIn(frame: Frame, shapes: readonly OpcElement[]): Box | undefined {
  for (const shape of shapes) {
    const transform = shape.path("p:spPr", "a:xfrm") ?? shape.child("p:xfrm");
    const offset = pair(transform?.child("a:off"), "x", "y");
    const extent = pair(transform?.child("a:ext"), "cx", "cy");
    if (offset === undefined || extent === undefined) continue;
    const left = frame.offsetX + frame.scaleX * offset[0];
    const top = frame.offsetY + frame.scaleY * offset[1];
    return { left, top, right: left + frame.scaleX * extent[0], bottom: top + frame.scaleY * extent[1] };
  }
  return undefined;
}

function pair(element: OpcElement | undefined, first: string, second: string): [number, number] | undefined {
  if (element === undefined) return undefined;
  const values: [number, number] = [Number(element.get(first)), Number(element.get(second))];
  return values.every(Number.isFinite) ? values : undefined;
}
