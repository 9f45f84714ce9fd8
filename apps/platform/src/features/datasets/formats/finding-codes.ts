import type { FindingSeverity } from "@attune/contracts/rest/dataset-formats.ts";

interface FindingEntry {
  readonly severity: FindingSeverity;
  readonly message: string;
  readonly remedy: string;
}

const error = (message: string, remedy: string): FindingEntry => ({ severity: "error", message, remedy });
const warning = (message: string, remedy: string): FindingEntry => ({ severity: "warning", message, remedy });
const notice = (message: string, remedy: string): FindingEntry => ({ severity: "notice", message, remedy });

const fileFindings = {
  ENCODING_UTF16: error("The file is UTF-16 or UTF-32.", "Save it again as UTF-8."),
  ENCODING_GBK: error("The file is GBK (GB18030).", "Save it again as UTF-8; iconv -f gb18030 -t utf-8 does it."),
  ENCODING_NOT_UTF8: error("The file holds bytes that are not UTF-8.", "Save it again as UTF-8."),
  BOM_REMOVED: notice("The file begins with a byte order mark, which was left out.", "Nothing has to be done."),
  FILE_EMPTY: error("The file holds no rows.", "Upload a file with at least one row."),
  SINGLE_OBJECT: error(
    "The file holds one JSON object instead of rows.",
    "Put the rows into an array, [ … ], or write one row on each line and name the file .jsonl.",
  ),
  WRAPPED_ARRAY: error(
    "The rows stand in an array inside an object.",
    "Save the array alone: the file must begin with [ and end with ].",
  ),
  ARRAY_IN_JSONL: warning(
    "The file is named .jsonl but holds a JSON array.",
    "It was read as an array. Name it .json, or write one row on each line.",
  ),
  LINES_IN_JSON: warning(
    "The file is named .json but holds one JSON value after another.",
    "It was read row by row. Name it .jsonl, or put the rows into an array.",
  ),
  PRETTY_PRINTED_JSONL: warning(
    "The rows of the .jsonl file take several lines each.",
    "They were read, but other programs will not. Write every row on one line.",
  ),
  TEXT_AFTER_ARRAY: error("Text follows the end of the array.", "Remove what stands after the closing ]."),
  ARRAY_NOT_CLOSED: error("The file ends before its array is closed.", "Upload the whole file: it was cut off."),
  MISSING_COMMA: error("A comma is missing between two rows.", "Put a comma after every row but the last."),
  TRAILING_COMMA: error("A comma stands where a row or a value should.", "Remove the comma."),
  KEYS_RENAMED: warning(
    "The rows use other keys than the format does.",
    "They were read under the right names. Confirm the mapping, or rename the keys in the file.",
  ),
  FORMAT_UNKNOWN: error(
    "The rows resemble no format of training data.",
    "Use the keys of Alpaca, ShareGPT, OpenAI messages, DPO, KTO or plain text, or map your keys to them.",
  ),
  CSV_NO_HEADER: error("The first line does not name the columns.", "Begin the file with a line of column names."),
  CSV_DELIMITER: error(
    "The columns are not separated by commas.",
    "Export the table with commas between the columns (RFC 4180).",
  ),
  CSV_DUPLICATE_COLUMN: error("Two columns have the same name.", "Rename one of the columns."),
  CSV_FIELD_COUNT: error(
    "The row has another number of fields than the header.",
    "Put fields that contain commas, quotes or line breaks into double quotes.",
  ),
  CSV_QUOTE: error(
    "A quoted field is not closed, or text follows its closing quote.",
    "Write a quote inside a field twice.",
  ),
} as const;

const syntaxFindings = {
  ROW_TOO_LONG: error(
    "The row is longer than 16 MiB.",
    "Cut the row into shorter ones; no model reads that much at once.",
  ),
  ROW_TOO_DEEP: error("The row is nested more than 32 levels deep.", "Flatten the row."),
  ROW_NOT_OBJECT: error("The row is not a JSON object.", 'Write every row as { "key": value, … }.'),
  ROW_NOT_CLOSED: error(
    "The row ends in the middle.",
    "Close every bracket and quotation mark, and write each row on one line.",
  ),
  SEVERAL_VALUES_IN_LINE: error("The line holds more than one JSON value.", "Write every row on a line of its own."),
  CONTROL_CHARACTER: error(
    "A line break or another control character stands inside a string.",
    "Write it as \\n, \\t or \\u00XX.",
  ),
  SINGLE_QUOTES: error("Strings stand in single quotes.", "Use double quotes; Python's json.dumps writes them."),
  PYTHON_LITERAL: error("True, False or None is not JSON.", "Write true, false or null; Python's json.dumps does."),
  NOT_FINITE: error("NaN and Infinity are not JSON.", "Write a number or null."),
  COMMENT: error("The file holds a comment, which JSON does not have.", "Remove the comment."),
  UNQUOTED_KEY: error("A key is not quoted.", "Put the key into double quotes."),
  BAD_ESCAPE: error("A backslash is followed by something it cannot escape.", "Write a backslash as \\\\."),
  JSON_SYNTAX: error("The row is not valid JSON.", "Mend the row at the place that is named."),
  DUPLICATE_KEY: warning("The same key stands twice in one object; programs use the last one.", "Remove one of them."),
  NUMBER_PRECISION: notice(
    "A number has more digits than programs usually keep.",
    "It is kept as written. Write identifiers as strings.",
  ),
} as const;

