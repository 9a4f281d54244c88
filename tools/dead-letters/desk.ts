import { randomUUID } from 'node:crypto';
import { connect } from '@nats-io/transport-node';
import {
  type AnyCall,
  type DeadLetter,
  deadLetterCalls,
  Problem,
  type Output,
  type Request,
  type ServiceName,
} from '../../libs/contracts/src/index.ts';
import { decodeReply, encodeFrame } from '../../libs/kit/src/bus/frame.ts';

/** Far more than a person reads; a replay takes this many at a time. */
const PAGE = 200;
const PATIENCE_MS = 60_000;
const CONNECT_MS = 5_000;
const NOBODY = '00000000-0000-0000-0000-000000000000';

export interface Desk {
  list(): Promise<{ items: DeadLetter[]; waiting: number }>;
  /** Applies what can be applied and answers how many that were. */
  replay(): Promise<number>;
  close(): Promise<void>;
}

/** The dead letters of one service, asked over the bus as its admin. */
export const openDesk = async (service: ServiceName, bus: { url: string; password: string }): Promise<Desk> => {
  const calls = deadLetterCalls(service);
  const nc = await connect({
    servers: bus.url.split(','),
    user: 'admin',
    pass: bus.password,
    name: 'dead-letters',
    inboxPrefix: '_INBOX_admin',
    timeout: CONNECT_MS,
    reconnect: false,
  });

  const ask = async <C extends AnyCall>(call: C, body: Request<C>['body']): Promise<Output<C>> => {
    const deadline = Date.now() + PATIENCE_MS;
    const head = { org_id: NOBODY, user_id: 'admin', roles: [], request_id: randomUUID(), deadline, service: 'admin' };
    const message = await nc
      .request(call.subject, encodeFrame(head, JSON.stringify(body)), { timeout: PATIENCE_MS })
      .catch((error: unknown) => {
        throw new Problem('unavailable', `The ${service} service does not answer: ${String(error)}`);
      });
    const reply = decodeReply(message.data);
    if (reply.head.status >= 400) throw new Error(`${call.id}: ${reply.head.status} ${reply.body.toString()}`);
    return call.output.parse(JSON.parse(reply.body.toString()));
  };

  return {
    list: () => ask(calls.list, { after_seq: 0, limit: PAGE }),
    replay: async () => (await ask(calls.replay, {})).replayed,
    close: () => nc.close(),
  };
};
