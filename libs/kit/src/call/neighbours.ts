import { type AnyCall, type Output, Problem, PROBLEMS, type Request } from '@teaching/contracts';
import { z } from 'zod';
import { type CallHead, decodeReply, encodeFrame } from '../bus/frame.ts';
import type { Requester } from '../bus/requester.ts';
import { compiled } from '../compiled.ts';
import { newId } from '../ids.ts';
import { traceparent } from '../telemetry/trace.ts';

/** Calls to other services over the bus, on behalf of the caller; their input is all in the body. */
export interface Neighbours {
  call<C extends AnyCall>(call: C, body: Request<C>['body']): Promise<Output<C>>;
}

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

type Identity = Pick<CallHead, 'org_id' | 'user_id' | 'roles' | 'request_id' | 'deadline'>;

export const neighboursFor = (
  requester: Requester,
  service: string,
  identity: Identity,
  mayCall: () => void,
): Neighbours => ({
  call: async (call, body) => {
    mayCall();
    const trace = traceparent();
    const head: CallHead = {
      org_id: identity.org_id,
      user_id: identity.user_id,
      roles: identity.roles,
      request_id: identity.request_id,
      deadline: identity.deadline,
      service,
      ...(trace === undefined ? {} : { trace }),
    };
    const frame = encodeFrame(head, JSON.stringify(body ?? {}));
    const reply = decodeReply(await requester.request(call.subject, frame, identity.deadline));
    if (reply.head.status >= 400) throw refusal(reply.body.toString());
    return compiled(call.output).parse(reply.body.length === 0 ? null : JSON.parse(reply.body.toString()));
  },
});

const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Asks a service on nobody's behalf: for calls between services that know no user. `asker` is who asks, for the
 * logs of the other side.
 */
export const callAsSystem = <C extends AnyCall>(
  requester: Requester,
  asker: string,
  call: C,
  body: Request<C>['body'],
  patience_ms: number,
): Promise<Output<C>> => {
  const deadline = Date.now() + patience_ms;
  const identity = { org_id: NOBODY, user_id: asker, roles: [], request_id: newId(), deadline };
  return neighboursFor(requester, asker, identity, () => {}).call(call, body);
};
