import { describe, expect, it } from "vitest";
import { readObject, type UseFixture } from "./store-fixture.contract.ts";

/** Links that work without credentials. */
export function describeLinks(use: UseFixture): void {
  describe("links", () => {
    it("give the object to a client without credentials, to be saved under its name", async () => {
      await use().store.put("linked", Buffer.from("<script>alert(1)</script>"));
      const options = { expiresInSeconds: 60, fileName: '报告 "a"/..\r\n.html', mediaType: "text/html" };
      const { url, expiresAt } = await use().store.signGet("linked", options);
      expect(expiresAt.getTime()).toBeGreaterThan(Date.now());
      const response = await fetch(url);
      expect([response.status, await response.text()]).toEqual([200, "<script>alert(1)</script>"]);
      expect(response.headers.get("content-type")).toMatch(/^text\/html/);
      const disposition = response.headers.get("content-disposition") ?? "";
      expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''%E6%8A%A5%E5%91%8A/);
      const part = await fetch(url, { headers: { range: "bytes=1-6" } });
      expect([part.status, await part.text()]).toEqual([206, "script"]);
    });

    it("give nothing when a letter was changed, the time is over, or the method is another", async () => {
      await use().store.put("linked", Buffer.from("content"));
      await use().store.put("linker", Buffer.from("secret"));
      const { url } = await use().store.signGet("linked", { expiresInSeconds: 60, fileName: "a.txt" });
      const forged = [url.replace("linked", "linker"), url.replace("a.txt", "b.txt"), url.replace(/\?.*/, "")];
      for (const address of forged) expect([400, 403]).toContain((await fetch(address)).status);
      expect((await fetch(url, { method: "PUT", body: "x" })).status).toBe(403);
      const short = await use().store.signGet("linked", { expiresInSeconds: 1 });
      await expect.poll(async () => (await fetch(short.url)).status, { timeout: 10_000 }).toBe(403);
      expect(String(await readObject(use().store, "linked"))).toBe("content");
    });

    it("give 404 for what is not there", async () => {
      const { url } = await use().store.signGet("not-there", { expiresInSeconds: 60 });
      expect((await fetch(url)).status).toBe(404);
    });

    it("take an object of the size agreed from a client without credentials", async () => {
      const { url } = await use().store.signPut("sent/名前", { expiresInSeconds: 60, sizeBytes: 5 });
      const refused = await fetch(url, { method: "PUT", body: "more than five" });
      expect(refused.ok).toBe(false);
      expect(await use().store.exists("sent/名前")).toBe(false);
      expect((await fetch(url.replace("sent", "elsewhere"), { method: "PUT", body: "12345" })).status).toBe(403);
      expect((await fetch(url, { method: "PUT", body: "12345" })).status).toBe(200);
      expect(String(await readObject(use().store, "sent/名前"))).toBe("12345");
    });
  });
}
