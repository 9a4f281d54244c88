import { clazzEvents, courseEvents, type EventData } from '@teaching/contracts';
import { eventsOf, type Received, sequenceOf } from '@teaching/kit';
import type { Folded, LessonRow } from './records.ts';

/** Keeps one row for each record: the later one. */
class Latest<R extends { org_id: string }> {
  readonly #rows = new Map<string, R>();
  readonly #keyOf: (row: R) => string;
  readonly #isLater: (row: R, than: R) => boolean;

  constructor(keyOf: (row: R) => string, isLater: (row: R, than: R) => boolean) {
    this.#keyOf = keyOf;
    this.#isLater = isLater;
  }

  add(row: R): void {
    const key = `${row.org_id} ${this.#keyOf(row)}`;
    const known = this.#rows.get(key);
    if (known === undefined || this.#isLater(row, known)) this.#rows.set(key, row);
  }

  /** Sorted, so that two writers never lock rows in opposite orders. */
  get rows(): R[] {
    return [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }
}

type Seq = { seq: number };
type Versioned = Seq & { version: number };
type Revised = Seq & { revision: number };
const bySeq = (a: Seq, b: Seq): boolean => a.seq > b.seq;
const byVersion = (a: Versioned, b: Versioned): boolean =>
  a.version > b.version || (a.version === b.version && a.seq > b.seq);
const byRevision = (a: Revised, b: Revised): boolean =>
  a.revision > b.revision || (a.revision === b.revision && a.seq > b.seq);
const byId = ({ id }: { id: string }): string => id;

const multirange = (periods: readonly { since: string; until: string | null }[]): string =>
  `{${periods
    .filter(({ since, until }) => until === null || until > since)
    .map(({ since, until }) => `[${since},${until ?? ''})`)
    .join(',')}}`;

type Lesson = EventData<typeof clazzEvents.lessonChanged>['lessons'][number];
const lessonRow = (lesson: Lesson, org_id: string, seq: number): LessonRow => ({
  org_id,
  id: lesson.id,
  clazz_id: lesson.clazz_id,
  teacher_id: lesson.teacher_id,
  starts_at: lesson.starts_at,
  ends_at: lesson.ends_at,
  hours: lesson.hours,
  status: lesson.status,
  version: lesson.version,
  seq,
});

/** Later than any version, and known even when nothing else about the lesson ever arrived. */
const LAST_VERSION = 2_147_483_647;
const EPOCH = '1970-01-01T00:00:00.000Z';
const deletedLesson = (id: string, clazz_id: string, org_id: string, seq: number): LessonRow => ({
  org_id,
  id,
  clazz_id,
  teacher_id: '-',
  starts_at: EPOCH,
  ends_at: EPOCH,
  hours: '0.00',
  status: 'deleted',
  version: LAST_VERSION,
  seq,
});

const foldClasses = (batch: readonly Received[]) => {
  const clazzes = new Latest<Folded['clazzes'][number]>(byId, byVersion);
  for (const event of eventsOf(batch, clazzEvents.clazzChanged)) {
    const { clazz, change } = event.data;
    clazzes.add({
      org_id: event.orgid,
      id: clazz.id,
      name: clazz.name,
      status: change === 'deleted' ? 'deleted' : clazz.status,
      lead_teacher_id: clazz.lead_teacher_id,
      version: clazz.version,
      seq: sequenceOf(event),
    });
  }
  return clazzes.rows;
};

const foldEnrolments = (batch: readonly Received[]) => {
  const enrolments = new Latest<Folded['enrolments'][number]>(byId, bySeq);
  for (const event of eventsOf(batch, clazzEvents.enrolmentChanged)) {
    for (const { id, clazz_id, student_id, status, periods } of event.data.enrolments) {
      const during = multirange(periods);
      enrolments.add({ org_id: event.orgid, id, clazz_id, student_id, status, during, seq: sequenceOf(event) });
    }
  }
  return enrolments.rows;
};

const foldLessons = (batch: readonly Received[]) => {
  const lessons = new Latest<LessonRow>(byId, byVersion);
  for (const event of eventsOf(batch, clazzEvents.lessonChanged)) {
    for (const lesson of event.data.lessons) lessons.add(lessonRow(lesson, event.orgid, sequenceOf(event)));
  }
  for (const event of eventsOf(batch, clazzEvents.rollCallRecorded)) {
    lessons.add(lessonRow(event.data.lesson, event.orgid, sequenceOf(event)));
  }
  for (const event of eventsOf(batch, clazzEvents.lessonDeleted)) {
    const { clazz_id, lesson_ids } = event.data;
    for (const id of lesson_ids) lessons.add(deletedLesson(id, clazz_id, event.orgid, sequenceOf(event)));
  }
  return lessons.rows;
};

const foldMarks = (batch: readonly Received[]) => {
  const marks = new Latest<Folded['marks'][number]>((row) => `${row.lesson_id} ${row.student_id}`, byRevision);
  const rollCalls = new Latest<Folded['roll_calls'][number]>(
    (row) => row.lesson_id,
    (a, b) => a.taken_at < b.taken_at,
  );
  for (const event of eventsOf(batch, clazzEvents.rollCallRecorded)) {
    const lesson_id = event.data.lesson.id;
    for (const mark of event.data.marks) {
      marks.add({ ...mark, org_id: event.orgid, lesson_id, seq: sequenceOf(event) });
      if (mark.mark !== null) rollCalls.add({ org_id: event.orgid, lesson_id, taken_at: mark.marked_at });
    }
  }
  return { marks: marks.rows, roll_calls: rollCalls.rows };
};

const foldLeaves = (batch: readonly Received[]) => {
  const leaves = new Latest<Folded['leaves'][number]>(byId, bySeq);
  for (const event of eventsOf(batch, clazzEvents.leaveChanged)) {
    for (const leave of event.data.leaves) leaves.add({ ...leave, org_id: event.orgid, seq: sequenceOf(event) });
  }
  return leaves.rows;
};

const foldHours = (batch: readonly Received[]) => {
  const entries = new Latest<Folded['entries'][number]>(byId, () => false);
  const lots = new Latest<Folded['lots'][number]>(byId, bySeq);
  for (const event of eventsOf(batch, clazzEvents.hoursMoved)) {
    const { student_id } = event.data;
    for (const entry of event.data.entries) entries.add({ ...entry, org_id: event.orgid, student_id });
    for (const lot of event.data.lots) lots.add({ ...lot, org_id: event.orgid, student_id, seq: sequenceOf(event) });
  }
  return { entries: entries.rows, lots: lots.rows };
};

const foldMarkings = (batch: readonly Received[]) => {
  const markings = new Latest<Folded['markings'][number]>(
    (row) => row.submission_id,
    (a, b) => a.revision < b.revision,
  );
  for (const { orgid, data } of eventsOf(batch, courseEvents.submissionMarked)) {
    const { submission_id, marker_id, student_id, submitted_at, marked_at, revision } = data;
    markings.add({ org_id: orgid, submission_id, marker_id, student_id, submitted_at, marked_at, revision });
  }
  return markings.rows;
};

const foldMembers = (batch: readonly Received[]) => {
  const members = new Latest<Folded['members'][number]>((row) => row.user_id, bySeq);
  for (const event of eventsOf(batch, courseEvents.membersChanged)) {
    for (const { user_id, display_name } of event.data.members) {
      members.add({ org_id: event.orgid, user_id, display_name, seq: sequenceOf(event) });
    }
  }
  return members.rows;
};

/** Brings a batch of events down to the last state of each record. The order of the batch does not matter. */
export const fold = (batch: readonly Received[]): Folded => ({
  clazzes: foldClasses(batch),
  enrolments: foldEnrolments(batch),
  lessons: foldLessons(batch),
  ...foldMarks(batch),
  leaves: foldLeaves(batch),
  ...foldHours(batch),
  markings: foldMarkings(batch),
  members: foldMembers(batch),
});

/** The event types statistics are made of. */
export const FED_BY: readonly string[] = [
  clazzEvents.clazzChanged,
  clazzEvents.enrolmentChanged,
  clazzEvents.lessonChanged,
  clazzEvents.lessonDeleted,
  clazzEvents.rollCallRecorded,
  clazzEvents.leaveChanged,
  clazzEvents.hoursMoved,
  courseEvents.membersChanged,
  courseEvents.submissionMarked,
].map(({ type }) => type);
