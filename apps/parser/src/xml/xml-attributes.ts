import { decodeEntities } from "./entities.ts";
import type { NameScope } from "./name-scope.ts";
import { scanAttributes } from "./scan-attributes.ts";

/** Attributes of one element; parsed when first asked for, at any time. */
export class XmlAttributes {
  readonly #raw: string;
  readonly #names: NameScope;
  #values: Map<string, string> | undefined;

  constructor(raw: string, names: NameScope) {
    this.#raw = raw;
    this.#names = names;
  }

  /** The value by the name that `namespaces` gives (`w:val`), entities resolved. */
  get(name: string): string | undefined {
    return this.#parsed().get(name);
  }

  entries(): IterableIterator<[string, string]> {
    return this.#parsed().entries();
  }

  #parsed(): Map<string, string> {
    if (this.#values === undefined) {
      const values = new Map<string, string>();
      scanAttributes(this.#raw, (name, rawValue) => {
        values.set(this.#names.resolveAttribute(name), decodeEntities(withoutBreaks(rawValue)));
      });
      this.#values = values;
    }
    return this.#values;
  }
}

// Breaks that are written out are spaces (XML 1.0, 3.3.3); those given by reference stay.
function withoutBreaks(rawValue: string): string {
  return /[\t\n\r]/.test(rawValue) ? rawValue.replace(/\r\n|[\t\n\r]/g, " ") : rawValue;
}
