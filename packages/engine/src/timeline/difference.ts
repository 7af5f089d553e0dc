/** A stretch of the new text that stands in the old one: `at` and `from` count UTF-16 units in the new and the old text. */
export type Copy = { readonly at: number; readonly from: number; readonly length: number };

/** Shorter stretches are cheaper written than copied. */
const COPY_MIN_UNITS = 8;
const PROBE_UNITS = 32;
const PROBES_PER_GAP = 7;
/** Below this a gap is written whole; the compression has both sides of it anyway. */
const GAP_MIN_UNITS = 512;
/** How often a difference may search the old text from end to end: bounds the time for states that share nothing. */
const SEARCHES = 24;

type Gap = {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
};

/**
 * Stretches that `after` has in common with `before`, in its order and without overlap: the ends first, then what probes of the
 * rest find. A change in a few places of a large text leaves a few copies. Linear in the lengths of both.
 */
export function difference(before: string, after: string): Copy[] {
  const most = Math.min(before.length, after.length);
  const head = commonHead(before, 0, after, 0, most);
  const tail = commonTail(before, before.length, after, after.length, most - head);
  const searches = { left: SEARCHES };
  const gap = {
    oldStart: head,
    oldEnd: before.length - tail,
    newStart: head,
    newEnd: after.length - tail,
  };
  const inside = copiesIn(before, after, gap, searches);
  const found = [
    { at: 0, from: 0, length: head },
    ...inside,
    { at: gap.newEnd, from: gap.oldEnd, length: tail },
  ];
  return found.filter(({ length }) => length >= COPY_MIN_UNITS);
}

function copiesIn(before: string, after: string, gap: Gap, searches: { left: number }): Copy[] {
  const { oldStart, oldEnd, newStart, newEnd } = gap;
  if (newEnd - newStart < GAP_MIN_UNITS || oldEnd - oldStart < GAP_MIN_UNITS) return [];
  const anchor = anchorIn(before, after, gap, searches);
  if (anchor === null) return [];
  const { at, from } = anchor;
  const back = commonTail(before, from, after, at, Math.min(from - oldStart, at - newStart));
  const forth = commonHead(before, from, after, at, Math.min(oldEnd - from, newEnd - at));
  const copy = { at: at - back, from: from - back, length: back + forth };
  const left = { oldStart, oldEnd: copy.from, newStart, newEnd: copy.at };
  const right = {
    oldStart: copy.from + copy.length,
    oldEnd,
    newStart: copy.at + copy.length,
    newEnd,
  };
  return [...copiesIn(before, after, left, searches), copy, ...copiesIn(before, after, right, searches)];
}

/** A place where both texts agree: where nothing moved, where everything moved by the same, or anywhere. */
function anchorIn(
  before: string,
  after: string,
  { oldStart, oldEnd, newStart, newEnd }: Gap,
  searches: { left: number },
): { at: number; from: number } | null {
  const step = Math.floor((newEnd - newStart - PROBE_UNITS) / (PROBES_PER_GAP + 1));
  for (let nth = 1; nth <= PROBES_PER_GAP; nth += 1) {
    const at = newStart + nth * step;
    const probe = after.slice(at, at + PROBE_UNITS);
    for (const from of [oldStart + at - newStart, oldEnd - (newEnd - at)]) {
      if (from >= oldStart && from + PROBE_UNITS <= oldEnd && before.startsWith(probe, from))
        return { at, from };
    }
    if (searches.left === 0) return null;
    searches.left -= 1;
    const from = before.indexOf(probe, oldStart);
    if (from !== -1 && from + PROBE_UNITS <= oldEnd) return { at, from };
  }
  return null;
}

/** How many units, at most `most`, agree from these places on. Whole blocks first: they are compared as memory. */
function commonHead(a: string, aStart: number, b: string, bStart: number, most: number): number {
  let same = 0;
  for (let block = 4096; block >= 64; block = Math.floor(block / 8)) {
    while (
      same + block <= most &&
      a.slice(aStart + same, aStart + same + block) === b.slice(bStart + same, bStart + same + block)
    )
      same += block;
  }
  while (same < most && a.charCodeAt(aStart + same) === b.charCodeAt(bStart + same)) same += 1;
  return same;
}

/** How many units, at most `most`, agree before these places. */
function commonTail(a: string, aEnd: number, b: string, bEnd: number, most: number): number {
  let same = 0;
  for (let block = 4096; block >= 64; block = Math.floor(block / 8)) {
    while (
      same + block <= most &&
      a.slice(aEnd - same - block, aEnd - same) === b.slice(bEnd - same - block, bEnd - same)
    )
      same += block;
  }
  while (same < most && a.charCodeAt(aEnd - same - 1) === b.charCodeAt(bEnd - same - 1)) same += 1;
  return same;
}
