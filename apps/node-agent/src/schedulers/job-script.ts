import type { ClusterJob } from "./scheduler.ts";

/** GPUs are given by the cluster, and the processes belong to the script. */
const leftToTheCluster = new Set([
  "CUDA_VISIBLE_DEVICES",
  "HIP_VISIBLE_DEVICES",
  "ROCR_VISIBLE_DEVICES",
  "ATTUNE_PARENT_PID",
]);

/** Status of a script that found the run folder missing, that another job has the run, or that the cluster began it anew. */
export const jobScriptExit = { noRunFolder: 71, notMine: 75, restarted: 76 } as const;

export interface JobScriptSettings {
  /** Names the job in shell syntax, so that it may hold variables of the cluster. */
  readonly claim: string;
  /** Undefined: the cluster has none, or warns by itself. */
  readonly timeLimitSeconds: number | undefined;
}

/**
 * The bash script that is a run's job on a cluster. It needs nothing but bash and coreutils, and holds to the run's rules
 * without this agent: one job for one run folder; a request to stop (a line in the control file, SIGTERM from the cluster, or
 * a time limit that comes near) goes to the worker once; what lives when the grace time is over is killed; no process outlives
 * the worker; `exit.json` says how it ended.
 */
export function renderJobScript(job: ClusterJob, { claim, timeLimitSeconds }: JobScriptSettings): string {
  const exports = Object.entries(runEnvironment(job))
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${quote(value)}`);
  return [
    "#!/bin/bash",
    "set -u",
    `claim=${claim}`,
    `grace=${Math.trunc(job.graceSeconds)}`,
    `warn_after=${timeLimitSeconds === undefined ? 0 : Math.max(1, Math.trunc(timeLimitSeconds - job.graceSeconds))}`,
    `spares_launcher=${job.gpus > 1 ? 1 : 0}`,
    ...exports,
    `command=(${[job.command.program, ...job.command.args].map(quote).join(" ")})`,
    body,
  ].join("\n");
}

/** One word of a shell command, whatever it holds. NUL cannot be in a word, and is left out. */
export function quote(text: string): string {
  return `'${text.replaceAll("\0", "").replaceAll("'", String.raw`'\''`)}'`;
}

function runEnvironment({ id, runFolder, command, gpus }: ClusterJob): Record<string, string> {
  const kept = Object.entries(command.env).filter(([name]) => !leftToTheCluster.has(name));
  return {
    ...Object.fromEntries(kept),
    ATTUNE_RUN_ID: id,
    ATTUNE_RUN_DIR: runFolder,
    ATTUNE_EVENTS: `${runFolder}/events.ndjson`,
    ATTUNE_CONTROL: `${runFolder}/control.ndjson`,
    ...(gpus === 0 && { CUDA_VISIBLE_DEVICES: "", HIP_VISIBLE_DEVICES: "", ROCR_VISIBLE_DEVICES: "" }),
    // Of several processes the ranks save; their launcher would give them 30 seconds. So it leaves SIGTERM to them.
    ...(gpus > 1 && { TORCHELASTIC_SIGNALS_TO_HANDLE: "SIGINT" }),
  };
}

// `wait` comes back when a trap ran, so that signals are acted on within half a second.
const body = String.raw`
cd -- "$ATTUNE_RUN_DIR" || exit ${jobScriptExit.noRunFolder}
exec >>run.log 2>&1
say() { printf 'attune: %s\n' "$*"; }
# Clusters may begin a job again, whose machine was lost or of which their controller forgot that it ran, and two jobs of one
# run are possible where an answer was lost. A second beginning would mix two runs.
if ! (set -C; printf '%s' "$claim" >cluster.claim) 2>/dev/null; then
  if [ "$(cat cluster.claim)" = "$claim" ]; then
    say "the cluster began $claim again; the run is not repeated"
    exit ${jobScriptExit.restarted}
  fi
  say "the run belongs to the job $(cat cluster.claim), so $claim does nothing"
  exit ${jobScriptExit.notMine}
fi
export ATTUNE_PARENT_PID=$$

child=
stop_asked=0
sent=0
is_asked() { [ -e "$ATTUNE_CONTROL" ] && grep -q '"cmd" *: *"stop"' "$ATTUNE_CONTROL"; }
ask() {
  [ "$stop_asked" != 0 ] || stop_asked=1
  is_asked && return
  [ ! -s "$ATTUNE_CONTROL" ] || [ -z "$(tail -c 1 "$ATTUNE_CONTROL")" ] || printf '\n' >>"$ATTUNE_CONTROL"
  printf '{"cmd":"stop","save":true,"by":"cluster"}\n' >>"$ATTUNE_CONTROL"
}
# The cluster sends SIGTERM to all processes of the job, and SIGUSR1 to this one only.
trap 'sent=1; ask' TERM
trap 'ask' USR1
others() { grep -lzx -- "ATTUNE_RUN_ID=$ATTUNE_RUN_ID" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3; }
kill_others() {
  local pid
  for pid in $(others); do [ "$pid" = "$$" ] || kill -KILL "$pid" 2>/dev/null; done
}
record() {
  local code=$1 signal=null fault=null
  if [ "$1" -gt 128 ] && name=$(kill -l $(($1 - 128)) 2>/dev/null); then code=null signal="\"SIG$name\""; fi
  if [ "$1" = 127 ] && ! command -v "${"$"}{command[0]}" >/dev/null; then
    code=null fault='"the program is not on the machine of the job"'
  fi
  printf '{"code":%s,"signal":%s,"ended_at":"%s","spawn_error":%s,"oom_kill":null}\n' \
    "$code" "$signal" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$fault" >exit.json.part
  sync exit.json.part 2>/dev/null
  mv -f exit.json.part exit.json
}
if is_asked; then
  say 'a stop was asked for before the run began'
  record 143
  exit 143
fi

say "job $claim on $(uname -n)"
if [ "$spares_launcher" = 1 ]; then
  (trap '' TERM; exec "${"$"}{command[@]}") &
else
  "${"$"}{command[@]}" &
fi
child=$!
while kill -0 "$child" 2>/dev/null; do
  if [ "$stop_asked" = 0 ] && is_asked; then stop_asked=1; fi
  if [ "$stop_asked" = 0 ] && [ "$warn_after" -gt 0 ] && [ "$SECONDS" -ge "$warn_after" ]; then
    say 'the time limit is near'
    ask
  fi
  if [ "$stop_asked" = 1 ]; then
    [ "$sent" = 1 ] || kill -TERM "$child" 2>/dev/null
    stop_asked=2
    sent=1
    deadline=$((SECONDS + grace))
    say "asked to stop; up to $grace s to save"
  fi
  if [ "$stop_asked" = 2 ] && [ "$SECONDS" -ge "$deadline" ]; then
    say 'the time to save is over; the processes are killed'
    kill -KILL "$child" 2>/dev/null
    kill_others
  fi
  sleep 0.5 &
  wait $!
done
wait "$child"
code=$?
kill_others
record "$code"
say "ended with status $code"
exit "$code"
`;
