import type { Envelope, EventData, EventDef } from '../../libs/contracts/src/event.ts';
import { clazzEvents } from '../../libs/contracts/src/clazz/clazz.events.ts';
import { newId } from '../../libs/kit/src/ids.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const BEGIN = Date.parse('2026-09-01T08:00:00.000Z');
const at = (ms: number): string => new Date(ms).toISOString();
const LONG_AGO = at(BEGIN - DAY_MS);

/** An event as it lies in the outbox. */
export interface Emitted {
  id: string;
  org_id: string;
  tx_id: string;
  subject: string;
  aggregate_id: string;
  event: string;
}

interface Student {
  id: string;
  enrolment_id: string;
  lot_id: string;
  /** Half of the hours run out one day. */
  expires_at: string | null;
}

export interface Clazz {
  org_id: string;
  id: string;
  teacher_id: string;
  students: readonly Student[];
  lesson_ids: readonly string[];
}

const makeClazz = (org_id: string, n: number, students: number, days: number): Clazz => ({
  org_id,
  id: newId(),
  teacher_id: `teacher-${n}`,
  students: Array.from({ length: students }, (_, s) => ({
    id: `student-${n}-${s}`,
    enrolment_id: newId(),
    lot_id: newId(),
    expires_at: s % 2 === 0 ? null : at(BEGIN + 400 * DAY_MS),
  })),
  lesson_ids: Array.from({ length: days }, newId),
});

/** Classes of several organizations, each with its students and a lesson a day. */
export const makeSchool = (orgs: number, clazzes: number, students: number, days: number): Clazz[] =>
  Array.from({ length: orgs }, newId).flatMap((org_id) =>
    Array.from({ length: clazzes }, (_, n) => makeClazz(org_id, n, students, days)),
  );

/** All events of one transaction. */
const transaction = (clazz: Clazz) => {
  const tx_id = newId();
  return <E extends EventDef>(def: E, aggregate_id: string, data: EventData<E>): Emitted => {
    const id = newId();
    const { org_id } = clazz;
    const envelope: Envelope = {
      specversion: '1.0',
      id,
      source: `/${def.service}`,
      type: def.type,
      subject: aggregate_id,
      time: LONG_AGO,
      datacontenttype: 'application/json',
      orgid: org_id,
      txid: tx_id,
      actor: clazz.teacher_id,
      requestid: tx_id,
      data,
    };
    return { id, org_id, tx_id, subject: def.subject(org_id), aggregate_id, event: JSON.stringify(envelope) };
  };
};

const lessonOf = (clazz: Clazz, day: number, status: 'scheduled' | 'held') => {
  const starts = BEGIN + day * DAY_MS;
  return {
    id: clazz.lesson_ids[day] ?? '',
    org_id: clazz.org_id,
    clazz_id: clazz.id,
    series_id: null,
    teacher_id: clazz.teacher_id,
    room: null,
    starts_at: at(starts),
    ends_at: at(starts + HOUR_MS),
    zone: 'UTC',
    hours: '1.00',
    status,
    cancelled_by: null,
    cancel_reason: null,
    version: status === 'held' ? 2 : 1,
    created_at: LONG_AGO,
    updated_at: LONG_AGO,
  };
};

const hoursOf = (
  { id, lot_id, expires_at }: Student,
  left: number,
  entry: { kind: 'grant' | 'consume'; amount: string },
) => ({
  student_id: id,
  balance: `${left}.00`,
  entries: [{ ...entry, id: newId(), lot_id, lesson_id: null, clazz_id: null, created_at: at(BEGIN) }],
  lots: [{ id: lot_id, kind: 'paid', granted: '1000.00', remaining: `${left}.00`, expires_at }],
});

const audited = (clazz: Clazz, action: 'create' | 'read', entity: 'clazz' | 'roll_call') => ({
  clazz_id: clazz.id,
  entries: [{ action, entity, entity_id: clazz.id, changes: {} }],
  actor_roles: ['TEACHER' as const],
  ip: '192.0.2.1',
  reason: null,
  trace_id: '0'.repeat(32),
});

/** A class with its students, their hours and its planned lessons. */
export const begin = (clazz: Clazz): Emitted[] => {
  const emit = transaction(clazz);
  const { org_id, id, teacher_id, students } = clazz;
  const period = { since: LONG_AGO, until: null };
  return [
    emit(clazzEvents.clazzChanged, id, {
      change: 'activated',
      clazz: {
        id,
        org_id,
        name: 'A class',
        course_id: null,
        course_package_id: null,
        lead_teacher_id: teacher_id,
        assistant_ids: [],
        capacity: null,
        zone: 'UTC',
        starts_on: null,
        ends_on: null,
        status: 'active',
        completed_at: null,
        version: 2,
        created_at: LONG_AGO,
        updated_at: LONG_AGO,
      },
    }),
    emit(clazzEvents.enrolmentChanged, id, {
      clazz_id: id,
      enrolments: students.map((student) => ({
        ...period,
        id: student.enrolment_id,
        clazz_id: id,
        student_id: student.id,
        status: 'active' as const,
        periods: [period],
      })),
    }),
    emit(clazzEvents.lessonChanged, id, {
      clazz_id: id,
      lessons: clazz.lesson_ids.map((_, day) => lessonOf(clazz, day, 'scheduled')),
    }),
    ...students.map((student) =>
      emit(clazzEvents.hoursMoved, student.id, hoursOf(student, 1_000, { kind: 'grant', amount: '1000.00' })),
    ),
  ];
};

/** The roll call of one lesson: everybody marked and charged. */
export const rollCall = (clazz: Clazz, day: number): Emitted[] => {
  const emit = transaction(clazz);
  const lesson = lessonOf(clazz, day, 'held');
  const mark = (student: Student, n: number) => ({
    student_id: student.id,
    mark: n % 10 === 9 ? ('absent' as const) : ('present' as const),
    revision: 1,
    marked_by: clazz.teacher_id,
    marked_at: lesson.ends_at,
    charged_hours: '1.00',
  });
  return [
    emit(clazzEvents.lessonChanged, clazz.id, { clazz_id: clazz.id, lessons: [lesson] }),
    ...clazz.students.map((student) =>
      emit(clazzEvents.hoursMoved, student.id, hoursOf(student, 999 - day, { kind: 'consume', amount: '-1.00' })),
    ),
    emit(clazzEvents.rollCallRecorded, clazz.id, { clazz_id: clazz.id, lesson, marks: clazz.students.map(mark) }),
    emit(clazzEvents.audited, clazz.id, audited(clazz, 'create', 'roll_call')),
  ];
};

/** Somebody looks at a class. */
export const look = (clazz: Clazz): Emitted[] => [
  transaction(clazz)(clazzEvents.audited, clazz.id, audited(clazz, 'read', 'clazz')),
];
