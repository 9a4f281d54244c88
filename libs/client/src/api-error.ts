/** A refusal: the problem document (RFC 9457) of the answer as an exception. */
export class ApiError extends Error {
  readonly status: number;
  /** The stable code, e.g. `package_published`. */
  readonly code: string;
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(status: number, problem: Readonly<Record<string, unknown>>) {
    const { title, detail, code } = problem;
    super(typeof detail === 'string' ? detail : typeof title === 'string' ? title : `HTTP ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.code = typeof code === 'string' ? code : 'unknown';
    this.problem = problem;
  }

  static async from(response: Response): Promise<ApiError> {
    const problem: unknown = await response.json().catch(() => ({}));
    return new ApiError(response.status, typeof problem === 'object' && problem !== null ? { ...problem } : {});
  }
}
