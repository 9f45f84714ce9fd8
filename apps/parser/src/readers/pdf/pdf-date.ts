const form = /^\s*(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?\s*(?:([Zz])|([+-])(\d{2})'?(\d{2})?'?)?/;

/** ISO 8601 of a PDF date (ISO 32000-1, 7.9.4: `D:YYYYMMDDHHmmSSOHH'mm'`), as exact as the file gives it. */
export function parsePdfDate(text: string): string | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute = "00", second = "00", zulu, sign, zoneHour, zoneMinute = "00"] = match;
  const date = [year, month, day].filter(Boolean).join("-");
  if (Number.isNaN(Date.parse(date)) || day === undefined || hour === undefined) {
    return Number.isNaN(Date.parse(date)) ? undefined : date;
  }
  const zone = sign === undefined ? (zulu === undefined ? "" : "Z") : `${sign}${zoneHour}:${zoneMinute}`;
  const stamp = `${date}T${hour}:${minute}:${second}${zone}`;
  return Number.isNaN(Date.parse(stamp)) ? date : stamp;
}
