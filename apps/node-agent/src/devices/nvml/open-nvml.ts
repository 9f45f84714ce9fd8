/** NVML says what it thinks of a call with a number; these mean that there is no such figure, not that anything is wrong. */
export const nvmlCodes = {
  ok: 0,
  notSupported: 3,
  noPermission: 4,
  functionNotFound: 13,
  otherVersion: 25,
} as const;

export interface Nvml {
  /** Calls a function of NVML. @returns its code; `functionNotFound` where this driver has none of the name. */
  call(name: string, ...args: readonly unknown[]): number;
  /** What a code means. */
  tell(code: number): string;
}

/** The library or what is needed to call it is not on this machine. */
export class NvmlMissingError extends Error {
  override readonly name = "NvmlMissingError";
}

/** As koffi gives them. */
type NativeFunction = (...args: readonly unknown[]) => unknown;
interface NativeLibrary {
  func(definition: string): NativeFunction;
}

const handle = "void *";
const out = "_Out_ uint8_t *";

/** What is called, with the forms of its parameters. */
const signatures: Readonly<Record<string, readonly string[]>> = {
  nvmlInit_v2: [],
  nvmlSystemGetDriverVersion: [out, "uint"],
  nvmlSystemGetCudaDriverVersion_v2: [out],
  nvmlDeviceGetCount_v2: [out],
  nvmlDeviceGetHandleByIndex_v2: ["uint", "_Out_ void **"],
  nvmlDeviceGetUUID: [handle, out, "uint"],
  nvmlDeviceGetName: [handle, out, "uint"],
  nvmlDeviceGetMemoryInfo: [handle, out],
  nvmlDeviceGetMemoryInfo_v2: [handle, "_Inout_ uint8_t *"],
  nvmlDeviceGetUtilizationRates: [handle, out],
  nvmlDeviceGetTemperature: [handle, "int", out],
  nvmlDeviceGetPowerUsage: [handle, out],
  nvmlDeviceGetEnforcedPowerLimit: [handle, out],
  nvmlDeviceGetClockInfo: [handle, "int", out],
  nvmlDeviceGetFanSpeed: [handle, out],
  nvmlDeviceGetPerformanceState: [handle, out],
  nvmlDeviceGetTotalEccErrors: [handle, "int", "int", out],
  nvmlDeviceGetMigMode: [handle, out, out],
  nvmlDeviceGetComputeRunningProcesses_v2: [handle, "_Inout_ uint8_t *", out],
  nvmlDeviceGetComputeRunningProcesses_v3: [handle, "_Inout_ uint8_t *", out],
};

/**
 * Loads the driver's library and gets it ready.
 * @throws NvmlMissingError when there is none; Error that says what the driver says.
 */
export async function openNvml(path: string): Promise<Nvml> {
  const library = await load(path);
  const functions = new Map<string, NativeFunction | undefined>();
  const find = (name: string): NativeFunction | undefined => {
    if (!functions.has(name)) functions.set(name, declare(library, name));
    return functions.get(name);
  };
  const nvml: Nvml = {
    call: (name, ...args) => (find(name)?.(...args) as number | undefined) ?? nvmlCodes.functionNotFound,
    tell: createTeller(library),
  };
  const code = nvml.call("nvmlInit_v2");
  if (code !== nvmlCodes.ok) throw new Error(`The driver says: ${nvml.tell(code)}.`);
  return nvml;
}

async function load(path: string): Promise<NativeLibrary> {
  // An optional package: where it is not installed, this is the way to learn it.
  const koffi = await import("koffi").catch((error: unknown) => {
    throw new NvmlMissingError("The package koffi, which calls libraries, is not installed.", { cause: error });
  });
  try {
    return koffi.default.load(path);
  } catch (error) {
    throw new NvmlMissingError(`${path} cannot be loaded: ${(error as Error).message}`, { cause: error });
  }
}

function declare(library: NativeLibrary, name: string): NativeFunction | undefined {
  try {
    return library.func(`int ${name}(${(signatures[name] ?? []).join(", ")})`);
  } catch {
    return undefined; // this driver does not have it
  }
}

function createTeller(library: NativeLibrary): (code: number) => string {
  let errorString: NativeFunction | undefined;
  try {
    errorString = library.func("const char *nvmlErrorString(int)");
  } catch {
    errorString = undefined;
  }
  return (code) => {
    const text: unknown = errorString?.(code);
    return typeof text === "string" ? text : `error ${code}`;
  };
}
