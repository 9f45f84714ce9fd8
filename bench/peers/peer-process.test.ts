import { afterEach, describe, expect, it } from "vitest";
import type { Peer } from "./peer.ts";
import { PeerProcess } from "./peer-process.ts";

describe("the process of a peer", () => {
  let started: PeerProcess | undefined;
  afterEach(async () => started?.stop());

  const start = (body: string, timeLimitMs = 20_000): PeerProcess => {
    const script = `require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const path = JSON.parse(line);
      const answer = (text) => console.log("@@answer " + JSON.stringify({ text, cpuMs: 1, peakKib: 1 }));
      ${body}
    });`;
    const peer = { command: [process.execPath, "-e", script] } as unknown as Peer;
    started = new PeerProcess(peer, timeLimitMs);
    return started;
  };

  it("answers file after file, whatever else it prints", async () => {
    const peer = start('console.log("noise"); answer(path + " " + process.pid);');
    const [one, other] = [await peer.convert("a\nb"), await peer.convert("c")];
    expect(one.text).toMatch(/^a\nb \d+$/);
    expect(other.text?.split(" ")[1]).toBe(one.text?.split(" ")[1]);
  });

  it("loses a file that it dies of, and goes on with the next", async () => {
    const peer = start('if (path === "bad") process.exit(3); answer(path);');
    expect((await peer.convert("bad")).error).toBe("its process ended with status 3");
    expect((await peer.convert("good")).text).toBe("good");
  });

  it("loses a file that takes too long", async () => {
    const peer = start('if (path === "slow") for (;;); answer(path);', 1500);
    expect((await peer.convert("slow")).error).toBe("took longer than 1.5 s");
  });
});
