import { demandOf } from './demand.ts';
import { type Figures, type Part, PARTS, type Stored } from './figures.ts';
import { KIND_NAMES } from './kinds.ts';
import type { Profile } from './profile.ts';
import { recordOf } from './records.ts';

const DAY_S = 86_400;
const US = 1_000_000;
/** Days for which entries of the audit log stay beside the trail, and messages in a stream. */
const WEEK = 7;

/** What one organization costs: everything grows with their number. */
export interface Costs {
  /** Requests and roll calls a second at the peak. */
  requests: number;
  rollCalls: number;
  /** Cores that are busy at the peak, by part. */
  cores: Record<Part, number>;
  /** Of those of `clazz`, the share of the one instance that leads. */
  leader: number;
  /** Of the time of the one instance of statistics that follows. */
  follower: number;
  /** Of the day that recomputing the trails takes, when they are as long as after all years. */
  verifying: number;
  /** Bytes: of Postgres' log a second at the peak and on a day, of tables on the disk after all years. */
  walPeak: number;
  walDay: number;
  disk: Record<'domain' | 'log' | 'trail' | 'statistics', number>;
  /** Entries of the trail after all years. */
  entries: number;
  /** Bytes of a day's messages, in the larger of both kinds of streams. */
  streamDay: number;
}

type PerRequest = (kind: (typeof KIND_NAMES)[number]) => number;

export const costsOf = (figures: Figures, profile: Profile): Costs => {
  const { day, peak, made, schoolDays } = demandOf(profile);
  const { cpu_us, leader_us, stored, catch_up, verify } = figures;
  const sum = (of: typeof day, each: PerRequest): number =>
    KIND_NAMES.reduce((total, kind) => total + of[kind] * each(kind), 0);
  const kept = (what: keyof Stored): number =>
    schoolDays * sum(day, (kind) => stored[kind]?.[what] ?? 0) +
    made.lesson * figures.made.lesson[what] +
    made.enrolment * figures.made.enrolment[what];
  const onDisk = (what: keyof Stored): number => kept(what) * profile.years * profile.room;
  const aDay = (what: keyof Stored): number => kept(what) / schoolDays;
  const entries = kept('entries') * profile.years;
  const cores = (part: Part): number => sum(peak, (kind) => cpu_us[kind][part] ?? 0) / US;
  return {
    requests: sum(peak, () => 1),
    rollCalls: peak.roll_call,
    cores: recordOf(PARTS, cores),
    leader: sum(peak, (kind) => leader_us[kind] ?? 0) / US,
    follower: peak.roll_call / catch_up.roll_calls_per_s,
    verifying: entries / verify.entries_per_s / DAY_S,
    walPeak: sum(peak, (kind) => stored[kind]?.wal ?? 0),
    walDay: aDay('wal'),
    disk: {
      domain: onDisk('domain'),
      log: onDisk('log') + aDay('audit_log') * WEEK * profile.room,
      trail: onDisk('trail'),
      statistics: onDisk('statistics'),
    },
    entries,
    streamDay: Math.max(aDay('events_stream'), aDay('audit_stream')),
  };
};
