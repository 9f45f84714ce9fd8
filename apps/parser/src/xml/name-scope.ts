import { decodeEntities } from "./entities.ts";
import { scanAttributes } from "./scan-attributes.ts";

/** What prefixes mean at one place of a document (Namespaces in XML 1.0). Immutable, so it may be asked at any later time. */
export interface NameScope {
  /** The scope inside a tag with these attributes. */
  enter(rawAttributes: string): NameScope;
  resolve(rawName: string): string;
  resolveAttribute(rawName: string): string;
}

/** Resolves names to the prefixes wanted for their namespaces; without `namespaces`, names stay as they are written. */
export function createNameScope(namespaces: Readonly<Record<string, string>> | undefined): NameScope {
  if (namespaces === undefined) return rawNames;
  return new MappedNames({ wanted: new Map(Object.entries(namespaces)), declared: new Map(), outer: undefined });
}

const rawNames: NameScope = {
  enter: () => rawNames,
  resolve: (rawName) => rawName,
  resolveAttribute: (rawName) => rawName,
};

interface ScopeParts {
  /** Namespace → prefix wanted. */
  readonly wanted: ReadonlyMap<string, string>;
  /** Prefix in the file → prefix wanted, of this scope's own declarations; the default namespace has the prefix "". */
  readonly declared: ReadonlyMap<string, string>;
  readonly outer: ScopeParts | undefined;
}

/** Names kept for the next time they occur; a file with more different ones is no document. */
const maxResolved = 4096;

class MappedNames implements NameScope {
  readonly #parts: ScopeParts;
  readonly #resolved = new Map<string, string>();

  constructor(parts: ScopeParts) {
    this.#parts = parts;
  }

  enter(rawAttributes: string): NameScope {
    if (!rawAttributes.includes("xmlns")) return this;
    const declared = new Map<string, string>();
    scanAttributes(rawAttributes, (name, rawValue) => {
      if (name === "xmlns") declared.set("", this.#wantedFor(rawValue) ?? "");
      else if (name.startsWith("xmlns:")) declared.set(name.slice(6), this.#wantedFor(rawValue) ?? name.slice(6));
    });
    // Programs repeat their declarations on element after element; those that change nothing cost nothing.
    for (const [prefix, wanted] of declared) if (this.#lookUp(prefix) === wanted) declared.delete(prefix);
    return declared.size === 0 ? this : new MappedNames({ ...this.#parts, declared, outer: this.#parts });
  }

  resolve(rawName: string): string {
    let name = this.#resolved.get(rawName);
    if (name === undefined) {
      name = this.#rename(rawName, rawName.indexOf(":"));
      if (this.#resolved.size < maxResolved) this.#resolved.set(rawName, name);
    }
    return name;
  }

  // An attribute without a prefix is in no namespace, whatever the default is.
  resolveAttribute(rawName: string): string {
    const colonAt = rawName.indexOf(":");
    return colonAt === -1 || rawName.startsWith("xmlns:") ? rawName : this.#rename(rawName, colonAt);
  }

  #wantedFor(rawNamespace: string): string | undefined {
    return this.#parts.wanted.get(decodeEntities(rawNamespace));
  }

  #rename(rawName: string, colonAt: number): string {
    const prefix = this.#lookUp(colonAt === -1 ? "" : rawName.slice(0, colonAt));
    const localName = rawName.slice(colonAt + 1);
    return prefix === "" ? localName : `${prefix}:${localName}`;
  }

  // What nobody declared keeps its prefix.
  #lookUp(prefix: string): string {
    let scope: ScopeParts | undefined = this.#parts;
    while (scope !== undefined) {
      const wanted = scope.declared.get(prefix);
      if (wanted !== undefined) return wanted;
      scope = scope.outer;
    }
    return prefix;
  }
}
