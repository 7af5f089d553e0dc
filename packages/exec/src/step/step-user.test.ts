import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findStepUser } from "./step-user.ts";

let folder: string;
let passwd: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agentflow-passwd-"));
  passwd = join(folder, "passwd");
  writeFileSync(
    passwd,
    "root:x:0:0:root:/root:/bin/sh\n\nsteps:x:812:813:,,,:/var/steps:/bin/false\ntoor:x:0:1::/:\n",
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const asUid = (uid: number) => void vi.spyOn(process, "getuid").mockReturnValue(uid);

describe("AGENTFLOW_STEP_USER", () => {
  test("S-20: names a user of the machine; blank means the worker's own", () => {
    asUid(0);
    expect(findStepUser("steps", passwd)).toEqual({ name: "steps", uid: 812, gid: 813, home: "/var/steps" });
    expect(findStepUser("", passwd)).toBeNull();
  });

  test.each([
    ["nobody-there", 0, "no user"],
    ["toor", 0, "root itself"],
    ["steps", 1000, "runs as root"],
  ])("S-20, D6: %s for a worker of uid %i is refused with a sentence", (name, uid, says) => {
    asUid(uid);
    expect(() => findStepUser(name, passwd)).toThrow(new RegExp(`AGENTFLOW_STEP_USER.*${says}`));
  });

  test("S-20: without another user a worker that is not root starts as ever", () => {
    asUid(1000);
    expect(findStepUser("", passwd)).toBeNull();
  });
});
