/** Milliseconds that an answer asks to wait (RFC 9110 §10.2.3), by seconds or by a date. */
const retryAfter = (headers: Headers): number | undefined => {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};

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

/** There was no answer, or not all of it: the connection broke, nobody listens, or it took too long. */
export class NoAnswerError extends Error {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : cause;
    super(`no answer: ${String(why)}`, { cause });
    this.name = 'NoAnswerError';
  }
}
