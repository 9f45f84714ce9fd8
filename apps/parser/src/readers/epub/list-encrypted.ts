import { decodeText } from "../../text/decode-text.ts";
import { childElements, findDescendant, parseXmlTree, type XmlElement } from "../../xml/xml-tree.ts";
import type { BookFiles } from "./book-files.ts";

// Obfuscation of fonts, which is no protection of the text (EPUB 3.3, 4.2.7, and Adobe's older way).
const fontObfuscation = new Set(["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"]);

/** Names of the files that `META-INF/encryption.xml` says are really encrypted. @throws AppError as `walkXml` does. */
export function listEncrypted(files: BookFiles, maxDepth: number): Set<string> {
  const bytes = files.read("META-INF/encryption.xml");
  const encrypted = new Set<string>();
  if (bytes === undefined) return encrypted;
  collect(parseXmlTree(decodeText(bytes).text, maxDepth), (element) => {
    const method = findDescendant(element, "EncryptionMethod")?.attributes.get("Algorithm") ?? "";
    const reference = findDescendant(element, "CipherReference")?.attributes.get("URI");
    if (reference !== undefined && !fontObfuscation.has(method)) encrypted.add(files.resolve("", reference));
  });
  return encrypted;
}

function collect(element: XmlElement, visit: (element: XmlElement) => void): void {
  for (const child of childElements(element)) {
    if (child.name === "EncryptedData") visit(child);
    else collect(child, visit);
  }
}
