import { cpuMs } from "./cpu.mjs";
import { median, percentile, rounded } from "./figures.mjs";

const B_ITERATIONS = 50;
/** Iterations of A, and loops of B. */
export const WHOLE = { a: 500, loops: 200 };
/** Five rounds of five contenders fit into three minutes, with more loops than slots all the same. */
export const QUICK = { a: 250, loops: 80 };

/** Runs A, B and C with every contender in turn, `rounds` times, so that the machine's moods meet all of them. */
export async function measureRounds(contenders, { rounds, samples, size, pids, say }) {
  const measured = new Map(contenders.map(({ name }) => [name, []]));
  for (const contender of contenders) await warmUp(contender, size);
  for (let round = 1; round <= rounds; round++) {
    // Every second round goes the other way, so that nobody always follows the same neighbour.
    const order = round % 2 === 1 ? contenders : contenders.toReversed();
    for (const contender of order) {
      say(`round ${round} of ${rounds}: ${contender.name}`);
      measured.get(contender.name).push(await measureRound(contender, { samples, size, pids }));
    }
  }
  return measured;
}

async function warmUp(contender, size) {
  await contender.call("loops", size.loops / 4, B_ITERATIONS);
  await contender.call("loops", 1, size.a);
  await contender.call("loops", 1, 1);
  if (contender.prepares) await contender.call("prepare", size.a);
  await contender.call("verify");
}

async function measureRound(contender, { samples, size, pids }) {
  const a = await timed(contender, 1, size.a, pids);
  const b = await timed(contender, size.loops, B_ITERATIONS, pids);
  const rss = await contender.call("memory");
  const latenciesMs = [];
  for (let n = 0; n < (samples[contender.name] ?? samples.default); n++)
    latenciesMs.push((await timed(contender, 1, 1, null)).ms);
  await contender.call("verify");
  return {
    a: (size.a / a.ms) * 1000,
    b: ((size.loops * B_ITERATIONS) / b.ms) * 1000,
    cpuMsPerIteration: b.cpuMs === null ? null : b.cpuMs / (size.loops * B_ITERATIONS),
    rssMiB: rss / 1_048_576,
    latenciesMs,
  };
}

async function timed(contender, loops, iterations, pids) {
  const roots = pids === null ? null : [contender.pid, ...pids];
  const cpuBefore = roots && cpuMs(roots);
  const startMs = performance.now();
  await contender.call("loops", loops, iterations);
  const ms = performance.now() - startMs;
  return { ms, cpuMs: roots === null || cpuBefore === null ? null : cpuMs(roots) - cpuBefore };
}

/** Medians per contender. */
export function summary(measured) {
  return Object.fromEntries(
    [...measured].map(([name, rounds]) => {
      const latencies = rounds.flatMap(({ latenciesMs }) => latenciesMs);
      const cpu = rounds.map(({ cpuMsPerIteration }) => cpuMsPerIteration).filter((value) => value !== null);
      return [
        name,
        {
          "A it/s": rounded(median(rounds.map(({ a }) => a))),
          "B it/s": rounded(median(rounds.map(({ b }) => b))),
          "B CPU ms/it": rounded(median(cpu)),
          "RSS MiB": rounded(median(rounds.map(({ rssMiB }) => rssMiB))),
          "C p50 ms": rounded(percentile(latencies, 0.5)),
          "C p95 ms": rounded(percentile(latencies, 0.95)),
        },
      ];
    }),
  );
}

/** Ours on Redis by each other, and by the best peer of each round: medians of the ratios of the same round. */
export function ratios(measured) {
  const ours = measured.get("redis") ?? [];
  const found = {};
  const add = (key, values) => {
    if (values.length > 0) found[key] = rounded(median(values));
  };
  const others = [...measured].filter(([name]) => name !== "redis");
  for (const figure of ["a", "b"]) {
    const letter = figure.toUpperCase();
    for (const [name, rounds] of others)
      add(
        `${letter}/${name}`,
        rounds.map((other, round) => ours[round][figure] / other[figure]),
      );
    const peers = others.filter(([name]) => !["postgres", "bursts", "bullmq"].includes(name));
    const best = (round) => Math.max(...peers.map(([, rounds]) => rounds[round][figure]));
    if (peers.length === 0) continue;
    add(
      `${letter}/best`,
      ours.map((own, round) => own[figure] / best(round)),
    );
    add(
      `bursts/${letter}/best`,
      (measured.get("bursts") ?? []).map((own, round) => own[figure] / best(round)),
    );
  }
  if (found["B/postgres"] !== undefined) found["postgres/B/redis"] = rounded(1 / found["B/postgres"]);
  return found;
}
