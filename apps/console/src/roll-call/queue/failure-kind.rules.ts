import { ApiError } from '@teaching/client/browser';
import type { SentMarks } from './queue.rules.ts';

/** How the queue handles a failed request. */
export type FailureKind =
  /** It may succeed later: no answer, an ended session or an overloaded system. */
  | { again: true; after_ms: number }
  /** It will not succeed: because of these students, or (`null`) as a whole. */
  | { again: false; code: string; students: ReadonlySet<string> | null };

const PAUSE_MS = 1_000;
/** Marks are saved within this time after a service answers again. */
const LONGEST_PAUSE_MS = 4_000;

/** Milliseconds until the next attempt, after `tries` attempts without success. The API may require more. */
export const pauseAfter = (tries: number, required_ms: number): number =>
  Math.max(required_ms, Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** (tries - 1)));

const RETRIED_STATUSES = new Set([401, 429]);
const MARK_PATH = /^\/body\/marks\/(\d+)(\/|$)/;

const studentsNamedIn = ({ problem }: ApiError, { marks }: SentMarks): string[] => {
  const { errors, students } = problem;
  const byPath = Array.isArray(errors)
    ? errors.flatMap((error: { path?: unknown }) => {
        const index = typeof error.path === 'string' ? MARK_PATH.exec(error.path)?.[1] : undefined;
        const mark = index === undefined ? undefined : marks[Number(index)];
        return mark === undefined ? [] : [mark.student_id];
      })
    : [];
  const byStudent = Array.isArray(students)
    ? students.flatMap(({ student_id }: { student_id?: unknown }) =>
        typeof student_id === 'string' ? [student_id] : [],
      )
    : [];
  return [...byPath, ...byStudent];
};

export const failureKindOf = (error: unknown, sent: SentMarks): FailureKind => {
  if (
    !(error instanceof ApiError) ||
    RETRIED_STATUSES.has(error.status) ||
    error.status >= 500 ||
    error.code === 'idempotency_in_flight'
  )
    return { again: true, after_ms: error instanceof ApiError ? (error.retry_after_ms ?? 0) : 0 };
  const because = new Set(studentsNamedIn(error, sent));
  return { again: false, code: error.code, students: because.size === 0 ? null : because };
};
