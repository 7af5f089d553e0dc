/** A control chain: nodes one after another; a fork fans out into chains that meet again in what follows it (F-9). */
export type Chain = readonly ChainItem[];
export type ChainItem = string | { readonly fork: readonly Chain[] };

/** A chain as a graph: where it begins, where it ends, and the steps between; all without doubles. */
export type Links = {
  readonly heads: readonly string[];
  readonly tails: readonly string[];
  readonly steps: readonly (readonly [from: string, to: string])[];
  /** True when the chain has more steps than `MAX_STEPS`; the rest is missing. */
  readonly tooMany: boolean;
};

/** Two forks in a row multiply, so a small file could ask for millions of edges. */
export const MAX_STEPS = 100_000;

/** The steps of a chain; what follows a fork is reached from the last node of every branch. */
export function linkChain(chain: Chain): Links {
  const budget = { left: MAX_STEPS };
  const { heads, tails, steps } = link(chain, budget);
  return { heads, tails, steps, tooMany: budget.left < 0 };
}

/** Every node that stands in a chain, each once, in the order they are met. */
export function chainNodes(chain: Chain): readonly string[] {
  const nodes = chain.flatMap((item) => (typeof item === "string" ? [item] : item.fork.flatMap(chainNodes)));
  return [...new Set(nodes)];
}

type Part = { heads: readonly string[]; tails: readonly string[]; steps: [string, string][] };

function link(chain: Chain, budget: { left: number }): Part {
  let heads: readonly string[] = [];
  let tails: readonly string[] = [];
  const steps: [string, string][] = [];
  for (const [index, item] of chain.entries()) {
    const part =
      typeof item === "string" ? { heads: [item], tails: [item], steps: [] } : linkFork(item.fork, budget);
    for (const step of part.steps) steps.push(step);
    if (index === 0) heads = part.heads;
    for (const from of tails) {
      budget.left -= part.heads.length;
      if (budget.left < 0) break;
      for (const to of part.heads) steps.push([from, to]);
    }
    tails = part.tails;
  }
  return { heads, tails, steps };
}

function linkFork(branches: readonly Chain[], budget: { left: number }): Part {
  const parts = branches.map((branch) => link(branch, budget));
  return {
    heads: [...new Set(parts.flatMap(({ heads }) => heads))],
    tails: [...new Set(parts.flatMap(({ tails }) => tails))],
    steps: parts.flatMap(({ steps }) => steps),
  };
}
