import type { enJobs } from "./en-jobs.ts";
import type { TextsLike } from "./texts.ts";

/** Chinese texts of background work. */
export const zhJobs: TextsLike<typeof enJobs> = {
  title: "后台任务",
  hint: "平台自动或应要求执行的工作。状态由各任务项统计得出。",
  whose: "任务范围",
  scopes: { tenant: "本租户", platform: "整个平台" },
  kind: "任务",
  kinds: {
    purge_datasets: "清空数据集回收站",
    verify_storage: "校验存储内容",
  },
  state: "状态",
  anyState: "任意状态",
  states: {
    queued: "等待中",
    running: "运行中",
    succeeded: "成功",
    partially_succeeded: "部分失败",
    failed: "失败",
    cancelled: "已取消",
  },
  progress: "进度",
  ended: "已结束 {{ended}} / {{total}} 项",
  failedCount: "{{failed}} 项失败",
  items: "{{items}} 项",
  endedAt: "结束时间",
  subject: "对象",
  attempts: "尝试次数",
  outcome: "结果",
  nextAttempt: "将于 {{at}} 重试",
  cancel: "取消",
  cancelling: "正在取消",
  cancelConfirm: "取消尚未结束的部分？已完成的保持不变。",
  retry: "重新运行",
  retryAll: "重新运行所有失败项",
  empty: "还没有任务运行过。开始耗时的工作后会显示在这里。",
  emptySearch: "没有处于此状态的任务。",
  runningCount: "运行中的任务：{{count}}",
  nothingRuns: "当前没有任务运行。",
  all: "所有后台任务",
};
