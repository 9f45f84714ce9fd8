import { expect, test } from "vitest";
import { type MailTruth, scoreMail } from "./score-mail.ts";

const truth: MailTruth = {
  subject: "Red roses",
  people: ["Ann", "ann@example.org"],
  bodies: ["one two three four", "One two three four"],
  names: ["list.pdf"],
  inside: [],
  isWhole: true,
};

test("an answer that has the message, its names and nothing else is whole", () => {
  const answer = "# Red roses\n\n- **From:** Ann \\<ann@example.org>\n\nOne *two* three four\n\nAttachment: list.pdf\n";

  expect(scoreMail([truth], answer)).toEqual({
    isRead: true,
    subject: 1,
    people: 1,
    body: 1,
    attachments: 1,
    ownWords: 1,
  });
});

test("words that are lost, and words of the raw source, cost their share", () => {
  const answer = "one three\nboundary charset boundary charset";

  expect(scoreMail([truth], answer)).toMatchObject({ subject: 0, people: 0, body: 0.5, attachments: 0 });
  expect(scoreMail([truth], answer).ownWords).toBeCloseTo(1 / 3);
});

test("no answer is nothing, and what the message has not got is not measured", () => {
  expect(scoreMail([truth], undefined)).toMatchObject({ isRead: false, subject: 0, body: 0, ownWords: 0 });
  const bare = { ...truth, subject: "", people: [], bodies: [""], names: [], isWhole: false };
  expect(scoreMail([bare], "x")).toEqual({
    isRead: true,
    subject: undefined,
    people: undefined,
    body: undefined,
    attachments: undefined,
    ownWords: undefined,
  });
});
