import type { FieldProblem, ProblemCode, ProblemMembersOf } from '@teaching/contracts';

/** The `Retry-After` of a response in milliseconds (RFC 9110 §10.2.3), from seconds or a date. */
const retryAfterMs = (headers: Headers): number | undefined => {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};

/** The members of every problem document (RFC 9457). */
interface ProblemBase<C extends string> {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: C;
  request_id: string;
  /** The problems of the request, by field. */
  errors?: readonly FieldProblem[];
  errors_total?: number;
}
/** The problem document of one code, with the additional members of this code. */
export type ProblemOf<C extends ProblemCode> = Readonly<ProblemBase<C> & ProblemMembersOf<C>>;

const membersOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const problem: unknown = JSON.parse(text);
    return typeof problem === 'object' && problem !== null ? { ...problem } : {};
  } catch {
    return {};
  }
};

/** An error response: its problem document (RFC 9457) as an exception. */
export class ApiError extends Error {
  readonly status: number;
  /** The stable error code, such as `package_published`; `unknown` if the response has none. */
  readonly code: string;
  readonly problem: Readonly<Record<string, unknown>>;
  /** Milliseconds to wait before the next attempt, if the response has `Retry-After`. */
  readonly retry_after_ms: number | undefined;

  constructor({ status, headers }: Response, text: string) {
    const problem = membersOf(text);
    const { title, detail, code } = problem;
    super(typeof detail === 'string' ? detail : typeof title === 'string' ? title : `HTTP ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.code = typeof code === 'string' ? code : 'unknown';
    this.problem = problem;
    this.retry_after_ms = retryAfterMs(headers);
  }
}

/** Whether a caught error is an error response with this code. */
export const isProblem = <C extends ProblemCode>(
  error: unknown,
  code: C,
): error is ApiError & { readonly code: C; readonly problem: ProblemOf<C> } =>
  error instanceof ApiError && error.code === code;

/** There was no complete response: the connection failed or broke, or the response took too long. */
export class NoAnswerError extends Error {
  constructor(cause: unknown) {
    const reason =
      cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : cause;
    super(`no response: ${String(reason)}`, { cause });
    this.name = 'NoAnswerError';
  }
}
