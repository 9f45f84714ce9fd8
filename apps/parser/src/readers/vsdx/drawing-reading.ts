import { type OpcElement, parseOpcElement } from "../../containers/opc-element.ts";
import { attempt, decodeXml, type OpcPackage } from "../../containers/opc-package.ts";
import type { ReadContext } from "../reader.ts";

interface ListedPart {
  readonly element: OpcElement;
  readonly partName: string;
}

/** What is known while one drawing is read, and told at its end. */
export class DrawingReading {
  readonly opc: OpcPackage;
  readonly context: ReadContext;
  shapeDataCount = 0;
  /** Shapes that hide a text of their own; those of masters are only for when it is switched on. */
  hiddenTextCount = 0;
  backgroundPageCount = 0;
  #masters: ReadonlyMap<string, MasterShapes> | undefined;

  constructor(opc: OpcPackage, context: ReadContext) {
    this.opc = opc;
    this.context = context;
  }

  /** A part as a tree; undefined, and told, when it is damaged. */
  readTree(partName: string): OpcElement | undefined {
    let root: OpcElement | undefined;
    const warn = (sentence: string): void => this.context.warn(sentence);
    attempt(partName, warn, () => {
      const bytes = this.opc.read(partName);
      if (bytes !== undefined) root = parseOpcElement(decodeXml(bytes), this.context.budget.limits.maxMarkupDepth);
    });
    return root;
  }

  /** The parts that a list such as that of the pages leads to, in its order. */
  listParts(listName: string, elementName: string): ListedPart[] {
    const relationships = this.opc.relationshipsOf(listName);
    return (this.readTree(listName)?.elements(elementName) ?? []).flatMap((element) => {
      const relationship = relationships.byId(element.child("Rel")?.get("r:id"));
      return relationship === undefined || relationship.isExternal ? [] : [{ element, partName: relationship.target }];
    });
  }

  /** The shapes of a master by its number. */
  masterOf(id: string | undefined): MasterShapes | undefined {
    this.#masters ??= new Map(
      this.listParts("visio/masters/masters.xml", "Master").map(({ element, partName }) => [
        element.get("ID") ?? "",
        new MasterShapes(() => this.readTree(partName)),
      ]),
    );
    return id === undefined ? undefined : this.#masters.get(id);
  }

  tellLosses(): void {
    const { context, shapeDataCount, hiddenTextCount, backgroundPageCount } = this;
    if (backgroundPageCount > 0) {
      context.warn(`Background pages were left out (${backgroundPageCount}). Ask for them with \`headers_footers\`.`);
    }
    if (hiddenTextCount > 0) context.warn(`Hidden text of shapes was left out (${hiddenTextCount}).`);
    if (shapeDataCount > 0) context.warn(`Data behind shapes were left out (fields: ${shapeDataCount}).`);
    const comments =
      this.opc.read("visio/comments.xml") === undefined ? undefined : this.readTree("visio/comments.xml");
    const commentCount = comments?.descendants("CommentEntry").length ?? 0;
    if (commentCount > 0) context.warn(`Comments were left out (${commentCount}).`);
  }
}

/** Shapes that others are made after, read when first asked for. */
export class MasterShapes {
  readonly #load: () => OpcElement | undefined;
  #first: OpcElement | undefined;
  #byId: ReadonlyMap<string, OpcElement> | undefined;

  constructor(load: () => OpcElement | undefined) {
    this.#load = load;
  }

  /** The shape of this number, the outermost when none is given. */
  find(id: string | undefined): OpcElement | undefined {
    if (this.#byId === undefined) {
      const shapes = listShapes(this.#load());
      this.#first = shapes[0];
      this.#byId = new Map(shapes.map((shape) => [shape.get("ID") ?? "", shape]));
    }
    return id === undefined ? this.#first : this.#byId.get(id);
  }
}

function listShapes(parent: OpcElement | undefined): OpcElement[] {
  return (parent?.child("Shapes")?.elements("Shape") ?? []).flatMap((shape) => [shape, ...listShapes(shape)]);
}
