import { type Lsn, nameOf, numberAt, type Segment, type TimelineRange } from './wal.rules.ts';

/** The positions and timeline of a base backup, and when it was finished. */
export interface BaseFacts {
  name: string;
  timeline: number;
  from: Lsn;
  to: Lsn;
  finished_at: Date;
}

const isOn = (way: readonly TimelineRange[], { timeline, to }: BaseFacts): boolean =>
  way.some((one) => one.timeline === timeline && (one.until === undefined || to <= one.until));

/** The newest base backup that leads to `at`: on the timeline's way, and finished by then. */
export const baseFor = <M extends BaseFacts>(
  bases: readonly M[],
  way: readonly TimelineRange[],
  at?: Date,
): M | undefined =>
  bases
    .filter((base) => isOn(way, base) && (at === undefined || base.finished_at <= at))
    .toSorted((a, b) => b.finished_at.getTime() - a.finished_at.getTime())[0];

export interface Needed {
  /** In order. The last one may be a segment that was never filled. */
  segments: Segment[];
  /** The first segment that is missing although later ones exist. */
  missing: Segment | undefined;
}

/** The segments of the write-ahead log from a base backup along a way, up to the first gap. */
export const neededFrom = (
  { timeline: first, from, to }: BaseFacts,
  way: readonly TimelineRange[],
  there: readonly Segment[],
  size: number,
): Needed => {
  const names = new Set(there.map((one) => nameOf(one, size)));
  const segments: Segment[] = [];
  let no = numberAt(from, size);
  for (const { timeline, until } of way.filter((one) => one.timeline >= first)) {
    const newest = Math.max(-1, ...there.filter((one) => one.timeline === timeline).map((one) => one.no));
    // A log that ends with a segment has not begun the next one.
    const least = timeline === first ? Math.ceil(Number(to) / size) - 1 : 0;
    const last = until === undefined ? Math.max(newest, least) : numberAt(until, size);
    for (; no <= last; no += 1) {
      const segment = { timeline, no };
      // Where a timeline was left, the next one has that segment from its beginning.
      const isLeft = until !== undefined && no === last;
      if (names.has(nameOf(segment, size))) segments.push(segment);
      else if (!isLeft) return { segments, missing: segment };
    }
    if (until !== undefined) no = numberAt(until, size);
  }
  return { segments, missing: undefined };
};

/** The base backups to keep: the newest `keep`. */
export const retainedBases = <M extends BaseFacts>(bases: readonly M[], keep: number): M[] =>
  bases.toSorted((a, b) => b.finished_at.getTime() - a.finished_at.getTime()).slice(0, keep);

/** Whether any of the kept base backups needs a segment. */
export const isNeeded = ({ no }: Segment, kept: readonly BaseFacts[], size: number): boolean =>
  kept.some(({ from }) => no >= numberAt(from, size));
