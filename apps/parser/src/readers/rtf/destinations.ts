import { FormulaBuilder } from "./formula-builder.ts";
import type { Destination } from "./group-state.ts";
import type { Interpreter } from "./interpreter.ts";

const simple: Readonly<Record<string, Destination>> = {
  fonttbl: "fonts",
  stylesheet: "styles",
  listtable: "lists",
  listoverridetable: "listOverrides",
  info: "information",
  listtext: "listText",
  pntext: "listText",
};

// Things that are no text, stand in the file twice, or are for programs only.
const skipped = new Set(
  (
    "colortbl bkmkstart bkmkend xe tc tcn rxe annotation atnid atnauthor atnref atntime atndate atnparent atnicn atrfstart " +
    "atrfend objdata objclass objname objalias objsect shprslt nonshppict nonesttables datafield fontemb falt panose private revtbl rsidtbl generator " +
    "template filetbl pn pnseclvl pntxta pntxtb leveltext levelnumbers listname listpicture ftnsep ftnsepc ftncn aftnsep " +
    "aftnsepc aftncn themedata datastore colorschememapping latentstyles xmlnstbl mmathPr mmathPict moMathParaPr keycode blipuid bliptag macpict " +
    "formfield userprops docvar background operator company upr"
  ).split(" "),
);
const headsAndFeet = new Set("header headerl headerr headerf footer footerl footerr footerf".split(" "));
const special = new Set(
  "footnote pict fldinst fldrslt shptxt dptxbxtext ud sn sv nesttableprops list moMath".split(" "),
);

/** Ignorable destinations (\*) that are known; the others are skipped. */
export const starDestinations: ReadonlySet<string> = new Set(
  (
    "fldinst listtable listoverridetable shppict shpinst cs ds ts ud nesttableprops footnote do picprop moMath moMathPara " +
    "moMathParaPr mmath"
  ).split(" "),
);

/** What kind of destination a word opens; undefined for words that open none. */
export function destinationOf(name: string): "known" | undefined {
  const isKnown = Object.hasOwn(simple, name) || skipped.has(name) || headsAndFeet.has(name) || special.has(name);
  return isKnown ? "known" : undefined;
}

/** Turns the innermost group into the destination a word names. */
export function openDestination(interpreter: Interpreter, name: string): void {
  const { state } = interpreter;
  // Nothing inside a skipped group matters but the Unicode twin of its text.
  if (state.destination === "skip" && name !== "ud") return;
  if (skipped.has(name)) state.destination = "skip";
  else if (headsAndFeet.has(name)) openHeadOrFoot(interpreter);
  else if (special.has(name)) openers[name]?.(interpreter);
  else openSimple(interpreter, simple[name] ?? "skip");
}

function openSimple(interpreter: Interpreter, destination: Destination): void {
  interpreter.state.destination = destination;
}

function openHeadOrFoot(interpreter: Interpreter): void {
  if (interpreter.context.options.headersFooters === "drop") interpreter.state.destination = "skip";
  else openBox(interpreter);
}

// Text that stands apart and is placed where it is anchored.
function openBox(interpreter: Interpreter): void {
  const { builder, frame, state } = interpreter;
  state.destination = "body";
  builder.openContainer();
  frame.onClose = () => builder.place(builder.closeContainer(state.paragraph));
}

const openers: Readonly<Record<string, (interpreter: Interpreter) => void>> = {
  shptxt: openBox,
  dptxbxtext: openBox,
  footnote: ({ builder, frame, state, frames }) => {
    const around = frames.at(-2)?.state ?? state;
    state.script = undefined;
    builder.openContainer();
    frame.onClose = () => builder.note(builder.closeContainer(state.paragraph), { ...around, script: undefined });
  },
  pict: (interpreter) => {
    const { frame, state } = interpreter;
    const isShown = state.destination === "body" && !state.isHidden;
    state.destination = "picture";
    interpreter.pictureAlt = "";
    frame.onClose = () => {
      if (isShown) interpreter.builder.inline({ type: "image", alt: interpreter.pictureAlt }, state);
    };
  },
  fldinst: (interpreter) => {
    const { frame, state } = interpreter;
    if (state.destination !== "body") return;
    state.destination = "fieldInstruction";
    interpreter.captured = "";
    frame.onClose = () => {
      interpreter.instruction = interpreter.captured;
    };
  },
  fldrslt: (interpreter) => {
    const target = linkTarget(interpreter.instruction);
    interpreter.instruction = "";
    if (target !== undefined) interpreter.state.link = target;
  },
  ud: ({ frames, state }) => {
    state.destination = frames.at(-3)?.state.destination ?? "body";
  },
  moMath: (interpreter) => {
    const { frame, state } = interpreter;
    if (state.destination !== "body") return;
    const formula = new FormulaBuilder();
    const isShown = !state.isHidden && !state.isDeleted;
    const around = { ...state };
    interpreter.formula = formula;
    state.destination = "formula";
    frame.onClose = () => {
      const text = formula.toLatex();
      if (isShown && text !== "") interpreter.builder.inline({ type: "formula", notation: "latex", text }, around);
    };
  },
  nesttableprops: ({ frame, rows }) => {
    rows.isNested = true;
    frame.onClose = () => {
      rows.isNested = false;
    };
  },
  list: ({ frame, headerTables, state }) => {
    if (state.destination !== "lists") return;
    frame.onClose = () => headerTables.endList();
  },
  sn: (interpreter) =>
    capture(interpreter, (text) => {
      interpreter.shapeProperty = text;
    }),
  sv: (interpreter) =>
    capture(interpreter, (text) => {
      if (interpreter.shapeProperty === "wzDescription") interpreter.pictureAlt = text;
    }),
};

function capture(interpreter: Interpreter, take: (text: string) => void): void {
  interpreter.state.destination = "pictureAlt";
  interpreter.captured = "";
  interpreter.frame.onClose = () => take(interpreter.captured.trim());
}

// HYPERLINK "address" \l "place in it"
function linkTarget(instruction: string): string | undefined {
  const field = instruction.slice(0, maxInstructionLength);
  if (!/^\s*HYPERLINK\b/i.test(field)) return undefined;
  const place = /\\l\s+"([^"]*)"/.exec(field)?.[1];
  const address = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]\S*))/i.exec(field);
  const target = (address?.[1] ?? address?.[2] ?? "") + (place === undefined ? "" : `#${place}`);
  return target === "" ? undefined : target;
}

const maxInstructionLength = 4096;
