import { randomUUID } from 'node:crypto';
import type { AnyCall, Output, Request } from '../../libs/contracts/src/call.ts';
import { decodeReply, encodeFrame, type Requester } from '../../libs/kit/src/index.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';
const PATIENCE_MS = 120_000;

/** Asks a service over the bus as an operator: only calls between services, which know no user. */
export const callInternally = async <C extends AnyCall>(
  requester: Requester,
  call: C,
  body: Request<C>['body'],
): Promise<Output<C>> => {
  const deadline = Date.now() + PATIENCE_MS;
  const head = { org_id: NOBODY, user_id: 'operator', roles: [], request_id: randomUUID(), deadline, service: 'tools' };
  const reply = decodeReply(await requester.request(call.subject, encodeFrame(head, JSON.stringify(body)), deadline));
  const text = reply.body.toString();
  if (reply.head.status >= 400) throw new Error(`${call.id} was refused: ${text}`);
  return call.output.parse(JSON.parse(text)) as Output<C>;
};
