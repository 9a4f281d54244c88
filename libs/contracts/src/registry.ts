import type { AnyCall, Calls } from './call.ts';
import { changesCalls } from './changes.calls.ts';
import type { Hint, HintsOf } from './changes.schema.ts';
import { accessCalls } from './clazz/access.calls.ts';
import { auditCalls } from './clazz/audit.calls.ts';
import { calendarCalls } from './clazz/calendar.calls.ts';
import { clazzCalls } from './clazz/clazz.calls.ts';
import { closureCalls } from './clazz/closure.calls.ts';
import { clazzEvents } from './clazz/clazz.events.ts';
import { clazzHints } from './clazz/clazz.hints.ts';
import { meCalls, memberCalls } from './clazz/member.calls.ts';
import { clazzReferenceCalls } from './clazz/reference.calls.ts';
import { courseCategoryCalls } from './course/category.calls.ts';
import { courseCalls } from './course/course.calls.ts';
import { enrolmentCalls, relationCalls } from './clazz/enrolment.calls.ts';
import { hourCalls } from './clazz/hour.calls.ts';
import { ledgerCalls } from './clazz/ledger.calls.ts';
import { leaveCalls } from './clazz/leave.calls.ts';
import { policyCalls } from './clazz/policy.calls.ts';
import { refusalCalls } from './clazz/refusal.calls.ts';
import { rollCallCalls } from './clazz/roll-call.calls.ts';
import { substitutionCalls } from './clazz/substitution.calls.ts';
import { roomCalls } from './clazz/room.calls.ts';
import { holidayCalls, lessonCalls, seriesCalls } from './clazz/lesson.calls.ts';
import { courseEvents } from './course/course.events.ts';
import { courseHints } from './course/course.hints.ts';
import { courseGroupCalls } from './course/group.calls.ts';
import { dakaCalls, jihuaCalls } from './course/jihua.calls.ts';
import { lianxiCalls } from './course/lianxi.calls.ts';
import { courseMemberCalls } from './course/member.calls.ts';
import { piyueCalls } from './course/piyue.calls.ts';
import { courseReferenceCalls } from './course/reference.calls.ts';
import { courseSectionCalls } from './course/section.calls.ts';
import type { EventDef } from './event.ts';
import { restoredEvent } from './log.ts';
import { packageCalls } from './package/package.calls.ts';
import { packageEvents } from './package/package.events.ts';
import { packageHints } from './package/package.hints.ts';
import { packageReferenceCalls } from './package/reference.calls.ts';
import { rebuildCalls } from './stats/rebuild.calls.ts';
import { statsCalls } from './stats/stats.calls.ts';

export const SERVICES = ['clazz', 'course', 'package', 'stats'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** All groups of calls. A group that is not listed here has no routes and no client. */
const callGroups = [
  packageCalls,
  courseCategoryCalls,
  courseCalls,
  courseSectionCalls,
  courseGroupCalls,
  memberCalls,
  meCalls,
  accessCalls,
  lianxiCalls,
  piyueCalls,
  jihuaCalls,
  dakaCalls,
  courseReferenceCalls,
  clazzCalls,
  enrolmentCalls,
  relationCalls,
  lessonCalls,
  seriesCalls,
  holidayCalls,
  closureCalls,
  substitutionCalls,
  auditCalls,
  refusalCalls,
  calendarCalls,
  policyCalls,
  roomCalls,
  rollCallCalls,
  leaveCalls,
  hourCalls,
  ledgerCalls,
  packageReferenceCalls,
  clazzReferenceCalls,
  courseMemberCalls,
  statsCalls,
  rebuildCalls,
] as const satisfies readonly Calls[];

/** The events about the logs themselves. */
const logEvents = {
  clazz: restoredEvent('clazz', 'domain'),
  clazzAudit: restoredEvent('clazz', 'audit'),
  course: restoredEvent('course', 'domain'),
  package: restoredEvent('package', 'domain'),
};

const eventGroups: readonly Readonly<Record<string, EventDef>>[] = [
  clazzEvents,
  courseEvents,
  packageEvents,
  logEvents,
];

/** The list itself. Throws if two items have the same key. */
const requireUnique = <T>(list: readonly T[], keyOf: (item: T) => string, kind: string): readonly T[] => {
  const seen = new Set<string>();
  for (const item of list) {
    const key = keyOf(item);
    if (seen.has(key)) throw new Error(`The ${kind} ${key} is declared twice`);
    seen.add(key);
  }
  return list;
};

export const allCalls: readonly AnyCall[] = requireUnique(
  callGroups.flatMap((group) => Object.values<AnyCall>(group)),
  (call) => call.id,
  'call',
);

/** The key and the call of each call with a route. */
const publicEntries = (groups: readonly Calls[]): [key: string, call: AnyCall][] =>
  groups.flatMap((group) => Object.entries(group)).filter(([, { http }]) => http !== null);

type EntryOf<G> = { [K in keyof G]: [key: K, call: G[K]] }[keyof G];
/** The calls with a route of all groups of a union type, by key. */
type PublicOf<G> = {
  readonly [
    E in G extends unknown ? EntryOf<G> : never as E[1] extends { '~route'?: infer R }
      ? undefined extends R
        ? never
        : E[0]
      : never
  ]: E[1];
};

/**
 * All calls that services handle over HTTP. The key of a call is its operation id in the OpenAPI document and the name
 * of its method in the client.
 */
// The type omits the same calls as the function: those without a route.
export const publicCalls = Object.fromEntries(publicEntries(callGroups)) as PublicOf<(typeof callGroups)[number]>;

/** All calls with a route, by operation id, including those that the gateway handles itself. */
export const operations: Calls = Object.fromEntries(
  requireUnique(publicEntries([...callGroups, changesCalls]), ([key]) => key, 'operation'),
);

export const allEvents: readonly EventDef[] = requireUnique(
  eventGroups.flatMap((group) => Object.values(group)),
  (event) => event.type,
  'event',
);

type HintMaker = (data: unknown) => Hint | readonly Hint[];

/** The hint function of each event type. The types ensure that each function gets the data of its own event. */
const makersOf = <E extends Readonly<Record<string, EventDef>>>(
  events: E,
  hints: HintsOf<E>,
): [type: string, make: HintMaker][] =>
  Object.entries(events).flatMap(([name, { type }]) => {
    const make = hints[name];
    return make == null ? [] : [[type, make as HintMaker]];
  });

const hintMakers = new Map([
  ...makersOf(clazzEvents, clazzHints),
  ...makersOf(courseEvents, courseHints),
  ...makersOf(packageEvents, packageHints),
]);

/** The hints of an event. `data` must match the contract of the event type. */
export const hintsOf = (type: string, data: unknown): readonly Hint[] => [hintMakers.get(type)?.(data) ?? []].flat();
/** Whether events of this type have hints. */
export const isHinted = (type: string): boolean => hintMakers.has(type);
