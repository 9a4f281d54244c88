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
  type Identity,
  type ReplyHead,
  type Requester,
} from '../src/index.ts';
import { encodeCall } from '../src/rpc/frame.ts';
import { ANY, callSubject } from '../src/rpc/subjects.ts';

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
  /** With a `deadline` of its own the call is sent to any instance, and the answer is awaited for longer. */
  performCall<C extends AnyCall>(
    call: C,
    body?: unknown,
    head?: Partial<CallHead & Identity>,
  ): Promise<Answered<Output<C>>>;
  /** Signs a caller as the gateway does. Default: a teacher of the fixture's org. */
  sign(identity: { [K in keyof Identity]?: Identity[K] | undefined }): string;
  /** Sends these bytes instead of a call, and waits ten seconds by default. */
  send(call: AnyCall, bytes: Uint8Array, patience_ms?: number): Promise<Answered>;
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
  const read = <B>(reply: Uint8Array): Answered<B> => {
    const { head, body } = decodeReply(reply);
    // The services check that their answers match the contract.
    return { head, body: body.length === 0 ? undefined : JSON.parse(body.toString()) };
  };
  const send = async <B>(call: AnyCall, bytes: Uint8Array, patience_ms = PATIENCE_MS): Promise<Answered<B>> =>
    read<B>(
      await requester.request(call.service, callSubject(call, ANY, bus.user), bytes, performance.now() + patience_ms),
    );
  return {
    bus,
    requester,
    sign,
    send,
    performCall: async (call, body, more = {}) => {
      const { org_id, user_id, roles, ...others } = more;
      const head: CallHead = {
        caller: sign({ org_id, user_id, roles }),
        request_id: randomUUID(),
        deadline: performance.now() + PATIENCE_MS,
        ...others,
      };
      const text = body === undefined ? '' : JSON.stringify(body);
      if (more.deadline !== undefined) return send(call, encodeCall(head, text));
      return read(await requester.call(call, head, text));
    },
    stop: async () => {
      requester.stop();
      await bus.close();
    },
  };
};
