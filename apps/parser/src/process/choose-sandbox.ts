import { killGroup } from "./kill-group.ts";
import {
  createSandbox,
  findSandboxTools,
  type IsolationLevel,
  isolationLevels,
  type Sandbox,
  type SandboxedProcess,
  type SandboxSettings,
  type SandboxTools,
} from "./sandbox.ts";
import { createTextTail } from "./text-tail.ts";

/** `auto`: the best level that works here. A level: that one or a better one, or none at all. */
export type IsolationDemand = "auto" | "process" | "bubblewrap";

export interface ChosenSandbox {
  readonly sandbox: Sandbox;
  /** Why each better level does not work here, one sentence each. */
  readonly refusals: readonly string[];
}

/**
 * Tries the levels from the best down by really starting a process at each, and keeps the first that holds.
 * @throws Error that says why the demanded level cannot be reached, and what to do.
 */
export async function chooseSandbox(demand: IsolationDemand, settings: SandboxSettings): Promise<ChosenSandbox> {
  const tools = await findSandboxTools(settings.nodePath);
  const refusals: string[] = [];
  const least = demand === "auto" ? 0 : isolationLevels.indexOf(demand);
  for (const level of isolationLevels.slice(least).toReversed()) {
    const refusal = missingTools(level, tools) ?? (await tryLevel(level, settings, tools));
    if (refusal === undefined) return { sandbox: createSandbox(level, settings, tools), refusals };
    refusals.push(`${level}: ${refusal}`);
  }
  throw new Error(`PARSER_ISOLATION=${demand} cannot be reached here. ${refusals.join(" ")} ${remedies[demand]}`);
}

const remedies: Record<IsolationDemand, string> = {
  auto: "Check that this Node can start child processes.",
  process: "Install util-linux, or set PARSER_ISOLATION=auto to run with less isolation.",
  bubblewrap:
    "Install bubblewrap and let this user create user namespaces (in a container: a seccomp and AppArmor profile that " +
    "allow it), or set PARSER_ISOLATION=process or auto to run with less isolation.",
};

function missingTools(level: IsolationLevel, { prlimit, setpriv, bwrap }: SandboxTools): string | undefined {
  if (level === "none") return undefined;
  if (prlimit === undefined) return "prlimit (util-linux) is not installed or does not work.";
  if (level === "process") return setpriv === undefined ? "setpriv (util-linux) is not installed." : undefined;
  return bwrap === undefined ? "bwrap (bubblewrap) is not installed." : undefined;
}

interface Findings {
  /** Error code of opening a network socket, or `open`. */
  readonly network: string;
  /** Error code of reading a file that was not given, or `open`. */
  readonly files: string;
}

// Runs inside the sandbox; looks whether it holds.
const probeScript = `
const { writeSync, readdirSync } = require("node:fs");
const files = (() => { try { readdirSync("/etc"); return "open"; } catch (error) { return error.code; } })();
const server = require("node:net").createServer();
const tell = (network) => { writeSync(3, JSON.stringify({ network, files })); process.exit(0); };
server.once("error", (error) => tell(error.code)).listen(0, "127.0.0.1", () => tell("open"));
`;
const probeTimeoutMs = 10_000;
const probeAnswerBytes = 1024;

async function tryLevel(
  level: IsolationLevel,
  settings: SandboxSettings,
  tools: SandboxTools,
): Promise<string | undefined> {
  const { answer, stderr } = await runProbe(createSandbox(level, settings, tools).spawnNode(["-e", probeScript]));
  const findings = parseFindings(answer);
  if (findings === undefined) return `a process could not be started (${opening(stderr) || "it said nothing"}).`;
  if (findings.files === "open") return "files that were not given can be read.";
  if (level === "bubblewrap" && findings.network === "open") return "the network can be reached.";
  return undefined;
}

function runProbe({ child, stderr, channel }: SandboxedProcess): Promise<{ answer: string; stderr: string }> {
  return new Promise((resolve) => {
    const answer = createTextTail(probeAnswerBytes);
    let complaint = "";
    const timer = setTimeout(() => killGroup(child.pid), probeTimeoutMs);
    const finish = () => {
      clearTimeout(timer);
      resolve({ answer: answer.read(), stderr: complaint });
    };
    channel.on("data", (chunk: Uint8Array) => answer.add(chunk)).on("error", () => undefined);
    stderr
      .on("data", (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, probeAnswerBytes)))
      .on("error", () => undefined);
    child.once("close", finish);
    child.once("error", (error) => {
      complaint = error.message;
      finish();
    });
  });
}

function parseFindings(answer: string): Findings | undefined {
  try {
    const { network, files } = JSON.parse(answer) as Partial<Findings>;
    return typeof network === "string" && typeof files === "string" ? { network, files } : undefined;
  } catch {
    return undefined;
  }
}

const opening = (text: string) =>
  text
    .replaceAll(/[\s#]+/g, " ")
    .trim()
    .slice(0, 200);
