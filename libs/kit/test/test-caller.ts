import { createPrivateKey, randomUUID } from 'node:crypto';
import type { AnyCall, Output } from '@teaching/contracts';
import { inject } from 'vitest';
import type { Body } from '../../../tools/proofs/test/api.ts';
import {
  type Bus,
  type CallHead,
  createCallerSigner,
  connectBus,
  createLogger,
  createRequester,
  decodeReply,
  encodeFrame,
  type Identity,
  type ReplyHead,
  type Requester,
} from '../src/index.ts';

const PATIENCE_MS = 10_000;

/** The answer to a call: the head, and the body as JSON. */
export interface Answered<B = unknown> {
  head: ReplyHead;
  body: Body<B>;
}

/** Calls services over the bus with the rights of the gateway. Refusals are returned as answers. */
export interface TestCaller {
  bus: Bus;
  requester: Requester;
  performCall<C extends AnyCall>(
    call: C,
    body?: unknown,
    head?: Partial<CallHead & Identity>,
  ): Promise<Answered<Output<C>>>;
  /** Signs a caller as the gateway does. Default: a teacher of the fixture's org. */
  sign(identity: { [K in keyof Identity]?: Identity[K] | undefined }): string;
  /** Sends these bytes instead of a call. */
  send(call: AnyCall, bytes: Uint8Array): Promise<Answered>;
  stop(): Promise<void>;
}

/** Connects as the user of the gateway. */
export const connectCaller = async (fixture: { org: string; nats: { url: string } }): Promise<TestCaller> => {
  const address = {
    NATS_URL: fixture.nats.url,
    NATS_USER: 'gateway',
    NATS_PASSWORD: () => [inject('stack').secrets.nats.gateway],
  };
  const bus = await connectBus(address, 'test', createLogger('test', 'silent'));
  const requester = createRequester(bus);
  const signingKey = Buffer.from(inject('stack').secrets.caller.seal, 'base64url');
  const signCaller = createCallerSigner(createPrivateKey({ key: signingKey, format: 'der', type: 'pkcs8' }));
  const sign: TestCaller['sign'] = ({ org_id = fixture.org, user_id = 'teacher-1', roles = ['TEACHER'] }) =>
    signCaller({ org_id, user_id, roles, exp: Date.now() / 1_000 + 600 });
  const send = async <B>(
    call: AnyCall,
    bytes: Uint8Array,
    deadline = Date.now() + PATIENCE_MS,
  ): Promise<Answered<B>> => {
    const { head, body } = decodeReply(await requester.call(call, bytes, deadline));
    // The services check that their answers match the contract.
    return { head, body: body.length === 0 ? undefined : JSON.parse(body.toString()) };
  };
  return {
    bus,
    requester,
    sign,
    send,
    performCall: (call, body, more = {}) => {
      const { org_id, user_id, roles, ...others } = more;
      const head: CallHead = {
        caller: sign({ org_id, user_id, roles }),
        request_id: randomUUID(),
        deadline: Date.now() + PATIENCE_MS,
        ...others,
      };
      return send(call, encodeFrame(head, body === undefined ? '' : JSON.stringify(body)));
    },
    stop: async () => {
      requester.stop();
      await bus.close();
    },
  };
};
