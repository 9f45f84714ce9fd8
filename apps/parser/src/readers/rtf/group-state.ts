/** Where text goes while a group is open. */
export type Destination =
  | "body"
  | "skip"
  | "fonts"
  | "styles"
  | "lists"
  | "listOverrides"
  | "information"
  | "fieldInstruction"
  | "formula"
  | "listText"
  | "picture"
  | "pictureAlt";

/** What a group inherits and its end restores. */
export interface GroupState {
  destination: Destination;
  font: number | undefined;
  isBold: boolean;
  isItalic: boolean;
  script: "super" | "sub" | undefined;
  isHidden: boolean;
  isDeleted: boolean;
  /** How many bytes after \u stand for its character to readers that know no Unicode. */
  fallbackLength: number;
  link: string | undefined;
  /** Which member of \info the text is. */
  property: string | undefined;
  paragraph: ParagraphState;
}

export interface ParagraphState {
  readonly style: number | undefined;
  /** Zero-based; 9 is body text. */
  readonly outlineLevel: number | undefined;
  readonly listId: number | undefined;
  readonly listLevel: number;
  /** 0 outside of tables. */
  readonly tableDepth: number;
}

export const plainParagraph: ParagraphState = {
  style: undefined,
  outlineLevel: undefined,
  listId: undefined,
  listLevel: 0,
  tableDepth: 0,
};

export function initialState(): GroupState {
  return { destination: "body", fallbackLength: 1, property: undefined, paragraph: plainParagraph, ...plainCharacters };
}

/** What \plain resets. */
export const plainCharacters = {
  font: undefined,
  isBold: false,
  isItalic: false,
  script: undefined,
  isHidden: false,
  isDeleted: false,
  link: undefined,
} as const;
