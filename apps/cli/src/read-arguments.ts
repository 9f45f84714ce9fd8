import { parseArgs } from "node:util";

export type CliCommand =
  | { readonly name: "up" | "doctor" | "doctor-storage" }
  | { readonly name: "reset"; readonly isConfirmed: boolean }
  | {
      readonly name: "help";
      /** What was wrong with the arguments; undefined when help was asked for. */
      readonly fault: string | undefined;
    };

const options = { yes: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;

/** The command that the arguments ask for; faults come back as help with the fault. */
export function readArguments(args: readonly string[]): CliCommand {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help === true || positionals.length === 0) return { name: "help", fault: undefined };
    return toCommand(positionals, values.yes);
  } catch (error) {
    return { name: "help", fault: error instanceof Error ? error.message : String(error) };
  }
}

function toCommand(words: readonly string[], yes: boolean | undefined): CliCommand {
  const command = words.join(" ");
  if (command === "reset") return { name: "reset", isConfirmed: yes ?? false };
  if (yes !== undefined) return { name: "help", fault: "--yes is an option of `reset`." };
  if (command === "up" || command === "doctor") return { name: command };
  if (command === "doctor storage") return { name: "doctor-storage" };
  return { name: "help", fault: `There is no command \`${command}\`.` };
}

export const helpText = `attune: documents into fine-tuned models

  attune up               Start everything and keep it running; Ctrl-C stops it
  attune doctor           Check this machine and what runs on it, one line each
  attune doctor storage   Compare every stored file with what the database says of it
  attune reset --yes      Delete the data folder: all accounts, datasets, models and files

Configuration comes from the environment and the file .env: docs/reference/configuration-start.md.
`;
