import { addDays } from '../../../libs/kit/src/base/time.ts';
import { inParallel } from '../../operators/cli/in-parallel.ts';
import type { SchoolClazz, Slot } from './clazzes.ts';
import type { Courses } from './courses.ts';
import { localOf } from './days.rules.ts';
import { hoursText } from './hours.rules.ts';
import { allOf, type SchoolContext, PARALLEL, unlessRefused } from './school-context.ts';
import type { Packages } from './packages.ts';
import { joinDay, TRIALS } from './special-students.ts';
import { closedDays, endOn, isOfSlot, type Term, termAround } from './term.rules.ts';

export interface MadeClazz {
  id: string;
  clazz: SchoolClazz;
}

interface ClazzLinks {
  course_id: string | undefined;
  course_package_id: string | undefined;
}

/** Lessons of a slot that ends so many days before the term does were never planned, rather than moved. */
const GAP_DAYS = 14;

export interface KnownClazz {
  id: string;
  name: string;
  course_id: string | null;
  status: string;
  zone: string;
  starts_on: string | null;
  ends_on: string | null;
  assistant_ids: string[];
}

/** The classes of the school that are there already; a new name or another course is no new class. */
export const knownClazz = (
  there: readonly KnownClazz[],
  { name }: SchoolClazz,
  course_id: string | undefined,
): KnownClazz | undefined =>
  there.find((it) => it.name === name) ?? there.find((it) => it.course_id !== null && it.course_id === course_id);

export const listClazzes = ({ office }: SchoolContext): Promise<KnownClazz[]> =>
  allOf((cursor) => office.listClazzes({ query: { limit: '100', cursor } }));

const enrol = async (making: SchoolContext, id: string, clazz: SchoolClazz, term: Term): Promise<void> => {
  const { office } = making;
  const there = await allOf((cursor) => office.listEnrolments({ path: { id }, query: { limit: '100', cursor } }));
  const missing = (wanted: readonly string[]): string[] =>
    wanted.filter((student_id) => !there.some((it) => it.student_id === student_id));
  const trial = TRIALS[clazz.key];
  const since = (day: string): string => `${day}T00:00:00Z`;
  const begin = missing(clazz.students.filter((student_id) => student_id !== trial));
  if (begin.length > 0)
    await office.enrolStudents({ path: { id }, body: { student_ids: begin, since: since(term.starts_on) } });
  if (trial !== undefined && missing([trial]).length > 0)
    await office.enrolStudents({ path: { id }, body: { student_ids: [trial], since: since(joinDay(term)) } });
  const waiting = missing(clazz.waiting ?? []);
  if (waiting.length > 0) await office.enrolStudents({ path: { id }, body: { student_ids: waiting, waitlist: true } });
};

/** Creates the lessons of a slot up to the end of the term: all, or those of an extension. */
const planSlot = async (
  { office }: SchoolContext,
  { id, clazz }: MadeClazz,
  { slot, zone, term, last }: { slot: Slot; zone: string; term: Term; last: string | undefined },
): Promise<void> => {
  if (last !== undefined && last >= addDays(term.ends_on, -GAP_DAYS)) return;
  const body = {
    starts_on: last === undefined ? term.starts_on : addDays(last, 1),
    start_time: slot.time,
    duration_minutes: clazz.minutes,
    zone,
    rrule: `FREQ=WEEKLY;BYDAY=${slot.days.join(',')}`,
    until: term.ends_on,
    hours: hoursText(clazz.minutes / 60),
    room: clazz.room,
  };
  await office.createLessonSeries({ path: { id }, body });
};

const planLessons = async (making: SchoolContext, made: MadeClazz, zone: string, term: Term): Promise<void> => {
  const { office } = making;
  const { id, clazz } = made;
  const there = await allOf((cursor) => office.listClazzLessons({ path: { id }, query: { limit: '100', cursor } }));
  const starts = there.map(({ starts_at }) => localOf(zone, starts_at));
  for (const slot of clazz.slots) {
    const days = starts.filter((at) => isOfSlot(slot, at)).map(({ day }) => day);
    await planSlot(making, made, { slot, zone, term, last: days.toSorted().at(-1) });
  }
};

const makeClazz = async (
  making: SchoolContext,
  clazz: SchoolClazz,
  { known, body, zone, term }: { known: KnownClazz | undefined; body: ClazzLinks; zone: string; term: Term },
): Promise<MadeClazz> => {
  const { office, onStep } = making;
  const { name, teacher, capacity, assistant } = clazz;
  const made =
    known ??
    (await office.createClazz({ body: { name, lead_teacher_id: teacher, capacity, zone, ...term, ...body } })).data;
  const path = { id: made.id };
  const running = { id: made.id, clazz };
  if (made.status === 'draft') {
    await enrol(making, made.id, clazz, term);
    await office.activateClazz({ path });
  }
  onStep();
  if (made.status !== 'draft' && made.status !== 'active') return running;
  if (assistant !== undefined && made.assistant_ids.length === 0)
    await office.putClazzAssistants({ path, body: { teacher_ids: [assistant] } });
  await planLessons(making, running, made.zone, term);
  if (made.ends_on !== null && made.ends_on < term.ends_on)
    await office.updateClazz({ path, body: { ends_on: term.ends_on } });
  onStep();
  return running;
};

/** The classes with their students and the lessons of the term. */
export const makeClazzes = async (
  making: SchoolContext,
  { frame, courses, packages }: { frame: Frame; courses: Courses; packages: Packages },
): Promise<MadeClazz[]> => {
  const { known, zone, term } = frame;
  const made: MadeClazz[] = [];
  await inParallel(making.clazzes, PARALLEL, (clazz) =>
    unlessRefused(clazz.name, making, async () => {
      const course_id = courses.get(clazz.course)?.id;
      const body = { course_id, course_package_id: packages.get(clazz.package) };
      made.push(await makeClazz(making, clazz, { known: knownClazz(known, clazz, course_id), body, zone, term }));
    }),
  );
  return made;
};

/** The existing data, the zone of the school, and its term, extended in time. */
export interface Frame {
  known: readonly KnownClazz[];
  zone: string;
  today: string;
  term: Term;
  closed: readonly string[];
}

/** An existing class tells when its term began. */
export const frameOf = (making: SchoolContext, known: readonly KnownClazz[], policyZone: string): Frame => {
  const first = making.clazzes.map((clazz) => knownClazz(known, clazz, undefined)).find((it) => it?.starts_on != null);
  const zone = first?.zone ?? policyZone;
  const today = localOf(zone, making.now).day;
  const fresh = termAround(today, making.length);
  const starts_on = first?.starts_on ?? fresh.starts_on;
  const term = { starts_on, ends_on: endOn(today, first?.ends_on ?? fresh.ends_on) };
  return { known, zone, today, term, closed: closedDays(term) };
};
