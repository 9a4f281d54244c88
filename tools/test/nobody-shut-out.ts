import { connect } from '@nats-io/transport-node';
import { accessCalls } from '../../libs/contracts/src/clazz/access.calls.ts';
import { brokerSubjects } from '../../libs/kit/src/ops/broker-subjects.ts';
import { encodeFrame } from '../../libs/kit/src/rpc/frame.ts';

const { service, endpoint } = accessCalls.listShutOut;
const NOBODY = JSON.stringify({ place: { database: 'none', horizon: '0' }, whole: true, items: [], more: false });

/**
 * Tells gateways that nobody is shut out, where the service that knows is not among those of a test. Resolves with what
 * ends it.
 */
export const tellNobodyIsShutOut = async (servers: string, pass: string): Promise<() => Promise<void>> => {
  const bus = await connect({ servers, user: service, pass, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  bus.subscribe(brokerSubjects.call(service, 'gateway', endpoint), {
    callback: (_error, message) => void message.respond(encodeFrame({ status: 200 }, NOBODY)),
  });
  await bus.flush();
  return () => bus.close();
};
