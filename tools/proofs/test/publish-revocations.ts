import { connect } from '@nats-io/transport-node';
import type { Output } from '../../../libs/contracts/src/call.ts';
import { accessCalls } from '../../../libs/contracts/src/clazz/access.calls.ts';
import { Problem, problemDocument } from '../../../libs/contracts/src/problem.ts';
import type { ReplyHead } from '../../../libs/kit/src/rpc/frame.ts';
import { ANY, requestSubject } from '../../../libs/kit/src/rpc/subjects.ts';
import { replyToCall } from './reply-to-call.ts';

const { listShutOut } = accessCalls;

/** What gateways hear of who must not enter; undefined: nothing. */
export type PublishedRevocations = () => Output<typeof listShutOut>['items'] | undefined;

const answer = (items: ReturnType<PublishedRevocations>): [head: ReplyHead, body: string] => {
  if (items === undefined) return [{ status: 503 }, JSON.stringify(problemDocument(new Problem('unavailable'), 'r'))];
  const place = { database: 'none', horizon: '0' };
  return [{ status: 200 }, JSON.stringify({ place, whole: true, items, more: false })];
};

/**
 * Tells gateways who is shut out, where the service that knows is not among those of a test. Resolves with what ends it.
 */
export const publishRevocations = async (
  servers: string,
  pass: string,
  told: PublishedRevocations,
): Promise<() => Promise<void>> => {
  const { service, endpoint } = listShutOut;
  const bus = await connect({ servers, user: service, pass, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  // One of the group that instances of the service are in, and asked only while none of them is known: nobody is answered twice.
  bus.subscribe(requestSubject(service, ANY, 'gateway', endpoint), {
    queue: service,
    callback: (_error, message) => replyToCall(message, ...answer(told())),
  });
  await bus.flush();
  return () => bus.close();
};
