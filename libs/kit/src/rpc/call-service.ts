import { type AnyCall, type Output, Problem, PROBLEMS, type Request } from '@teaching/contracts';
import { z } from 'zod';
import { compiledSchema } from '../base/compiled-schema.ts';
import { newId } from '../base/ids.ts';
import { traceparent } from '../telemetry/trace.ts';
import { type CallHead, decodeReply, type ReplyHead } from './frame.ts';
import type { Requester } from './requester.ts';

/** Sends a call and returns its reply. A reply that names another request, or none, is refused. */
export const sendCall = async (
  requester: Pick<Requester, 'call'>,
  call: AnyCall,
  head: CallHead,
  body: Uint8Array | string,
): Promise<{ head: ReplyHead; body: Buffer }> => {
  const reply = decodeReply(await requester.call(call, head, body));
  const { request_id } = reply.head;
  if (request_id !== head.request_id) throw new Error(`${call.id} got the reply to another request: ${request_id}`);
  return reply;
};

/** Calls to other services on behalf of the caller. Their whole input is in the body. */
export interface Peers {
  call<C extends AnyCall>(call: C, body: Request<C>['body']): Promise<Output<C>>;
}

/** The requester of this service, and the caller for whom it calls, as the gateway signed it. */
export interface PeerCaller {
  requester: Requester;
  head: Pick<CallHead, 'caller' | 'request_id' | 'deadline'>;
}

/**
 * A caller without a person, for calls across all orgs. The deadline of its calls is `patience_ms` milliseconds from
 * now.
 */
export const systemCaller = (requester: Requester, patience_ms: number): PeerCaller => ({
  requester,
  head: { request_id: newId(), deadline: performance.now() + patience_ms },
});

const codes = Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[];
const Refusal = z.object({
  code: z.enum(codes),
  detail: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** The refusal of another service, as the problem that it threw. */
const refusal = (body: string): Problem => {
  const { code, detail, errors } = Refusal.parse(JSON.parse(body));
  return new Problem(code, {
    ...(detail === undefined ? {} : { detail }),
    ...(errors === undefined ? {} : { errors }),
  });
};

const headOf = ({ head: { caller, request_id, deadline } }: PeerCaller): CallHead => {
  const trace = traceparent();
  const signed = caller === undefined ? {} : { caller };
  return { ...signed, request_id, deadline, ...(trace === undefined ? {} : { trace }) };
};

/**
 * Calls a service and returns its answer, parsed by the contract. Throws a refusal as the problem that the service
 * threw.
 */
export const callService = async <C extends AnyCall>(
  asker: PeerCaller,
  call: C,
  body: Request<C>['body'],
): Promise<Output<C>> => {
  const reply = await sendCall(asker.requester, call, headOf(asker), JSON.stringify(body ?? {}));
  if (reply.head.status >= 400) throw refusal(reply.body.toString());
  return compiledSchema(call.output).parse(reply.body.length === 0 ? null : JSON.parse(reply.body.toString()));
};
