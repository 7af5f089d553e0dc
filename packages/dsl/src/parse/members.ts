import { compareText } from "@agentflow/core";
import { chainNodes } from "../chain.ts";
import type { Chain } from "../chain.ts";
import type { NodeDraft, RunDraft, SubflowDraft } from "./scope.ts";

type Drafts = ReadonlyMap<string, NodeDraft>;

/**
 * The nodes of each subflow by its id, sorted (F-17): its chain with all branches, its bound inputs, and what only they
 * read from. What the parent or another subflow reads as well stays in the parent graph, where lint finds the edge (D23).
 */
export function findMembers(
  drafts: Drafts,
  subflows: readonly SubflowDraft[],
  run: RunDraft | null,
): ReadonlyMap<string, readonly string[]> {
  const taken = new Set<string>(run ? withBranches(drafts, run.chain) : []);
  for (const { branches } of drafts.values()) {
    for (const id of [...chainNodes(branches.then), ...chainNodes(branches.else)]) taken.add(id);
  }
  const cores = new Map<string, ReadonlySet<string>>();
  for (const subflow of subflows) {
    const core = new Set([
      ...withBranches(drafts, subflow.chain),
      ...[...subflow.inputs.values()].filter((id) => drafts.has(id)),
    ]);
    for (const id of core) taken.add(id);
    cores.set(subflow.id, core);
  }
  const readers = findReaders(drafts);
  const binders = findBinders(subflows);
  const members = new Map<string, readonly string[]>();
  for (const subflow of subflows) {
    const core = cores.get(subflow.id) ?? new Set();
    const pulled = readFrom(drafts, core, subflow.outputs, taken);
    for (const id of [...pulled]) {
      const readOutside = [...(readers.get(id) ?? [])].some(
        (reader) => !core.has(reader) && !pulled.has(reader),
      );
      const boundOutside = [...(binders.get(id) ?? [])].some((binder) => binder !== subflow.id);
      if (readOutside || boundOutside) drop(drafts, pulled, id);
    }
    members.set(subflow.id, [...core, ...pulled].sort(compareText));
  }
  return members;
}

/** The nodes of a chain and of the branches of every `control.if` in it. */
function withBranches(drafts: Drafts, chain: Chain): ReadonlySet<string> {
  const nodes = new Set(chainNodes(chain));
  for (const id of nodes) {
    const branches = drafts.get(id)?.branches;
    if (branches)
      for (const inner of [...chainNodes(branches.then), ...chainNodes(branches.else)]) nodes.add(inner);
  }
  return nodes;
}

/** Which nodes read from a node. */
function findReaders(drafts: Drafts): ReadonlyMap<string, ReadonlySet<string>> {
  const readers = new Map<string, Set<string>>();
  for (const { id, sources } of drafts.values()) {
    for (const { node } of sources.values()) add(readers, node, id);
  }
  return readers;
}

/** Which subflows bind an output of a node in their contract. */
function findBinders(subflows: readonly SubflowDraft[]): ReadonlyMap<string, ReadonlySet<string>> {
  const binders = new Map<string, Set<string>>();
  for (const { id, outputs } of subflows) {
    for (const { node } of outputs.values()) add(binders, node, id);
  }
  return binders;
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  const found = map.get(key);
  if (found) found.add(value);
  else map.set(key, new Set([value]));
}

/** Nodes in no chain that the core, or the contract's outputs, read from over any number of wires. */
function readFrom(
  drafts: Drafts,
  core: ReadonlySet<string>,
  outputs: SubflowDraft["outputs"],
  taken: ReadonlySet<string>,
): Set<string> {
  const pulled = new Set<string>();
  const pull = (id: string): void => {
    if (drafts.has(id) && !taken.has(id)) pulled.add(id);
  };
  const pullSources = (id: string): void => {
    for (const { node } of drafts.get(id)?.sources.values() ?? []) pull(node);
  };
  for (const { node } of outputs.values()) pull(node);
  for (const id of core) pullSources(id);
  for (const id of pulled) pullSources(id);
  return pulled;
}

/** Takes a node and everything it reads from out of the set: the reader outside makes them the parent's. */
function drop(drafts: Drafts, pulled: Set<string>, id: string): void {
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (!pulled.delete(at)) continue;
    for (const { node } of drafts.get(at)?.sources.values() ?? []) open.push(node);
  }
}
