/**
 * All error codes of the API, each with its HTTP status and title. The code is stable. The title is for people and may
 * change (RFC 9457).
 */
export const PROBLEMS = {
  invalid_request: [400, 'The request is not valid. Correct the fields named in `errors`'],
  unauthenticated: [401, 'The bearer token is missing, invalid or expired. Send a valid token'],
  forbidden: [403, 'The caller is not permitted to do this'],
  not_found: [404, 'The path or a record does not exist for the caller'],
  method_not_allowed: [405, 'The path does not support this method. Use one named in `Allow`'],
  request_timeout: [408, 'The request arrived too slowly. Send it again'],
  package_published: [409, 'The package is published. Unpublish it before you change it'],
  package_not_published: [409, 'The package is not published'],
  package_empty: [409, 'The package has no items. Add items before you publish it'],
  package_incomplete: [409, 'The package has a price but no hours. Set `total_hours` above 0 before you publish it'],
  invalid_transition: [409, 'The record cannot change from its current state to the requested state'],
  clazz_closed: [409, 'The class is completed or cancelled and cannot be changed'],
  clazz_full: [409, 'The class has too few free seats. Use the waiting list or raise the capacity'],
  room_too_small: [409, 'The room has too few seats. Choose a larger room or raise its capacity'],
  lesson_in_use: [409, 'Only a new lesson without marks, leaves and bookings can be removed. Cancel it instead'],
  completion_blocked: [409, 'The class has blockers. Resolve them, or complete it with `force` and a reason'],
  capacity_below_enrolled: [409, 'The capacity is below the number of seats taken'],
  schedule_conflict: [409, 'The lesson clashes with other lessons of a teacher, room or student'],
  leave_exists: [409, 'The student already has a leave for this lesson'],
  leave_too_late: [409, 'The deadline for leave has passed, and the policy refuses late requests'],
  leave_quota: [409, 'The leave quota of the student is used up'],
  already_attended: [409, 'The student attended the lesson. Only a supervisor may approve leave, with a reason'],
  make_up_booked: [409, 'A make-up lesson is booked with this leave. Undo the booking first'],
  already_attending: [409, 'The student has a place in this lesson already. Choose another lesson'],
  credit_unavailable: [409, 'The leave has no make-up credit that can be used or returned'],
  insufficient_hours: [409, 'The student has too few lesson hours'],
  quote_stale: [409, 'The refund quote is no longer valid. Request a new quote'],
  roll_call_too_early: [409, 'Roll call has not opened for this lesson. Try again when it opens'],
  mark_changed: [409, 'Another person has changed the mark. Read the roll call again'],
  edit_window_over: [409, 'The edit window is over. Only a supervisor may change this, with a reason'],
  claim_held: [409, 'Another person has claimed this submission'],
  not_claimed: [409, 'The caller has not claimed this submission. Claim it first'],
  not_marked: [409, 'The submission is not marked. Mark it before you release it'],
  practice_closed: [409, 'The exercise is closed and accepts no more attempts'],
  attempts_used_up: [409, 'The student has used all attempts'],
  cycle: [409, 'The new parent is below this record. Choose another parent'],
  too_deep: [409, 'Sections nest one level only. Choose a section without a parent'],
  order_mismatch: [409, 'The list must contain each stored record exactly once'],
  backfill_closed: [409, 'A check-in for this day is not possible'],
  in_use: [409, 'Other records use this record. Remove the uses named in `used_by` first'],
  duplicate: [409, 'A record with these values already exists'],
  idempotency_in_flight: [409, 'A request with this Idempotency-Key is still running. Send it again later'],
  version_mismatch: [412, 'The record has changed since you read it. Read it again'],
  payload_too_large: [413, 'The request body is too large'],
  uri_too_long: [414, 'The URL is too long'],
  unsupported_media_type: [415, 'The body must be application/json'],
  idempotency_mismatch: [422, 'This Idempotency-Key was used with another request. Use a new key'],
  rate_limited: [429, 'Too many requests. Send it again after `Retry-After`'],
  headers_too_large: [431, 'The request headers are too large'],
  internal: [500, 'An internal error occurred. Report `request_id` to the operator'],
  unavailable: [
    503,
    'The service is temporarily unavailable and stored nothing. Send the request again after `Retry-After`',
  ],
  timeout: [504, 'The read took too long. Send it again'],
  outcome_unknown: [504, 'The write may have been stored. Repeat it with the same Idempotency-Key'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** A problem of one field. `path` is a JSON Pointer (RFC 6901) under `/body`, `/query` or `/path`. */
export interface FieldProblem {
  path: string;
  message: string;
}

export interface ProblemExtra {
  detail?: string;
  errors?: FieldProblem[];
  /** Additional members of the document, such as `conflicts` of `schedule_conflict`. */
  members?: Record<string, unknown>;
}

/** An error response. Handlers throw it; the kit turns it into the problem document. */
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

/** Maximum number of field problems in one response. A large body may have thousands. */
export const MAX_LISTED_ERRORS = 50;

/** The RFC 9457 document of a problem. It has `errors_total` if not all errors are listed. */
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
    ...(errors === undefined ? {} : { errors: errors.slice(0, MAX_LISTED_ERRORS) }),
    ...(errors === undefined || errors.length <= MAX_LISTED_ERRORS ? {} : { errors_total: errors.length }),
    ...members,
  };
};

/** The record does not exist for the caller: it is missing, hidden, or of another organization. */
export const notFound = (what: string): Problem => new Problem('not_found', `${what} not found`);

/** Ids in the body do not exist for the caller. Each path is a JSON Pointer. */
export const unknownIds = (errors: FieldProblem[]): Problem =>
  new Problem('not_found', {
    detail: 'The request contains ids that do not exist. `errors` names their paths',
    errors,
  });
