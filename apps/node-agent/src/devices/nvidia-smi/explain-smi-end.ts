import type { ProgramEnd } from "../sampling/follow-program.ts";

/** What the driver's programs are known to say when they fail, and what can be done about it. */
const known: readonly (readonly [told: RegExp, explained: string])[] = [
  [
    /driver\/library version mismatch/i,
    "The driver that is loaded and its library have different versions; restart the machine, or load the driver anew.",
  ],
  [/gpu is lost/i, "A GPU is lost; restart the machine."],
  [/requires reset|reset required/i, "A GPU needs to be reset."],
  [/no devices were found/i, "The driver finds no GPUs; look at the kernel's log for Xid messages."],
  [
    /couldn't communicate with the nvidia driver|driver.not.loaded/i,
    "The NVIDIA driver is not loaded; load or install it, or restart the machine.",
  ],
  [
    /couldn't find libnvidia-ml|nvml shared library|library.not.found/i,
    "The driver's library libnvidia-ml.so.1 is missing; install the driver anew.",
  ],
  [/insufficient permissions|no permission/i, "The agent's user may not use the GPUs; see who may open /dev/nvidia*."],
  [/unable to determine the device handle/i, "The driver cannot reach a GPU; restart the machine."],
];

/** Why a program that reads the GPUs ended, for people: what it said, and what to do where that is known. */
export function explainSmiEnd(program: string, end: ProgramEnd | Error): string {
  if (end instanceof Error) return end.message;
  if (end.startError === "ENOENT")
    return `${program} is not installed or not on the PATH; install the NVIDIA driver, or see NODE_AGENT_GPU_SOURCE.`;
  if (end.startError !== null) return `${program} cannot be started: the system says ${end.startError}.`;
  const said = end.lastLines.join(" ").slice(0, 500);
  const how = end.signal === null ? `ended with status ${end.code}` : `was ended by ${end.signal}`;
  const remedy = known.find(([told]) => told.test(said))?.[1];
  if (remedy !== undefined) return `${remedy} ${program} said: ${said}`;
  return `${program} ${how}${said === "" ? "." : ` and said: ${said}`}`;
}
