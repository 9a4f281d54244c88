import { connect } from '@nats-io/transport-node';
import type { Output } from '../../../libs/contracts/src/call.ts';
import { accessCalls } from '../../../libs/contracts/src/clazz/access.calls.ts';
import { Problem, problemDocument } from '../../../libs/contracts/src/problem.ts';
import type { ReplyHead } from '../../../libs/kit/src/rpc/frame.ts';
import { ANY, requestSubject } from '../../../libs/kit/src/rpc/subjects.ts';
import { replyToCall } from './reply-to-call.ts';

const { listRevokedPeople } = accessCalls;

/** Returns the revocations that gateways receive; `undefined` makes the call fail with 503. */
export type PublishedRevocations = () => Output<typeof listRevokedPeople>['items'] | undefined;

const answer = (items: ReturnType<PublishedRevocations>): [head: ReplyHead, body: string] => {
  if (items === undefined) return [{ status: 503 }, JSON.stringify(problemDocument(new Problem('unavailable'), 'r'))];
  const position = { database: 'none', horizon: '0' };
  return [{ status: 200 }, JSON.stringify({ place: position, whole: true, items, more: false })];
};

/**
 * Answers the call for revocations in place of the class service, in tests that do not start it. Resolves with a
 * function that ends it.
 */
export const publishRevocations = async (
  servers: string,
  pass: string,
  revocations: PublishedRevocations,
): Promise<() => Promise<void>> => {
  const { service, endpoint } = listRevokedPeople;
  const bus = await connect({ servers, user: service, pass, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  // Joins the queue group of the service, so each request gets one answer. Gateways use it only while no instance is
  // known.
  bus.subscribe(requestSubject(service, ANY, 'gateway', endpoint), {
    queue: service,
    callback: (_error, message) => replyToCall(message, ...answer(revocations())),
  });
  await bus.flush();
  return () => bus.close();
};
