import { accessSync, chmodSync, chownSync, constants, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { runToEnd } from "./guarded-process.ts";

/** A user of this machine that a service is run as. */
export type SystemUser = { name: string; uid: number; gid: number };

/** Servers refuse to run as root: root starts them as `postgres` or `nobody`; others start them as themselves (null). */
function serviceUser(): SystemUser | null {
  if (process.getuid?.() !== 0) return null;
  const user =
    findUser((candidate) => candidate.name === "postgres") ??
    findUser((candidate) => candidate.name === "nobody");
  if (user === undefined)
    throw new Error("root cannot run a database and there is no user postgres or nobody: create one");
  return user;
}

/** As `serviceUser`, but the owner of a folder that a server has used before stays its user. */
export function ownerOrServiceUser(folder: string): SystemUser | null {
  const user = serviceUser();
  const owner = statSync(folder, { throwIfNoEntry: false });
  if (owner === undefined) return user;
  if (user !== null && owner.uid !== 0)
    return (
      findUser((candidate) => candidate.uid === owner.uid) ?? {
        name: `uid ${owner.uid}`,
        uid: owner.uid,
        gid: owner.gid,
      }
    );
  if (user === null && owner.uid !== process.getuid?.())
    throw new Error(
      `${folder} belongs to another user (uid ${owner.uid}); choose another folder with AGENTFLOW_DATA_DIR`,
    );
  return user;
}

function findUser(wanted: (user: SystemUser) => boolean): SystemUser | undefined {
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  const users = lines.map((line) => line.split(":")).filter((columns) => columns.length >= 4);
  return users.map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) })).find(wanted);
}

/** Creates the data folder and makes sure that `user` can get to it; refuses with the way out (S-3). */
export async function openDataDir(dataDir: string, user: SystemUser | null): Promise<void> {
  try {
    const first = mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (first !== undefined && user !== null) openToAll(first, dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(
      `cannot write to the data folder ${dataDir}; choose another one with AGENTFLOW_DATA_DIR`,
      { cause: error },
    );
  }
  if (user === null) return;
  const closed = await closedFolder(dataDir, user);
  if (closed === null) return;
  throw new Error(
    `the database runs as ${user.name}, who cannot enter ${closed}; choose a data folder elsewhere with ` +
      `AGENTFLOW_DATA_DIR (such as /var/lib/agentflow), open this one (chmod o+x '${closed}') or set DATABASE_URL`,
  );
}

/** What was just created, from `first` down to `last`, must not depend on a umask of root's. */
function openToAll(first: string, last: string): void {
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) chmodSync(folder, 0o755);
}

/** The topmost folder on the way that the user cannot enter, asked of the system itself, which also knows access lists. */
async function closedFolder(dataDir: string, user: SystemUser): Promise<string | null> {
  const canEnter = async (folder: string): Promise<boolean> =>
    (await runToEnd("/bin/sh", ["-c", 'cd "$1"', "sh", folder], user)).code === 0;
  if (await canEnter(dataDir)) return null;
  let closed = dataDir;
  for (
    let folder = dirname(dataDir);
    folder !== closed && !(await canEnter(folder));
    folder = dirname(folder)
  )
    closed = folder;
  return closed;
}

/** Creates a folder that only `user` (null: this user) can open. */
export function privateFolder(parent: string, name: string, user: SystemUser | null): string {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user !== null) chownSync(folder, user.uid, user.gid);
  return folder;
}
