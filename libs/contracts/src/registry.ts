import type { AnyCall, Calls } from './call.ts';
import { changesCall } from './changes.calls.ts';
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

/** Every group of calls; a group that is not listed here has no routes and no client. */
export const callGroups = {
  package: packageCalls,
  courseCategory: courseCategoryCalls,
  course: courseCalls,
  courseSection: courseSectionCalls,
  courseGroup: courseGroupCalls,
  member: memberCalls,
  me: meCalls,
  access: accessCalls,
  lianxi: lianxiCalls,
  piyue: piyueCalls,
  jihua: jihuaCalls,
  daka: dakaCalls,
  courseReference: courseReferenceCalls,
  clazz: clazzCalls,
  enrolment: enrolmentCalls,
  relation: relationCalls,
  lesson: lessonCalls,
  series: seriesCalls,
  holiday: holidayCalls,
  closure: closureCalls,
  substitution: substitutionCalls,
  audit: auditCalls,
  refusal: refusalCalls,
  calendar: calendarCalls,
  policy: policyCalls,
  room: roomCalls,
  rollCall: rollCallCalls,
  leave: leaveCalls,
  hour: hourCalls,
  ledger: ledgerCalls,
  packageReference: packageReferenceCalls,
  clazzReference: clazzReferenceCalls,
  courseMember: courseMemberCalls,
  stats: statsCalls,
  statsRebuild: rebuildCalls,
} satisfies Record<string, Calls>;

/** What every log tells about itself. */
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

const unique = <T>(list: readonly T[], keyOf: (item: T) => string, what: string): readonly T[] => {
  const seen = new Set<string>();
  for (const item of list) {
    const key = keyOf(item);
    if (seen.has(key)) throw new Error(`${what} ${key} is declared twice`);
    seen.add(key);
  }
  return list;
};

export const allCalls: readonly AnyCall[] = unique(
  Object.values<Calls>(callGroups).flatMap((group) => Object.values(group)),
  (call) => call.id,
  'call',
);
/** Everything that has a route: also what gateways answer themselves. */
export const allRoutes: readonly AnyCall[] = [...allCalls, changesCall];
export const allEvents: readonly EventDef[] = unique(
  eventGroups.flatMap((group) => Object.values(group)),
  (event) => event.type,
  'event',
);

type HintMaker = (data: unknown) => Hint | readonly Hint[];

/** By type; the types say that each gets the data of its own event. */
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

/** What an event of this type hints at, from its data as its contract says it. */
export const hintsOf = (type: string, data: unknown): readonly Hint[] => [hintMakers.get(type)?.(data) ?? []].flat();
/** Whether events of this type hint at anything. */
export const isHinted = (type: string): boolean => hintMakers.has(type);
