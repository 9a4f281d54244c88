/**
 * Every refusal the API knows: a stable `code` and its HTTP status.
 * The code is the contract; the title is for people (RFC 9457).
 */
export const PROBLEMS = {
  invalid_request: [400, 'The request is not valid'],
  unauthenticated: [401, 'A valid bearer token is required'],
  forbidden: [403, 'Not allowed for the caller'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'The path exists, the method does not'],
  request_timeout: [408, 'The request came too slowly'],
  package_published: [409, 'The package is published and locked'],
  package_not_published: [409, 'The package is not published'],
  package_empty: [409, 'A package without items cannot be published'],
  package_incomplete: [409, 'A package with a price needs hours to be published'],
  invalid_transition: [409, 'This change of state is not possible'],
  clazz_closed: [409, 'The class is completed or cancelled'],
  clazz_full: [409, 'The class has no free seat'],
  room_too_small: [409, 'The room is too small for the class'],
  completion_blocked: [409, 'Something stands in the way of completion'],
  capacity_below_enrolled: [409, 'The capacity is below the number of enrolled students'],
  schedule_conflict: [409, 'The schedule clashes'],
  leave_exists: [409, 'There already is a leave for this lesson'],
  leave_too_late: [409, 'The deadline for leave has passed'],
  leave_quota: [409, 'The leave quota is used up'],
  already_attended: [409, 'The student was at the lesson'],
  credit_unavailable: [409, 'No make-up credit is available'],
  insufficient_hours: [409, 'Not enough lesson hours'],
  quote_stale: [409, 'The quote no longer holds'],
  roll_call_too_early: [409, 'The lesson has not begun'],
  mark_changed: [409, 'Somebody else has marked the student meanwhile'],
  edit_window_over: [409, 'The time for editing this roll call is over'],
  claim_held: [409, 'Somebody else has claimed this submission'],
  not_claimed: [409, 'The submission is not claimed by the caller'],
  not_marked: [409, 'The submission is not marked yet'],
  practice_closed: [409, 'The practice takes no more attempts'],
  attempts_used_up: [409, 'The student has no attempt left'],
  cycle: [409, 'The tree would contain a cycle'],
  too_deep: [409, 'Sections nest one level only'],
  order_mismatch: [409, 'The list does not match the stored members'],
  backfill_closed: [409, 'This day cannot be checked in'],
  in_use: [409, 'Still used elsewhere'],
  duplicate: [409, 'Already there'],
  idempotency_in_flight: [409, 'A request with this Idempotency-Key is still running'],
  version_mismatch: [412, 'The resource has changed since it was read'],
  payload_too_large: [413, 'The body is too large'],
  uri_too_long: [414, 'The URL is too long'],
  unsupported_media_type: [415, 'The body must be application/json'],
  idempotency_mismatch: [422, 'This Idempotency-Key was used with another request'],
  rate_limited: [429, 'Too many requests'],
  headers_too_large: [431, 'The headers are too large'],
  internal: [500, 'Something went wrong on our side'],
  unavailable: [503, 'Temporarily unavailable'],
  timeout: [504, 'The answer took too long'],
  outcome_unknown: [504, 'The change may have been stored: repeat it with the same Idempotency-Key'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** One field's problem; `path` is a JSON Pointer (RFC 6901) under `/body`, `/query` or `/path`. */
export interface FieldProblem {
  path: string;
  message: string;
}

export interface ProblemExtra {
  detail?: string;
  errors?: FieldProblem[];
  /** Further members of the document, e.g. `conflicts` of `schedule_conflict`. */
  members?: Record<string, unknown>;
}

/** A refusal. Thrown anywhere below a handler and turned into the answer in one place. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly extra: ProblemExtra;

  constructor(code: ProblemCode, extra: ProblemExtra | string = {}) {
    const details = typeof extra === 'string' ? { detail: extra } : extra;
    super(details.detail ?? code);
    this.name = 'Problem';
    this.code = code;
    this.extra = details;
  }

  get status(): number {
    return PROBLEMS[this.code][0];
  }
}

/** So many problems of fields are listed; a large body may have thousands. */
export const LISTED_ERRORS = 50;

/** The RFC 9457 document of a problem, as it goes over the wire. `errors_total` stands where not all are listed. */
export const problemDocument = (problem: Problem, request_id: string): Record<string, unknown> => {
  const [status, title] = PROBLEMS[problem.code];
  const { detail, errors, members } = problem.extra;
  return {
    type: `urn:problem:${problem.code}`,
    title,
    status,
    detail: detail ?? title,
    code: problem.code,
    request_id,
    ...(errors === undefined ? {} : { errors: errors.slice(0, LISTED_ERRORS) }),
    ...(errors === undefined || errors.length <= LISTED_ERRORS ? {} : { errors_total: errors.length }),
    ...members,
  };
};

/** A record that is not there for the caller: missing, of another org, or hidden. */
export const notFound = (what: string): Problem => new Problem('not_found', `${what} not found`);

/** Ids in the body that do not exist for the caller; each path is a JSON Pointer. */
export const unknownIds = (errors: FieldProblem[]): Problem =>
  new Problem('not_found', { detail: 'The request names something that does not exist', errors });
