import { isDeepStrictEqual } from 'node:util';
import { type AnyCall, type Problem, problemDocument } from '@teaching/contracts';
import type { ReplyHead } from './frame.ts';
import { Reply, WrittenAnswer } from './handler.ts';

/** What goes back to the caller: the head, and the body as text. */
export interface Answer {
  head: ReplyHead;
  body: string;
}

const hasVersion = (value: unknown): value is { version: number } =>
  typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'number';

/** What goes out is what the contract says, and nothing else: a column that nobody declared is none of the caller's business. */
const requireAsDeclared = (call: AnyCall, body: unknown): void => {
  const sent: unknown = JSON.parse(JSON.stringify(body ?? null));
  const known: unknown = JSON.parse(JSON.stringify(call.output.parse(body) ?? null));
  if (!isDeepStrictEqual(sent, known))
    throw new Error(`${call.id} answers other than it declares: ${JSON.stringify(sent)}`);
};

/** A refusal as it is told: a problem document (RFC 9457). */
export const refusalAnswer = (problem: Problem, request_id: string): Answer => ({
  head: { status: problem.status, type: 'application/problem+json' },
  body: JSON.stringify(problemDocument(problem, request_id)),
});

/** The handler's result as reply head and body text; `check` compares it with the contract. */
export const toAnswer = (call: AnyCall, result: unknown, check: boolean): Answer => {
  if (result instanceof WrittenAnswer) {
    if (check) requireAsDeclared(call, JSON.parse(result.text));
    return { head: { status: call.status }, body: result.text };
  }
  const reply = result instanceof Reply ? result : new Reply<unknown>(result);
  const head: ReplyHead = { status: reply.status ?? call.status };
  if (reply.type !== undefined) head.type = reply.type;
  if (reply.next !== undefined) head.next = reply.next;
  if (reply.headers !== undefined) head.headers = reply.headers;
  if (reply.type !== undefined || head.status === 204 || head.status === 304) {
    return { head, body: typeof reply.body === 'string' ? reply.body : '' };
  }
  if (check) requireAsDeclared(call, reply.body);
  if (hasVersion(reply.body)) head.etag = `"${reply.body.version}"`;
  return { head, body: JSON.stringify(reply.body) };
};
