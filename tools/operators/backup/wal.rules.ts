/** A position in the write-ahead log, in bytes. Postgres writes it as two hexadecimal halves, `16/B374D848`. */
export type Lsn = bigint & { readonly brand: 'Lsn' };

const HALF = 32n;
const LOW = (1n << HALF) - 1n;

// The one place where text becomes a position in the log.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const asLsn = (value: bigint): Lsn => value as Lsn;

/** Parses a position. Throws if the text is none. */
export const lsnOf = (text: string): Lsn => {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? [];
  if (high === undefined || low === undefined) throw new Error(`no position in the write-ahead log: ${text}`);
  return asLsn((BigInt(`0x${high}`) << HALF) + BigInt(`0x${low}`));
};

/** The position in Postgres' notation. */
export const lsnText = (lsn: Lsn): string => `${(lsn >> HALF).toString(16)}/${(lsn & LOW).toString(16)}`.toUpperCase();

/** One file of the write-ahead log: its timeline and its number. */
export interface Segment {
  timeline: number;
  no: number;
}

const NAME = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/;
const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0');
/** Names count files of 4 GiB, whatever the size of a segment. */
const perFile = (size: number): number => 2 ** 32 / size;

/** The segment that a file's name denotes; undefined if it is none. `size` is that of a segment in bytes. */
export const segmentOf = (name: string, size: number): Segment | undefined => {
  const [, timeline, file, part] = NAME.exec(name) ?? [];
  if (timeline === undefined || file === undefined || part === undefined) return undefined;
  return {
    timeline: Number.parseInt(timeline, 16),
    no: Number.parseInt(file, 16) * perFile(size) + Number.parseInt(part, 16),
  };
};

export const nameOf = ({ timeline, no }: Segment, size: number): string =>
  `${hex(timeline)}${hex(Math.floor(no / perFile(size)))}${hex(no % perFile(size))}`;

/** The number of the segment that contains a position. */
export const numberAt = (lsn: Lsn, size: number): number => Number(lsn / BigInt(size));

export const historyName = (timeline: number): string => `${hex(timeline)}.history`;
export const timelineOfHistory = (name: string): number | undefined => {
  const [, timeline] = /^([0-9A-F]{8})\.history$/.exec(name) ?? [];
  return timeline === undefined ? undefined : Number.parseInt(timeline, 16);
};

/** A timeline of the log's way, and the position where it was left. The last one was not left. */
export interface TimelineRange {
  timeline: number;
  until: Lsn | undefined;
}

/** The way to a timeline from its history file, which has one line for each earlier timeline. The first one has no such file. */
export const wayTo = (timeline: number, history: string): TimelineRange[] => [
  ...history
    .split('\n')
    .map((line) => /^(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/i.exec(line))
    .flatMap((found) => (found === null ? [] : [{ timeline: Number(found[1]), until: lsnOf(found[2] ?? '') }])),
  { timeline, until: undefined },
];
