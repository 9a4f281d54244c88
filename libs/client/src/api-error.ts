import type { FieldProblem, ProblemCode, ProblemMembersOf } from '@teaching/contracts';

/** Milliseconds that an answer asks to wait (RFC 9110 §10.2.3), by seconds or by a date. */
const retryAfter = (headers: Headers): number | undefined => {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};

/** What every problem document says (RFC 9457). */
interface ProblemBase<C extends string> {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: C;
  request_id: string;
  /** All that is wrong with the request, by place. */
  errors?: readonly FieldProblem[];
  errors_total?: number;
}
/** The problem document of one code, with the members that this code may have. */
export type ProblemOf<C extends ProblemCode> = Readonly<ProblemBase<C> & ProblemMembersOf<C>>;

const membersOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const problem: unknown = JSON.parse(text);
    return typeof problem === 'object' && problem !== null ? { ...problem } : {};
  } catch {
    return {};
  }
};

/** A refusal: the problem document (RFC 9457) of the answer as an exception. */
export class ApiError extends Error {
  readonly status: number;
  /** The stable code, e.g. `package_published`. */
  readonly code: string;
  readonly problem: Readonly<Record<string, unknown>>;
  /** How long the answer asks to wait before the next try. */
  readonly retry_after_ms: number | undefined;

  constructor({ status, headers }: Response, text: string) {
    const problem = membersOf(text);
    const { title, detail, code } = problem;
    super(typeof detail === 'string' ? detail : typeof title === 'string' ? title : `HTTP ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.code = typeof code === 'string' ? code : 'unknown';
    this.problem = problem;
    this.retry_after_ms = retryAfter(headers);
  }
}

/** Whether a caught error is a refusal with this code. */
export const isProblem = <C extends ProblemCode>(
  error: unknown,
  code: C,
): error is ApiError & { readonly code: C; readonly problem: ProblemOf<C> } =>
  error instanceof ApiError && error.code === code;

/** There was no answer, or not all of it: the connection broke, nobody listens, or it took too long. */
export class NoAnswerError extends Error {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : cause;
    super(`no answer: ${String(why)}`, { cause });
    this.name = 'NoAnswerError';
  }
}
