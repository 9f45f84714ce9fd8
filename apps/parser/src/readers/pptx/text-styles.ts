import type { OpcElement } from "../../containers/opc-element.ts";
import type { Bullet } from "../slide-lines.ts";
import { familyOf, inheritedShapes, type Placeholder, type SlidePart } from "./slide-reading.ts";

const noBullet: Bullet = { kind: "none", start: 1 };

/** Bullets of a shape's paragraphs by level, through its own list style and those of its layout and master. */
export class TextStyles {
  readonly #sources: readonly OpcElement[];
  readonly #byLevel = new Map<number, Bullet>();

  constructor(textBody: OpcElement | undefined, placeholder: Placeholder | undefined, slide: SlidePart) {
    const inherited = placeholder === undefined ? [] : inheritedShapes(placeholder, slide);
    const lists = [textBody, ...inherited.map((shape) => shape.child("p:txBody"))];
    this.#sources = [...lists.map((body) => body?.child("a:lstStyle")), masterStyle(placeholder, slide)].filter(
      (source) => source !== undefined,
    );
  }

  bulletOf(properties: OpcElement | undefined, level: number): Bullet {
    return readBullet(properties) ?? this.#inherited(level);
  }

  #inherited(level: number): Bullet {
    let bullet = this.#byLevel.get(level);
    if (bullet === undefined) {
      for (const source of this.#sources) bullet ??= readBullet(source.child(`a:lvl${level + 1}pPr`));
      bullet ??= noBullet;
      this.#byLevel.set(level, bullet);
    }
    return bullet;
  }
}

function masterStyle(placeholder: Placeholder | undefined, slide: SlidePart): OpcElement | undefined {
  const styles = (slide.parent?.parent ?? slide.parent)?.root.child("p:txStyles");
  if (placeholder === undefined) return styles?.child("p:otherStyle");
  const family = familyOf(placeholder.type);
  if (family === "title") return styles?.child("p:titleStyle");
  return family === "body" ? styles?.child("p:bodyStyle") : styles?.child("p:otherStyle");
}

function readBullet(properties: OpcElement | undefined): Bullet | undefined {
  for (const { name, attributes } of properties?.elements() ?? []) {
    if (name === "a:buNone") return noBullet;
    if (name === "a:buChar" || name === "a:buBlip") return { kind: "bullet", start: 1 };
    if (name === "a:buAutoNum") {
      const start = Number.parseInt(attributes.get("startAt") ?? "1", 10);
      return { kind: "ordered", start: start >= 1 && start <= 32_767 ? start : 1 };
    }
  }
  return undefined;
}
