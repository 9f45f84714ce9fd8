import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/*
 * Four GPUs, of which the second runs a process and the fourth has no figure of its power. The file whose path is in
 * FAKE_NVML_LOST holds the index of a lost one; where FAKE_NVML_INIT is set, getting ready fails with that code.
 */
const source = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned int uint;
typedef unsigned long long u64;
static uint indexOf(void *handle) { return (uint)(unsigned long)handle - 1; }
static int isLost(uint index) {
  const char *path = getenv("FAKE_NVML_LOST");
  FILE *file = path == NULL ? NULL : fopen(path, "r");
  int lost = -1;
  if (file == NULL) return 0;
  if (fscanf(file, "%d", &lost) != 1) lost = -1;
  fclose(file);
  return lost == (int)index;
}
static int give(void *handle, uint value, uint *out) {
  if (isLost(indexOf(handle))) return 15;
  *out = value;
  return 0;
}
int nvmlInit_v2(void) { const char *code = getenv("FAKE_NVML_INIT"); return code == NULL ? 0 : atoi(code); }
const char *nvmlErrorString(int code) {
  return code == 15 ? "GPU is lost" : code == 18 ? "Driver/library version mismatch" : code == 3 ? "Not Supported" : "Unknown Error";
}
int nvmlSystemGetDriverVersion(char *out, uint size) { strncpy(out, "580.65.06", size); return 0; }
int nvmlSystemGetCudaDriverVersion_v2(int *out) { *out = 13010; return 0; }
int nvmlDeviceGetCount_v2(uint *out) { *out = 4; return 0; }
int nvmlDeviceGetHandleByIndex_v2(uint index, void **out) {
  *out = (void *)(unsigned long)(index + 1);
  return index < 4 ? (isLost(index) ? 15 : 0) : 2;
}
int nvmlDeviceGetUUID(void *handle, char *out, uint size) {
  snprintf(out, size, "GPU-0000000%u-aaaa-bbbb-cccc-dddddddddddd", indexOf(handle));
  return 0;
}
int nvmlDeviceGetName(void *handle, char *out, uint size) { strncpy(out, "NVIDIA H100, 80GB", size); return 0; }
int nvmlDeviceGetMemoryInfo_v2(void *handle, struct { uint version; u64 total, reserved, free, used; } *out) {
  if (isLost(indexOf(handle))) return 15;
  if (out->version != (sizeof *out | (2 << 24))) return 25;
  out->total = 85520809984ULL; out->reserved = 500ULL << 20; out->used = (u64)(indexOf(handle) + 1) << 30;
  out->free = out->total - out->reserved - out->used;
  return 0;
}
int nvmlDeviceGetUtilizationRates(void *handle, struct { uint gpu, memory; } *out) {
  out->gpu = 25 * indexOf(handle); out->memory = 10;
  return isLost(indexOf(handle)) ? 15 : 0;
}
int nvmlDeviceGetTemperature(void *handle, int sensor, uint *out) { return give(handle, 61, out); }
int nvmlDeviceGetPowerUsage(void *handle, uint *out) { return indexOf(handle) == 3 ? 3 : give(handle, 350120, out); }
int nvmlDeviceGetEnforcedPowerLimit(void *handle, uint *out) { return give(handle, 700000, out); }
int nvmlDeviceGetClockInfo(void *handle, int kind, uint *out) { return give(handle, kind == 1 ? 1980 : 2619, out); }
int nvmlDeviceGetFanSpeed(void *handle, uint *out) { return 3; }
int nvmlDeviceGetPerformanceState(void *handle, uint *out) { return give(handle, indexOf(handle) == 0 ? 32 : 2, out); }
int nvmlDeviceGetTotalEccErrors(void *handle, int kind, int counter, u64 *out) { *out = 7ULL << 33; return 0; }
int nvmlDeviceGetMigMode(void *handle, uint *current, uint *pending) { *current = indexOf(handle) == 2; return 0; }
struct running { uint pid; u64 used; uint gi, ci; };
int nvmlDeviceGetComputeRunningProcesses_v2(void *handle, uint *count, struct running *out) {
  if (indexOf(handle) != 1) { *count = 0; return 0; }
  *count = 2;
  out[0].pid = 4711; out[0].used = 1234ULL << 20; out[0].gi = out[0].ci = 0xffffffff;
  out[1].pid = 4712; out[1].used = ~0ULL; out[1].gi = out[1].ci = 0xffffffff;
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, uint *count, struct running *out) {
  const char *code = getenv("FAKE_NVML_PROCESSES");
  return code == NULL ? nvmlDeviceGetComputeRunningProcesses_v2(handle, count, out) : atoi(code);
}
`;

/** Makes a libnvidia-ml.so.1 with the C compiler of the machine. @returns its path, or undefined where there is none. */
export async function compileFakeNvml(folder: string): Promise<string | undefined> {
  const path = join(folder, "libnvidia-ml.so.1");
  await writeFile(join(folder, "nvml.c"), source);
  try {
    await promisify(execFile)("gcc", ["-w", "-shared", "-fPIC", "-o", path, join(folder, "nvml.c")]);
    return path;
  } catch {
    return undefined;
  }
}
