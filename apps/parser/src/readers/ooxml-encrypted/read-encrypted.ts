import { AppError } from "@attune/service-kit/app-error.ts";
import type { ReadDocument } from "../reader.ts";
import { createAgileCipher } from "./agile-cipher.ts";
import { openCompound } from "../../containers/open-compound.ts";
import { createStandardCipher } from "./standard-cipher.ts";

/** Gives the package for a password, or undefined when the password is wrong. */
export type OpenPackage = (password: string) => Uint8Array | undefined;

/** The password of files that Office protects against change and not against reading. */
const defaultPassword = "VelvetSweatshop";

/**
 * Office Open XML files encrypted with a password ([MS-OFFCRYPTO] 2.3.4): decrypted, and read with the reader of what is
 * inside.
 */
export const readEncrypted: ReadDocument = async (input, context) => {
  const streams = openCompound(input.bytes);
  const description = streams.read("EncryptionInfo");
  const encrypted = streams.read("EncryptedPackage");
  if (description === undefined || encrypted === undefined || encrypted.length < 8 || description.length < 8) {
    throw new AppError("DOCUMENT_CORRUPT", { detail: "Its encrypted package is not complete." });
  }
  context.budget.takeExpandedBytes(encrypted.length);
  const open = chooseCipher(description, encrypted);
  const { password } = context.options;
  const bytes = open(password ?? defaultPassword);
  if (bytes === undefined) throw new AppError(password === undefined ? "PASSWORD_REQUIRED" : "PASSWORD_WRONG");
  return context.readPart({ bytes, fileName: input.fileName, isOwnText: true });
};

function chooseCipher(description: Buffer, encrypted: Buffer): OpenPackage {
  const [major, minor] = [description.readUInt16LE(0), description.readUInt16LE(2)];
  if (major === 4 && minor === 4) return createAgileCipher(description, encrypted);
  if (minor === 2 && major >= 2 && major <= 4) return createStandardCipher(description, encrypted);
  throw new AppError("ENCRYPTION_UNSUPPORTED", { detail: `Its encryption is of version ${major}.${minor}.` });
}
