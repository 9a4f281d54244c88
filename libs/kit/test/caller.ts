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

/** What came back: the head, and the body as JSON. */
export interface Answered<B = unknown> {
  head: ReplyHead;
  body: Body<B>;
}

/** Asks services over the bus with the gateway's rights, and sees answers and refusals as they are. */
export interface TestCaller {
  bus: Bus;
  requester: Requester;
  ask<C extends AnyCall>(call: C, body?: unknown, head?: Partial<CallHead & Identity>): Promise<Answered<Output<C>>>;
  /** A teacher of the fixture's org, unless said otherwise, as the gateway seals callers. */
  seal(who: { [K in keyof Identity]?: Identity[K] | undefined }): string;
  /** Sends these bytes instead of a call. */
  send(call: AnyCall, bytes: Uint8Array): Promise<Answered>;
  stop(): Promise<void>;
}

/** Connects as the gateway, with its rights. */
export const connectCaller = async (fixture: { org: string; nats: { url: string } }): Promise<TestCaller> => {
  const address = {
    NATS_URL: fixture.nats.url,
    NATS_USER: 'gateway',
    NATS_PASSWORD: () => [inject('stack').secrets.nats.gateway],
  };
  const bus = await connectBus(address, 'test', createLogger('test', 'silent'));
  const requester = createRequester(bus);
  const sealKey = Buffer.from(inject('stack').secrets.caller.seal, 'base64url');
  const sealed = createCallerSigner(createPrivateKey({ key: sealKey, format: 'der', type: 'pkcs8' }));
  const seal: TestCaller['seal'] = ({ org_id = fixture.org, user_id = 'teacher-1', roles = ['TEACHER'] }) =>
    sealed({ org_id, user_id, roles, exp: Date.now() / 1_000 + 600 });
  const send = async <B>(
    call: AnyCall,
    bytes: Uint8Array,
    deadline = Date.now() + PATIENCE_MS,
  ): Promise<Answered<B>> => {
    const { head, body } = decodeReply(await requester.call(call, bytes, deadline));
    // That what comes is what the contract says is checked where services answer.
    return { head, body: body.length === 0 ? undefined : JSON.parse(body.toString()) };
  };
  return {
    bus,
    requester,
    seal,
    send,
    ask: (call, body, more = {}) => {
      const { org_id, user_id, roles, ...others } = more;
      const head: CallHead = {
        caller: seal({ org_id, user_id, roles }),
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
