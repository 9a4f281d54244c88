import { type AnyCall, EVERYBODY, type Output, Problem, PROBLEMS, type Request } from '@teaching/contracts';
import { z } from 'zod';
import { compiled } from '../base/compiled.ts';
import { newId } from '../base/ids.ts';
import { traceparent } from '../telemetry/trace.ts';
import { type CallHead, decodeReply, encodeFrame } from './frame.ts';
import type { Requester } from './requester.ts';

/** Calls to other services on behalf of the caller; their input is all in the body. */
export interface Neighbours {
  call<C extends AnyCall>(call: C, body: Request<C>['body']): Promise<Output<C>>;
}

/** On whose behalf a service is asked. */
type Identity = Pick<CallHead, 'org_id' | 'user_id' | 'roles' | 'request_id' | 'deadline'>;

/** Who asks, and on whose behalf. */
export interface Asker {
  requester: Requester;
  identity: Identity;
}

/** Asks on nobody's behalf: for calls that know no user. The asked one waits `patience_ms` for its answer at most. */
export const asSystem = (requester: Requester, service: string, patience_ms: number): Asker => ({
  requester,
  identity: {
    org_id: EVERYBODY,
    user_id: service,
    roles: [],
    request_id: newId(),
    deadline: Date.now() + patience_ms,
  },
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

const headOf = ({ identity }: Asker): CallHead => {
  const { org_id, user_id, roles, request_id, deadline } = identity;
  const trace = traceparent();
  return { org_id, user_id, roles, request_id, deadline, ...(trace === undefined ? {} : { trace }) };
};

/** Asks a service and answers what it answers, checked; its refusal is thrown as the problem it was there. */
export const callService = async <C extends AnyCall>(
  asker: Asker,
  call: C,
  body: Request<C>['body'],
): Promise<Output<C>> => {
  const frame = encodeFrame(headOf(asker), JSON.stringify(body ?? {}));
  const reply = decodeReply(await asker.requester.call(call, frame, asker.identity.deadline));
  if (reply.head.status >= 400) throw refusal(reply.body.toString());
  return compiled(call.output).parse(reply.body.length === 0 ? null : JSON.parse(reply.body.toString()));
};
