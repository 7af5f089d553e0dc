import { describeProblems, readConfig } from "@agentflow/host";
import { say, sayJson } from "../console/out.ts";
import { counted, table } from "../console/text.ts";
import { checkDatabase, checkNode, checkPrograms, checkQueue, type Check } from "../doctor/checks.ts";
import { checkDataDir, judgeInstallation, lookAround } from "../doctor/installation.ts";
import { EXIT } from "../exit.ts";

/** Says what is wrong with this installation; exit code 1 when something that everybody needs is. */
export async function doctorCommand({ json }: { json?: true }): Promise<void> {
  const checks = [
    checkNode(process.versions.node),
    ...checkPrograms(process.platform),
    ...(await checkServices()),
  ];
  const failed = checks.filter(({ status }) => status === "fail").length;
  if (json) sayJson({ ok: failed === 0, checks });
  else {
    say(table(checks.map(({ status, name, text }) => [status, name, text])));
    say(failed === 0 ? "nothing is wrong" : `${counted(failed, "problem")} to mend`);
  }
  if (failed > 0) process.exitCode = EXIT.failed;
}

async function checkServices(): Promise<Check[]> {
  const read = readConfig("dev");
  if (!read.ok) return [{ name: "configuration", status: "fail", text: describeProblems(read.problems) }];
  const { config } = read;
  const database = await checkDatabase(config);
  const hasTables = database.some(({ name, status }) => name === "schema" && status === "ok");
  return [
    { name: "configuration", status: "ok", text: "every variable is legal" },
    checkDataDir(config.dataDir),
    ...database,
    await checkQueue(config),
    // Without the tables of this release there is nobody to ask.
    ...(hasTables && config.databaseUrl !== undefined
      ? judgeInstallation(await lookAround(config.databaseUrl), config)
      : []),
  ];
}
