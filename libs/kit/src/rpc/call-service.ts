import { type AnyCall, type Output, Problem, PROBLEMS, type Request } from '@teaching/contracts';
import { z } from 'zod';
import { compiledSchema } from '../base/compiled-schema.ts';
import { newId } from '../base/ids.ts';
import { traceparent } from '../telemetry/trace.ts';
import { type CallHead, decodeReply, encodeFrame, type ReplyHead } from './frame.ts';
import type { Requester } from './requester.ts';

/** Sends a call and returns its reply. A reply that names another request, or none, is refused. */
export const sendCall = async (
  requester: Pick<Requester, 'call'>,
  call: AnyCall,
  head: CallHead,
  body: Uint8Array | string,
): Promise<{ head: ReplyHead; body: Buffer }> => {
  const reply = decodeReply(await requester.call(call, encodeFrame(head, body), head.deadline));
  const { request_id } = reply.head;
  if (request_id !== head.request_id) throw new Error(`${call.id} got the reply to another request: ${request_id}`);
  return reply;
};

/** Calls to other services on behalf of the caller; their input is all in the body. */
export interface Peers {
  call<C extends AnyCall>(call: C, body: Request<C>['body']): Promise<Output<C>>;
}

/** Who asks, and on whose behalf: as the gateway sealed it, unchanged. */
export interface PeerCaller {
  requester: Requester;
  head: Pick<CallHead, 'caller' | 'request_id' | 'deadline'>;
}

/** Asks on nobody's behalf: for calls across all orgs. The asker waits `patience_ms` for the answer at most. */
export const systemCaller = (requester: Requester, patience_ms: number): PeerCaller => ({
  requester,
  head: { request_id: newId(), deadline: Date.now() + patience_ms },
});

const codes = Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[];
const Refusal = z.object({
  code: z.enum(codes),
  detail: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** A neighbour's refusal, as the exception it was over there. */
const refusal = (body: string): Problem => {
  const { code, detail, errors } = Refusal.parse(JSON.parse(body));
  return new Problem(code, {
    ...(detail === undefined ? {} : { detail }),
    ...(errors === undefined ? {} : { errors }),
  });
};

const headOf = ({ head: { caller, request_id, deadline } }: PeerCaller): CallHead => {
  const trace = traceparent();
  const sealed = caller === undefined ? {} : { caller };
  return { ...sealed, request_id, deadline, ...(trace === undefined ? {} : { trace }) };
};

/** Asks a service and answers what it answers, checked; its refusal is thrown as the problem it was there. */
export const callService = async <C extends AnyCall>(
  asker: PeerCaller,
  call: C,
  body: Request<C>['body'],
): Promise<Output<C>> => {
  const reply = await sendCall(asker.requester, call, headOf(asker), JSON.stringify(body ?? {}));
  if (reply.head.status >= 400) throw refusal(reply.body.toString());
  return compiledSchema(call.output).parse(reply.body.length === 0 ? null : JSON.parse(reply.body.toString()));
};
