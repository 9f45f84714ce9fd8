import type { Metadata } from "../../document/document.ts";

/** What \info says, from its members by name (`title`, `creatim.yr`). */
export function toMetadata(information: ReadonlyMap<string, string>): Metadata {
  const get = (name: string): string | undefined => information.get(name)?.trim() || undefined;
  const title = get("title");
  const author = get("author");
  const subject = get("subject");
  const keywords = get("keywords")
    ?.split(/[,;]/)
    .map((word) => word.trim())
    .filter(Boolean);
  const createdAt = timeOf(information, "creatim");
  const modifiedAt = timeOf(information, "revtim");
  return {
    ...(title !== undefined && { title }),
    ...(author !== undefined && { authors: [author] }),
    ...(subject !== undefined && { subject }),
    ...(keywords !== undefined && { keywords }),
    ...(createdAt !== undefined && { createdAt }),
    ...(modifiedAt !== undefined && { modifiedAt }),
  };
}

// RTF tells no time zone.
function timeOf(information: ReadonlyMap<string, string>, name: string): string | undefined {
  const part = (unit: string): number => Number(information.get(`${name}.${unit}`) ?? 0);
  const [year, month, day] = [part("yr"), part("mo"), part("dy")];
  const isDate = year >= 1980 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  if (!isDate) return undefined;
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)}T${two(part("hr"))}:${two(part("min"))}:${two(part("sec"))}`;
}
