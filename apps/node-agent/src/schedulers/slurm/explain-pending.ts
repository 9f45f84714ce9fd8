const explanations: Readonly<Record<string, string>> = {
  Priority: "Jobs with a higher priority go first.",
  Resources: "It waits until machines with what it asks for are free.",
  Dependency: "It waits for another job.",
  DependencyNeverSatisfied: "It waits for another job that did not end as it should, so it never begins; cancel it.",
  BeginTime: "Its time to begin has not come.",
  JobHeldUser: "Its user holds it; scontrol release lets it go.",
  JobHeldAdmin: "An administrator of the cluster holds it.",
  PartitionDown: "Its partition is down.",
  PartitionInactive: "Its partition takes no jobs now.",
  PartitionNodeLimit: "It asks for more machines or GPUs than its partition allows, so it never begins as it is.",
  PartitionTimeLimit: "It asks for more time than its partition allows, so it never begins as it is.",
  PartitionConfig: "Its partition does not allow what it asks for, so it never begins as it is.",
  BadConstraints: "No machine has what it asks for, so it never begins as it is.",
  NodeDown: "A machine that it needs is down.",
  ReqNodeNotAvail: "A machine that it needs is not available now.",
  Reservation: "It waits for its reservation.",
  Licenses: "It waits for a licence.",
  Cleaning: "Its machines are being cleaned up.",
  Prolog: "Its machines are being made ready.",
  InvalidAccount: "The account it runs under is not valid; correct NODE_AGENT_SLURM_ACCOUNT.",
  InvalidQOS: "The quality of service it asks for is not valid; correct NODE_AGENT_SLURM_QOS.",
  JobLaunchFailure: "It could not be started, and is in the queue again.",
  LaunchFailedRequeuedHeld:
    "It could not be started, and is held; an administrator of the cluster must look at its machine.",
  JobHoldMaxRequeue: "It was put into the queue too often, and is held.",
  MaxGRESPerAccount: "The account has as many GPUs as it may.",
};

/** What a job in Slurm's queue waits for, in plain words. */
export function explainPending(reason: string, detail: string): string {
  const known = explanations[reason] ?? limitOf(reason);
  const plain = known ?? (reason === "" ? "It waits to be scheduled." : "It waits.");
  const own = reason === "" ? "" : ` Slurm: ${[reason, detail].filter(Boolean).join(", ")}.`;
  return `${plain}${own}`;
}

function limitOf(reason: string): string | undefined {
  if (/^(QOS|Assoc)/.test(reason)) return "A limit of its account or quality of service is reached.";
  if (reason.startsWith("ReqNodeNotAvail")) return explanations["ReqNodeNotAvail"];
  return undefined;
}
