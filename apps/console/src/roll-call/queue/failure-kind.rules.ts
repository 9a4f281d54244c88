import { ApiError } from '@teaching/client/browser';
import type { SentMarks } from './queue.rules.ts';

/** What a failure means for what was sent. */
export type FailureKind =
  /** It may go better by itself: nobody answered, or the session is over, or something is overloaded. */
  | { again: true; after_ms: number }
  /** It will not: because of some students, or (`null`) as a whole. */
  | { again: false; code: string; because: ReadonlySet<string> | null };

const PASSING = new Set([401, 429]);
const AT = /^\/body\/marks\/(\d+)(\/|$)/;

const namedBy = ({ problem }: ApiError, { marks }: SentMarks): string[] => {
  const { errors, students } = problem;
  const places = Array.isArray(errors)
    ? errors.flatMap((error: { path?: unknown }) => {
        const index = typeof error.path === 'string' ? AT.exec(error.path)?.[1] : undefined;
        const at = index === undefined ? undefined : marks[Number(index)];
        return at === undefined ? [] : [at.student_id];
      })
    : [];
  const short = Array.isArray(students)
    ? students.flatMap(({ student_id }: { student_id?: unknown }) =>
        typeof student_id === 'string' ? [student_id] : [],
      )
    : [];
  return [...places, ...short];
};

export const failureKindOf = (error: unknown, sent: SentMarks): FailureKind => {
  if (
    !(error instanceof ApiError) ||
    PASSING.has(error.status) ||
    error.status >= 500 ||
    error.code === 'idempotency_in_flight'
  )
    return { again: true, after_ms: error instanceof ApiError ? (error.retry_after_ms ?? 0) : 0 };
  const because = new Set(namedBy(error, sent));
  return { again: false, code: error.code, because: because.size === 0 ? null : because };
};
