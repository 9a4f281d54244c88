import { receivedDeadline, type SentDeadline, sentDeadline } from './call-deadline.ts';

/**
 * The head of a call. A message on the bus is one line of JSON, the head, and then the unchanged bytes of the body. One
 * line is cheaper than NATS headers. The body is parsed once, by the process that needs it.
 */
export interface CallHead {
  /** The caller, signed by the gateway. Left out in calls of `anyone` and in calls that a service makes for itself. */
  caller?: string;
  request_id: string;
  /** Milliseconds of `performance.now()` of this process after which the caller no longer waits for the answer. */
  deadline: number;
  path?: Record<string, string>;
  /** Raw query string without `?`. */
  query?: string;
  idempotency_key?: string;
  if_match?: string;
  if_none_match?: string;
  if_modified_since?: string;
  consistency_token?: string;
  /** The content type that the caller prefers to JSON. */
  accept?: string;
  /** W3C traceparent. */
  trace?: string;
  ip?: string;
}

/** The head of a call as it is sent. Its times follow the rules of `call-deadline.ts`. */
export type SentHead = Omit<CallHead, 'deadline'> & SentDeadline;

export interface ReplyHead {
  status: number;
  /** The `request_id` of the call that this answers. Callers refuse a reply without it. */
  request_id?: string;
  etag?: string;
  consistency_token?: string;
  /** The content type, if it is not JSON. */
  type?: string;
  /** The body is not complete: call again with this cursor and append the next body. */
  next?: string;
  headers?: Record<string, string>;
}

const NEWLINE = 10;
const EMPTY = new Uint8Array(0);

export const encodeFrame = (head: SentHead | ReplyHead, body: Uint8Array | string = EMPTY): Buffer => {
  const line = `${JSON.stringify(head)}\n`;
  if (typeof body === 'string') return Buffer.from(line + body);
  const headBytes = Buffer.byteLength(line);
  const frame = Buffer.allocUnsafe(headBytes + body.length);
  frame.write(line, 0);
  frame.set(body, headBytes);
  return frame;
};

/** `sent_at`: the current time of the instance that the call is sent to, as far as it is known. */
export const encodeCall = ({ deadline, ...head }: CallHead, body: Uint8Array | string, sent_at?: number): Buffer =>
  encodeFrame({ ...head, ...sentDeadline(deadline, sent_at) }, body);

/** Splits a frame; its head was written by a peer on the bus, whose user the broker has authenticated. */
const splitFrame = (data: Uint8Array): { head: unknown; body: Buffer } => {
  const frame = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const end = frame.indexOf(NEWLINE);
  if (end < 0) throw new Error('the bus message has no head line');
  const head: unknown = JSON.parse(frame.toString('utf8', 0, end));
  if (typeof head !== 'object' || head === null) throw new Error('the head of the bus message is not an object');
  return { head, body: frame.subarray(end + 1) };
};
export const decodeCall = (data: Uint8Array): { head: CallHead; body: Buffer } => {
  const { head, body } = splitFrame(data) as { head: SentHead; body: Buffer };
  const { remaining_ms, sent_at, deadline, ...rest } = head;
  return { head: { ...rest, deadline: receivedDeadline({ remaining_ms, sent_at, deadline }) }, body };
};
export const decodeReply = (data: Uint8Array) => splitFrame(data) as { head: ReplyHead; body: Buffer };
