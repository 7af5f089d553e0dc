import { median, percentile, rounded } from "./figures.mjs";
import { measureProcesses } from "./processes.mjs";

const KIB = 1024;

/** D to H: what only AgentFlow is asked. `open(kind, key)` starts one on a database of its own. */
export async function measureAlone(open, { place, say }) {
  const ours = await open("redis", "alone");
  const measured = {};
  try {
    for (const [name, iterations, bytes] of [
      ["D 1 KB", 20_000, KIB],
      ["D 64 KB", 3000, 64 * KIB],
    ]) {
      say(`${name}: ${iterations} iterations`);
      measured[name] = await flat(ours, iterations, bytes);
    }
    say("E: 500 resumes of an idle service");
    measured["E idle"] = latencies(await ours.call("resumes", 500));
    say("E: 100 resumes with 200 runs busy");
    measured["E busy"] = await busyResumes(ours);
    for (const [name, iterations, bytes] of [
      ["H 16 KB", 500, 16 * KIB],
      ["H 64 KB", 300, 64 * KIB],
      ["H 1 MiB", 40, KIB * KIB - 2 * KIB],
    ]) {
      say(name);
      measured[name] = await sized(ours, iterations, bytes);
    }
    await ours.call("verify");
  } finally {
    await ours.close();
  }
  Object.assign(measured, await measureProcesses(say));
  Object.assign(measured, await parked(open, { place, say }));
  return measured;
}

/** The last 990 of many iterations against the last 990 of the first 1,000 of a fresh loop at the same time. */
async function flat(ours, iterations, bytes) {
  const { freshMs, longMs } = await ours.call("flat", iterations, bytes);
  return { ratio: rounded(longMs / freshMs), "late it/s": rounded((990 / longMs) * 1000) };
}

function latencies(values) {
  return { "p50 ms": rounded(percentile(values, 0.5)), "p99 ms": rounded(percentile(values, 0.99)) };
}

async function busyResumes(ours) {
  let over = false;
  await ours.call("prepare", 50);
  const busy = (async () => {
    while (!over) await ours.call("loops", 200, 50);
  })();
  const values = await ours.call("resumes", 100);
  over = true;
  await busy;
  return latencies(values);
}

async function sized(ours, iterations, bytes) {
  await ours.call("loops", 1, Math.ceil(iterations / 5), bytes);
  await ours.call("prepare", iterations, bytes);
  const walBefore = await ours.call("walBytes");
  const startMs = performance.now();
  await ours.call("loops", 1, iterations, bytes);
  const ms = performance.now() - startMs;
  const walBytes = (await ours.call("walBytes")) - walBefore;
  return { "it/s": rounded((iterations / ms) * 1000), "WAL KiB/it": rounded(walBytes / iterations / KIB) };
}

const PARKED = 100_000;
const ROUNDS = 5;

/** B beside 100,000 parked runs against B without them, in turns; parked runs leave nothing in the queue. */
async function parked(open, { place, say }) {
  const [without, beside] = [await open("redis", "unparked"), await open("redis", "parked")];
  try {
    say(`F: ${PARKED} parked runs`);
    await beside.call("park", PARKED);
    await place.checkpoint();
    const keysBefore = await place.queueKeys("parked");
    const ratios = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const order = round % 2 === 0 ? [without, beside] : [beside, without];
      const ms = new Map();
      for (const contender of order) ms.set(contender, await timedB(contender));
      // The first round warms up.
      if (round > 0) ratios.push(ms.get(without) / ms.get(beside));
    }
    const keys = await place.queueKeys("parked");
    for (const contender of [without, beside]) await contender.call("verify");
    return {
      F: {
        ratio: rounded(median(ratios)),
        "queue keys per parked run": rounded(
          (Math.max(keys, keysBefore) - (await place.queueKeys("unparked"))) / PARKED,
        ),
      },
    };
  } finally {
    await Promise.all([without.close(), beside.close()]);
  }
}

async function timedB(contender) {
  await contender.call("prepare", 50);
  const startMs = performance.now();
  await contender.call("loops", 200, 50);
  return performance.now() - startMs;
}
