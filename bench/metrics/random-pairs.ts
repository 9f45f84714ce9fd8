/** A prediction and its reference. */
export interface Pair {
  readonly prediction: string;
  readonly reference: string;
}

/**
 * Random pairs for comparing implementations: English and Chinese prose, a mix of both, and texts of awkward characters, by
 * turns; most predictions are the reference with some changes. The same seed gives the same pairs.
 */
export function randomPairs(count: number, seed: number): Pair[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const write = writers[index % writers.length] as Writer;
    const reference = write(random);
    const prediction = random() < 0.1 ? write(random) : change(reference, write, random);
    return { prediction, reference };
  });
}

type Random = () => number;
type Writer = (random: Random) => string;

/** mulberry32 */
function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <T>(values: readonly T[], random: Random): T => values[Math.floor(random() * values.length)] as T;
const repeat = (most: number, random: Random, make: () => string): string =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, make).join("");

const stems =
  "model train document relation geolog happi enjoy skies dying plan hopp vision gener organiz oper fail".split(" ");
const endings = [
  "",
  "s",
  "ed",
  "ing",
  "ies",
  "ational",
  "izer",
  "fully",
  "logi",
  "ement",
  "iveness",
  "ation",
  "y",
  "e",
];
const links = "the a an of in and to is was that proceed news 3.5 1,000 12-15 U.S. e.g. O'Neil $5 50% C++ it's".split(
  " ",
);
const marks = [" ", " ", " ", ", ", ". ", ".\n", "; ", " - ", "... ", "? ", " (", ") ", '" ', "-\n", ".,", " &amp; "];

const english: Writer = (random) =>
  repeat(90, random, () => {
    const word = random() < 0.5 ? pick(links, random) : pick(stems, random) + pick(endings, random);
    return (random() < 0.1 ? word.toUpperCase() : word) + pick(marks, random);
  });

const phrases =
  "评测集 训练任务 我们 拒绝了 重复的 答案 缓存 向量 北京大学 南京市长江大桥 他来到了网易杭研大厦 结婚的和尚未结婚的 模型 数据 一份很长的文档 小明硕士毕业 中国科学院 计算所 乒乓球拍卖完了 4S店 B超 卡拉OK T恤 的 了 在 是 和 不 也".split(
    " ",
  );
const chineseMarks = [
  "",
  "",
  "",
  "，",
  "。",
  "！",
  "？",
  "……",
  "——",
  "“",
  "”",
  "；",
  "\n",
  "1024",
  "0.7%",
  "2004-2005",
  " ",
];

const chinese: Writer = (random) =>
  repeat(30, random, () => {
    const rare = String.fromCharCode(0x4e00 + Math.floor(random() * (random() < 0.8 ? 0x1000 : 0x51d6)));
    return (random() < 0.2 ? rare : pick(phrases, random)) + pick(chineseMarks, random);
  });

const mixed: Writer = (random) => repeat(4, random, () => pick([english, chinese], random)(random).slice(0, 60));

const awkward = Array.from(
  "aZ09.,-…_&;<>\"'’”。！？?%#+ \t\n\r\u0000\u001c\u0085\u00a0\u200b\u3000\ufeffßςΣİéक्षिあ가𠀀𪛖😀👩‍💻½²٣𝟙€™→①２Ａ",
);
const pieces = [
  "&quot;",
  "&amp;lt;",
  "<skipped>",
  "-\n",
  "......",
  "……",
  "...",
  "5-6",
  "a.b",
  "1.5",
  ".,5",
  "\r\n",
  "the ",
  "？”",
  "中文",
  "a.5%",
];

const fuzz: Writer = (random) =>
  repeat(40, random, () => (random() < 0.3 ? pick(pieces, random) : pick(awkward, random)));

const writers: readonly Writer[] = [english, chinese, mixed, fuzz];

function change(text: string, write: Writer, random: Random): string {
  const characters = Array.from(text);
  for (let changes = Math.floor(random() * 6); changes > 0; changes--) {
    const at = Math.floor(random() * (characters.length + 1));
    const removed = Math.floor(random() * 5);
    characters.splice(at, removed, ...Array.from(write(random)).slice(0, Math.floor(random() * 8)));
  }
  return characters.join("");
}
