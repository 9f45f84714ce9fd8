import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

export interface SlurmState {
  /** Of slurmctld, slurmrestd, and each slurmd. */
  readonly ports: readonly number[];
  readonly nodes: readonly string[];
  /** More lines of slurm.conf. */
  readonly lines: readonly string[];
}

const gpusOfNode = 2;

/** Keys, configuration and device files of a Slurm cluster of this machine alone. */
export function writeSlurmState(folder: string, { ports, nodes, lines }: SlurmState): void {
  for (const name of ["state", "spool", "log"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "munge.key"), randomBytes(128), { mode: 0o600 });
  writeFileSync(join(folder, "state/jwt.key"), randomBytes(32), { mode: 0o600 });
  const gpus = nodes.flatMap((name, index) => {
    const files = Array.from({ length: gpusOfNode }, (_, gpu) => join(folder, `nvidia${index * gpusOfNode + gpu}`));
    // Device files of /dev/null, by which Slurm numbers the GPUs.
    for (const file of files) execFileSync("mknod", [file, "c", "1", "3"]);
    return files.map((file) => `NodeName=${name} Name=gpu File=${file} Flags=nvidia_gpu_env`);
  });
  writeFileSync(join(folder, "gres.conf"), `${gpus.join("\n")}\n`);
  const [controller = 0, , ...daemons] = ports;
  const host = hostname().replace(/\..*/, "");
  const machines = nodes.map(
    (name, index) =>
      `NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${daemons[index] ?? 0} CPUs=2 RealMemory=4000 Gres=gpu:${gpusOfNode} State=UNKNOWN`,
  );
  writeFileSync(
    join(folder, "slurm.conf"),
    [...settings(folder, host, controller), ...lines, ...machines, ""].join("\n"),
  );
}

const settings = (folder: string, host: string, port: number): readonly string[] => [
  "ClusterName=test",
  `SlurmctldHost=${host}(127.0.0.1)`,
  `SlurmctldPort=${port}`,
  "AuthType=auth/munge",
  `AuthInfo=socket=${folder}/munge.sock`,
  "AuthAltTypes=auth/jwt",
  `AuthAltParameters=jwt_key=${folder}/state/jwt.key`,
  "SlurmUser=root",
  "SlurmdUser=root",
  `StateSaveLocation=${folder}/state`,
  `SlurmdSpoolDir=${folder}/spool/%n`,
  `SlurmctldPidFile=${folder}/slurmctld.pid`,
  `SlurmdPidFile=${folder}/%n.pid`,
  `SlurmctldLogFile=${folder}/log/slurmctld.log`,
  `SlurmdLogFile=${folder}/log/%n.log`,
  "ProctrackType=proctrack/linuxproc",
  "TaskPlugin=task/none",
  "ReturnToService=1",
  "SchedulerType=sched/backfill",
  "SchedulerParameters=bf_interval=1,sched_interval=1",
  "SelectType=select/cons_tres",
  "SelectTypeParameters=CR_Core",
  "GresTypes=gpu",
  "AccountingStorageType=accounting_storage/none",
  "JobCompType=jobcomp/none",
  "JobAcctGatherType=jobacct_gather/none",
  "MpiDefault=none",
  "KillWait=5",
  "SlurmdTimeout=5",
  "MessageTimeout=3",
  "PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP",
];