const contentFindings = {
  OTHER_FORMAT: error(
    "The row has another format than the file.",
    "Keep rows of one format in a file: trainers judge all rows by the first one.",
  ),
  KEY_MISSING: error("A required key is missing.", "Add the key, or map another key to it."),
  NOT_A_STRING: error("The value must be a string.", "Put the value into double quotes, or leave the row out."),
  NOT_A_LIST: error("The value must be an array.", "Write it as [ … ]."),
  NOT_AN_OBJECT: error("The value must be an object.", "Write it as { … }."),
  NOT_A_BOOLEAN: error(
    "The label must be true or false, without quotation marks.",
    "Write true or false: trainers ignore other labels without a word.",
  ),
  EMPTY_PROMPT: error("The prompt is empty.", "Fill it, or leave the row out."),
  EMPTY_OUTPUT: error("The answer is empty.", "Fill it, or leave the row out."),
  EMPTY_TEXT: error("The text is empty.", "Fill it, or leave the row out."),
  HISTORY_PAIR: error("An entry of history is not a pair of strings.", 'Write history as [["question", "answer"], …].'),
  UNKNOWN_ROLE: error("The role of the turn is unknown.", "Use one of the roles that the message names."),
  STARTS_WITH_ASSISTANT: error("The conversation starts with an answer.", "Begin it with a turn of the user."),
  CONSECUTIVE_ROLE: error(
    "Two turns of one side follow each other.",
    "Join them, or put the missing turn between them: LLaMA-Factory drops such rows.",
  ),
  UNEVEN_ROLES: warning(
    "Two turns of one side follow each other.",
    "Many chat templates and LLaMA-Factory refuse such conversations. Join the turns.",
  ),
  SYSTEM_NOT_FIRST: error("A system turn stands in the middle.", "Move it to the beginning."),
  SYSTEM_TWICE: warning("The row has a system turn and a system column.", "The turn counts. Remove one of them."),
  NO_ANSWER: error("The conversation does not end with an answer.", "Add the answer, or remove the last turn."),
  ENDS_WITH_ANSWER: error(
    "The prompt of a preference row ends with an answer.",
    "Leave the answer out of the conversation: it belongs into chosen and rejected.",
  ),
  TOO_FEW_TURNS: error("The conversation has fewer than two turns.", "Add a question and an answer."),
  TOOL_CALL_INVALID: error(
    'A call of a tool is not {"name", "arguments"}.',
    "Write the name as a string and the arguments as an object.",
  ),
  TOOL_WITHOUT_CALL: error("The result of a tool follows no call.", "Put the call of the tool before it."),
  TOOLS_INVALID: error(
    "The tools are not a JSON array of objects.",
    "Write them as a JSON string that holds an array.",
  ),
  TOOLS_AS_VALUE: notice(
    "The tools stand as JSON, not as a JSON string.",
    "They become a string wherever a format asks for one.",
  ),
  CONTENT_PARTS: error(
    "The content is a list of parts.",
    "Write it as one string; parts are for pictures, which are not trained here.",
  ),
  WEIGHT_INVALID: error("The weight must be 0 or 1.", "Write 0 or 1, or leave it out."),
  MEDIA_IGNORED: warning(
    "The row names pictures, sounds or films.",
    "Only its text is trained. Leave the row out if it needs them.",
  ),
  ROLE_MAPPED: notice("A role has the name of another format.", "It was read as the role that is meant."),
  MIXED_PREFERENCE: error(
    "Strings and messages are mixed.",
    "Write prompt, chosen and rejected all as strings or all as messages.",
  ),
  NO_COMMON_PROMPT: error(
    "chosen and rejected share no beginning that could be the prompt.",
    "Add the key prompt, or let both begin with the same turns.",
  ),
  CHOSEN_EQUALS_REJECTED: warning("chosen and rejected are the same.", "Such a pair teaches nothing. Leave it out."),
  DUPLICATE_ROW: warning(
    "The row says the same as an earlier one.",
    "Remove duplicates when you split or export the dataset.",
  ),
  IN_HELD_OUT_SET: warning(
    "The row stands in the evaluation data, too.",
    "Leave it out, or the evaluation will be too good.",
  ),
  LONE_SURROGATE: warning(
    "The text holds half a character (a lone surrogate).",
    "Replace it: it is not valid Unicode.",
  ),
  REPLACEMENT_CHARACTER: warning(
    "The text holds U+FFFD, the mark of characters that were lost.",
    "Export the text again with the right encoding.",
  ),
  SPECIAL_TOKEN: warning(
    "The text holds a control token of a chat template.",
    "Remove it, or the model may take it for the end of a turn.",
  ),
  DUPLICATE_BOS: warning("The text begins with a beginning-of-text token.", "Remove it: the tokenizer adds it."),
  WINDOWS_NEWLINE: notice(
    "The text holds Windows line ends.",
    "The model learns them, too. Replace \\r\\n by \\n if that is not meant.",
  ),
  LONGER_THAN_CONTEXT: warning(
    "The row has more tokens than are trained.",
    "Raise the maximum length, or shorten the row: its end would be cut off.",
  ),
  UNUSED_KEY: notice("The key is not used in training.", "Nothing has to be done."),
  CPT_LOOKS_LIKE_QA: warning(
    "The text looks like a question with its answer.",
    "Train pairs as Alpaca or ShareGPT; plain text learns no answering.",
  ),
  ONE_LABEL_ONLY: error("All rows have the same label.", "KTO needs rows with true and rows with false."),
  LABELS_UNBALANCED: warning(
    "One label is more than four times as frequent as the other.",
    "Add rows of the rarer label, or set the weights of the training.",
  ),
} as const;

/** Everything that reading and validating a dataset can say, with the sentence and the remedy that users see. */
export const findingCodes = { ...fileFindings, ...syntaxFindings, ...contentFindings };
export type FindingCode = keyof typeof findingCodes;
