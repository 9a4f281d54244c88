import type { Mark } from '@teaching/contracts';

/** What somebody says of a student at a lesson. */
export interface QueuedMark {
  student_id: string;
  mark: Mark;
  note: string | null;
  late_minutes: number | null;
  /** The revision that was on the screen: a newer one of somebody else is not written over. */
  revision: number;
  /** Why a roll call is corrected that is closed. */
  reason: string | null;
}

/** Sent, perhaps stored, and not answered yet: it stays as it is, so that it can be sent again under its key. */
export interface SentMarks {
  key: string;
  marks: readonly QueuedMark[];
}

export interface RefusedMark {
  said: QueuedMark;
  /** Of the problem. `mark_changed`: somebody else said something different meanwhile. */
  code: string;
}

/** What was said about one lesson and is not saved yet. No student stands twice in one of the lists. */
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
const itself = (said: QueuedMark): QueuedMark => said;
const studentsOf = (rows: readonly { student_id: string }[]): ReadonlySet<string> =>
  new Set(rows.map(({ student_id }) => student_id));

/** The newest word counts: it replaces one that still waits, and one that was refused. What was sent goes before it. */
export const queueMarks = (queue: Queue, said: readonly QueuedMark[]): Queue => {
  const students = studentsOf(said);
  return {
    ...queue,
    waiting: [...without(queue.waiting, students, itself), ...said],
    refused: without(queue.refused, students, (one) => one.said),
  };
};

/** Nothing is said of the student any more, except what was sent. */
export const unqueueMark = (queue: Queue, student_id: string): Queue => {
  const students = new Set([student_id]);
  return {
    ...queue,
    waiting: without(queue.waiting, students, itself),
    refused: without(queue.refused, students, (one) => one.said),
  };
};

/** What was said about a lesson and is kept in two places, the newer one second: the newest word about a student counts. */
export const mergedQueue = (older: Queue, newer: Queue): Queue => {
  const base = newer.refused.reduce((queue, { said }) => unqueueMark(queue, said.student_id), older);
  // What was sent here last waits for what was sent before it.
  const later = older.sent === null || older.sent.key === newer.sent?.key ? [] : (newer.sent?.marks ?? []);
  const { waiting, refused } = queueMarks(queueMarks(base, later), newer.waiting);
  return { waiting, sent: older.sent ?? newer.sent, refused: [...refused, ...newer.refused] };
};

/** What was refused is said once more, by somebody who has read this revision. */
export const overrideRefusal = (queue: Queue, student_id: string, revision: number): Queue => {
  const said = queue.refused.find((one) => one.said.student_id === student_id)?.said;
  return said === undefined ? queue : queueMarks(queue, [{ ...said, revision }]);
};

/** Makes all that waits, and has one reason, the next to be sent; while something is sent, that stays the next. */
export const nextToSend = (queue: Queue, newKey: () => string): Queue => {
  const [first] = queue.waiting;
  if (queue.sent !== null || first === undefined) return queue;
  return {
    ...queue,
    waiting: queue.waiting.filter(({ reason }) => reason !== first.reason),
    sent: { key: newKey(), marks: queue.waiting.filter(({ reason }) => reason === first.reason) },
  };
};

/** What was sent under the key is saved: what waits about the same students has read it. */
export const wasSaved = (
  queue: Queue,
  key: string,
  rows: readonly { student_id: string; revision: number }[],
): Queue => {
  if (queue.sent?.key !== key) return queue;
  const students = studentsOf(queue.sent.marks);
  const revisionOf = new Map(rows.map(({ student_id, revision }) => [student_id, revision]));
  const waiting = queue.waiting.map((said) =>
    students.has(said.student_id)
      ? { ...said, revision: Math.max(said.revision, revisionOf.get(said.student_id) ?? 0) }
      : said,
  );
  return { ...queue, sent: null, waiting };
};

/**
 * What was sent under the key is refused: because of these of its students, or (`null`) as a whole. Nothing of it was
 * stored, so the others wait again, and so does what was said after it.
 */
export const wasRefused = (queue: Queue, key: string, code: string, because: ReadonlySet<string> | null): Queue => {
  if (queue.sent?.key !== key) return queue;
  const { marks } = queue.sent;
  const later = studentsOf(queue.waiting);
  const isTheirs = ({ student_id }: QueuedMark): boolean => because === null || because.has(student_id);
  const left = marks.filter(({ student_id }) => !later.has(student_id));
  return {
    sent: null,
    waiting: [...left.filter((said) => !isTheirs(said)), ...queue.waiting],
    refused: [...queue.refused, ...left.filter(isTheirs).map((said) => ({ said, code }))],
  };
};

export type Progress = 'saved' | 'waiting' | 'refused';

export interface MarkState {
  progress: Progress;
  /** The newest word that is not saved. */
  said: QueuedMark | null;
  code: string | null;
}
const SAVED: MarkState = { progress: 'saved', said: null, code: null };

/** How it stands about each student of whom something is not saved. */
export const markStates = ({ waiting, sent, refused }: Queue): ((student_id: string) => MarkState) => {
  const found = new Map<string, MarkState>();
  const put = (progress: Progress, said: QueuedMark, code: string | null): void => {
    found.set(said.student_id, { progress, said, code });
  };
  for (const said of sent?.marks ?? []) put('waiting', said, null);
  for (const { said, code } of refused) put('refused', said, code);
  for (const said of waiting) put('waiting', said, null);
  return (student_id) => found.get(student_id) ?? SAVED;
};

/** How many students wait, and how many are refused. */
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
