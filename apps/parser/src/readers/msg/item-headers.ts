import type { FieldsData } from "@kenjiuno/msgreader";

/** What Outlook shows above an item, by its kind. */
export function headerLines(fields: FieldsData): [string, string][] {
  return [
    ["From", senderOf(fields)],
    ["To", peopleOf(fields, "to")],
    ["Cc", peopleOf(fields, "cc")],
    ["Bcc", peopleOf(fields, "bcc")],
    ["Date", dateText(fields.messageDeliveryTime) || dateText(fields.clientSubmitTime)],
    ["Start", dateText(fields.apptStartWhole)],
    ["End", dateText(fields.apptEndWhole)],
    ["Location", clean(fields.apptLocation) || clean(fields.location)],
    ...contactLines(fields),
  ];
}

function contactLines(fields: FieldsData): [string, string][] {
  if (!/^IPM\.Contact\b/i.test(fields.messageClass ?? "")) return [];
  return [
    ["Name", clean(fields.name)],
    ["Company", clean(fields.companyName)],
    ["Title", clean(fields.title)],
    ["Phone", clean(fields.businessTelephoneNumber)],
    ["Mobile", clean(fields.mobileTelephoneNumber)],
    ["Address", clean(fields.workAddress) || clean(fields.postalAddress)],
    ["Web page", clean(fields.businessHomePage)],
  ];
}

export function senderOf(fields: FieldsData): string {
  const address = [fields.senderSmtpAddress, fields.creatorSMTPAddress, fields.senderEmail].find(isInternetAddress);
  return person(clean(fields.senderName), clean(address));
}

export function itemDate(fields: FieldsData): Date | undefined {
  const times = [fields.messageDeliveryTime, fields.clientSubmitTime, fields.creationTime];
  return times.map(toDate).find((date) => date !== undefined);
}

function peopleOf({ recipients = [] }: FieldsData, kind: "to" | "cc" | "bcc"): string {
  return recipients
    .filter(({ recipType = "to" }) => recipType === kind)
    .map(({ name, smtpAddress, email }) => person(clean(name), clean([smtpAddress, email].find(isInternetAddress))))
    .filter((text) => text !== "")
    .join(", ");
}

// Exchange gives directory paths (`/O=…/CN=…`) where mail has addresses.
function isInternetAddress(address: string | undefined): boolean {
  return address?.includes("@") === true;
}

function person(name: string, address: string): string {
  const bare = name.replace(/^'(.*)'$/, "$1");
  if (bare === "" || bare === address) return address;
  return address === "" ? bare : `${bare} <${address}>`;
}

function dateText(value: string | undefined): string {
  return toDate(value)?.toUTCString().replace("GMT", "+0000") ?? "";
}

// The beginning of Windows time means that none was set.
function toDate(value: string | undefined): Date | undefined {
  const date = new Date(value ?? "");
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() <= 1601 ? undefined : date;
}

function clean(text: string | undefined): string {
  return (text ?? "")
    .replace(/\p{Cc}+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}
