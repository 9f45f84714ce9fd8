import * as z from "zod";
import { platformReasons } from "../errors/platform-reasons.ts";

/** An opaque id of a record: a UUID of version 7. In capitals it is the same one. */
export const idSchema = z.uuid().toLowerCase().meta({ description: "Opaque id" });
export const timeSchema = z.iso.datetime().meta({ description: "UTC, ISO 8601" });
export const sizeSchema = z.int().nonnegative().meta({ description: "Bytes" });

const nameLength = 200;
/**
 * A name as people type it: NFC, no control characters, no blanks at its ends, inner blanks kept. Two names are the same when
 * they differ in case only.
 */
export const nameSchema = z
  .string()
  .transform((name) => name.normalize("NFC").trim())
  .pipe(
    z
      .string()
      .min(1)
      .max(nameLength)
      // oxlint-disable-next-line no-control-regex -- control characters are what is refused
      .regex(/^[^\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]*$/u, {
        error: "must not hold control or invisible characters",
      }),
  );

export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).meta({ description: "Records of one page" }),
  cursor: z.string().max(500).optional().meta({ description: "`next_cursor` of the page before" }),
});

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    items: z.array(item),
    next_cursor: z.string().nullable().meta({ description: "Null on the last page" }),
  });

/** RFC 9457 with the platform's members. */
export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().meta({ description: "Canonical code, as in google.rpc.Code" }),
    reason: z.string().meta({ description: `One of ${Object.keys(platformReasons).join(", ")}` }),
    remedy: z.string(),
    request_id: z.string(),
    violations: z.array(z.strictObject({ pointer: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: "Problem" });

export type Problem = z.infer<typeof problemSchema>;
