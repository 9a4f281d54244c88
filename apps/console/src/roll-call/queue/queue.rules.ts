import type { Mark } from '@teaching/contracts';

/** A mark that is not saved yet, as it is sent to the API. */
export interface QueuedMark {
  student_id: string;
  /** Null withdraws the saved mark. */
  mark: Mark | null;
  note: string | null;
  late_minutes: number | null;
  /** The revision that was on the screen. The API refuses to overwrite a newer one. */
  revision: number;
  /** The reason for correcting a closed roll call; else null. */
  reason: string | null;
}

/**
 * A request that was sent, perhaps processed, and not answered yet. It never changes, so that it can be repeated
 * with its key.
 */
export interface SentMarks {
  key: string;
  marks: readonly QueuedMark[];
}

export interface RefusedMark {
  /** The mark. The name of this field is stored in browsers, so it does not change. */
  said: QueuedMark;
  /** The problem code. `mark_changed`: another person marked the student differently meanwhile. */
  code: string;
}

/** The unsaved marks of one lesson. Each list contains a student at most once. */
export interface Queue {
  waiting: readonly QueuedMark[];
  sent: SentMarks | null;
  refused: readonly RefusedMark[];
}

export const EMPTY_QUEUE: Queue = { waiting: [], sent: null, refused: [] };

export const isEmpty = ({ waiting, sent, refused }: Queue): boolean =>
  waiting.length === 0 && sent === null && refused.length === 0;

const without = <T>(rows: readonly T[], students: ReadonlySet<string>, of: (row: T) => QueuedMark): readonly T[] =>
  rows.filter((row) => !students.has(of(row).student_id));
const sameMark = (mark: QueuedMark): QueuedMark => mark;
const studentsOf = (rows: readonly { student_id: string }[]): ReadonlySet<string> =>
  new Set(rows.map(({ student_id }) => student_id));

/** Adds new marks. They replace waiting and refused marks of the same students. Sent marks stay and go first. */
export const queueMarks = (queue: Queue, marks: readonly QueuedMark[]): Queue => {
  const students = studentsOf(marks);
  return {
    ...queue,
    waiting: [...without(queue.waiting, students, sameMark), ...marks],
    refused: without(queue.refused, students, ({ said }) => said),
  };
};

/** Removes the waiting and refused marks of these students; sent marks stay. */
export const unqueueMarks = (queue: Queue, student_ids: Iterable<string>): Queue => {
  const students = new Set(student_ids);
  return {
    ...queue,
    waiting: without(queue.waiting, students, sameMark),
    refused: without(queue.refused, students, ({ said }) => said),
  };
};

/** Merges two copies of a lesson's queue, the newer one second. The newest mark of each student counts. */
export const mergedQueue = (older: Queue, newer: Queue): Queue => {
  const base = unqueueMarks(
    older,
    newer.refused.map(({ said }) => said.student_id),
  );
  // A request of the newer copy waits for a different request of the older one.
  const later = older.sent === null || older.sent.key === newer.sent?.key ? [] : (newer.sent?.marks ?? []);
  const { waiting, refused } = queueMarks(queueMarks(base, later), newer.waiting);
  return { waiting, sent: older.sent ?? newer.sent, refused: [...refused, ...newer.refused] };
};

/** Queues a refused mark again, with the revision that the person has read and the reason that holds now. */
export const overrideRefusal = (
  queue: Queue,
  student_id: string,
  by: Pick<QueuedMark, 'revision' | 'reason'>,
): Queue => {
  const refused = queue.refused.find(({ said: mark }) => mark.student_id === student_id)?.said;
  return refused === undefined ? queue : queueMarks(queue, [{ ...refused, ...by }]);
};

/** Whether two marks may be in one request: it has one reason, and a refused withdrawal refuses all its marks. */
const isSameRequest = (one: QueuedMark, other: QueuedMark): boolean =>
  one.reason === other.reason && (one.mark === null) === (other.mark === null);

/**
 * Moves the first waiting mark, and all that may be in its request, to the next request. A request that is not answered
 * yet stays the next.
 */
export const nextToSend = (queue: Queue, newKey: () => string): Queue => {
  const [first] = queue.waiting;
  if (queue.sent !== null || first === undefined) return queue;
  return {
    ...queue,
    waiting: queue.waiting.filter((mark) => !isSameRequest(mark, first)),
    sent: { key: newKey(), marks: queue.waiting.filter((mark) => isSameRequest(mark, first)) },
  };
};

/** Removes the request with this key after it was saved. Waiting marks of its students get the new revisions. */
export const acknowledgeSaved = (
  queue: Queue,
  key: string,
  rows: readonly { student_id: string; revision: number }[],
): Queue => {
  if (queue.sent?.key !== key) return queue;
  const students = studentsOf(queue.sent.marks);
  const revisionOf = new Map(rows.map(({ student_id, revision }) => [student_id, revision]));
  const waiting = queue.waiting.map((mark) =>
    students.has(mark.student_id)
      ? { ...mark, revision: Math.max(mark.revision, revisionOf.get(mark.student_id) ?? 0) }
      : mark,
  );
  return { ...queue, sent: null, waiting };
};

/**
 * Removes the request with this key after it was refused: because of these students, or (`null`) as a whole. The API
 * stored none of it, so the other marks wait again. A newer mark of a refused student stays waiting.
 */
export const acknowledgeRefused = (
  queue: Queue,
  key: string,
  code: string,
  refusedStudents: ReadonlySet<string> | null,
): Queue => {
  if (queue.sent?.key !== key) return queue;
  const { marks } = queue.sent;
  const later = studentsOf(queue.waiting);
  const isRefused = ({ student_id }: QueuedMark): boolean =>
    refusedStudents === null || refusedStudents.has(student_id);
  const remaining = marks.filter(({ student_id }) => !later.has(student_id));
  return {
    sent: null,
    waiting: [...remaining.filter((mark) => !isRefused(mark)), ...queue.waiting],
    refused: [...queue.refused, ...remaining.filter(isRefused).map((said) => ({ said, code }))],
  };
};

export type Progress = 'saved' | 'waiting' | 'refused';

export interface MarkState {
  progress: Progress;
  /** The student's newest unsaved mark. */
  queuedMark: QueuedMark | null;
  code: string | null;
}
const SAVED: MarkState = { progress: 'saved', queuedMark: null, code: null };

/** Returns the state of each student's newest mark. */
export const markStates = ({ waiting, sent, refused }: Queue): ((student_id: string) => MarkState) => {
  const found = new Map<string, MarkState>();
  const put = (progress: Progress, mark: QueuedMark, code: string | null): void => {
    found.set(mark.student_id, { progress, queuedMark: mark, code });
  };
  for (const mark of sent?.marks ?? []) put('waiting', mark, null);
  for (const { said, code } of refused) put('refused', said, code);
  for (const mark of waiting) put('waiting', mark, null);
  return (student_id) => found.get(student_id) ?? SAVED;
};

/** The number of students with waiting and with refused marks. */
export const countsOf = (queue: Queue): { waiting: number; refused: number } => {
  const of = markStates(queue);
  const students = [
    ...new Set(
      [...queue.waiting, ...(queue.sent?.marks ?? []), ...queue.refused.map(({ said }) => said)].map(
        ({ student_id }) => student_id,
      ),
    ),
  ];
  const refused = students.filter((student_id) => of(student_id).progress === 'refused').length;
  return { waiting: students.length - refused, refused };
};
