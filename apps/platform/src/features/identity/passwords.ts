import { randomInt } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import { hash, verify } from "@node-rs/argon2";

// OWASP Password Storage Cheat Sheet: Argon2id with 19 MiB, 2 passes, 1 lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const minLength = 12;

export const hashPassword = (password: string): Promise<string> => hash(password.normalize("NFC"), cost);

let decoy: Promise<string> | undefined;

/** Whether a password is the one of a hash. Without a hash it takes as long, and is false. */
export async function isPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  const against = passwordHash ?? (await (decoy ??= hashPassword("nobody has this password")));
  const isRight = await verify(against, password.normalize("NFC"));
  return isRight && typeof passwordHash === "string";
}

const letters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A password to type once: 20 letters and digits that are not mistaken for one another, in groups; 115 bits. */
export function makeOneTimePassword(): string {
  const group = (): string => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join("");
  return Array.from({ length: 4 }, group).join("-");
}

// What lists of leaked passwords begin with, of those that are long enough to pass otherwise.
const common =
  /^(?:(?:password|passwort|qwertyuiop|qwerty|letmein|welcome|iloveyou|administrator|admin|attune|changeme|abc|1q2w3e4r|asdfghjkl)[\d\W_]*)+$|^(.{1,4})\1+$|^(?:0?1234567890?|9876543210?)+[\d]*$/i;

/** @throws AppError PASSWORD_TOO_WEAK */
export function requireStrong(password: string, email: string): void {
  const text = password.normalize("NFC");
  const isOwnName = text.toLowerCase().includes(email.toLowerCase()) || text.toLowerCase() === email.split("@")[0];
  if (Array.from(text).length >= minLength && !common.test(text) && !isOwnName) return;
  throw new AppError("PASSWORD_TOO_WEAK");
}
