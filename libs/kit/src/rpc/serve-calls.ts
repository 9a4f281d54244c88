import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Msg } from '@nats-io/transport-node';
import { Problem } from '@teaching/contracts';
import type { Logger } from 'pino';
import { newId } from '../base/ids.ts';
import { record } from '../telemetry/metrics.ts';
import { withSpan, traceId } from '../telemetry/trace.ts';
import { type Slot, queueFullProblem, AdmissionQueue } from './admission-queue.ts';
import { type CallerVerifier, identityOf, type IdentifiedHead } from './call-identity.ts';
import type { Bus } from './message-bus.ts';
import { decodeCall, encodeFrame } from './frame.ts';
import { type Answer, problemOf, refusalAnswer, type Route } from './handler.ts';
import { encodeHeartbeat, HEARTBEAT_MS, type IncomingRequest, localInstances } from './instances.ts';
import type { Performer } from './call-performer.ts';
import {
  ANY,
  heartbeatSubject,
  isReplySubject,
  PROPAGATION_MS,
  PING,
  parseSubject,
  servedSubjectPattern,
} from './subjects.ts';
import type { MovableSubscription } from './subscriptions.ts';

export interface ServeOptions {
  service: string;
  /** How many reads are performed at the same time. */
  concurrency: number;
  /** How many calls are performed at the same time in transactions. Each of them holds a connection. */
  transactions: number;
  /** Whether callers in the same process call it without the broker. */
  inProcess: boolean;
  /** Verifies signed callers. */
  verifyCaller: CallerVerifier;
  log: Logger;
}

export interface Server {
  /** The id of the instance in its subjects. It changes at each `join` and at each move of the bus. */
  readonly id: string;
  /** Takes calls from now on. */
  join(): void;
  /** Takes no new calls, and resolves when all calls that arrived before are answered. */
  leave(): Promise<void>;
  /** The numbers of running and waiting calls, and of slots for reads. */
  load(): { running: number; waiting: number; slots: number };
}

/** How often `leave` checks whether the last call is answered. */
const IDLE_MS = 5;
/** For each slot, this many calls may wait. Further calls get 503 at once. */
const QUEUE_FACTOR = 8;

const refusalFrame = (problem: Problem, request_id: string): Buffer => {
  const { head, body } = refusalAnswer(problem, request_id);
  return encodeFrame({ ...head, request_id }, body);
};

/** Decodes a message as a call. Undefined if it is not a call. */
const tryDecodeCall = (data: Uint8Array): ReturnType<typeof decodeCall> | undefined => {
  try {
    return decodeCall(data);
  } catch {
    return undefined;
  }
};

/** The refusal of a message that is not performed. */
const messageProblem = (route: Route | undefined, call: object | undefined): Problem => {
  if (route === undefined) return new Problem('unavailable', 'No service answers this call');
  return call === undefined ? new Problem('invalid_request', 'The message is not a call') : new Problem('forbidden');
};

/** A call that arrived. */
interface ArrivedCall {
  route: Route;
  from: string;
  head: IdentifiedHead;
  body: Buffer;
  reply: IncomingRequest['reply'];
}

/** The subscriptions of an instance under one id: to its own subject, and to that of the queue group. */
interface Registration {
  id: string;
  listening: MovableSubscription[];
}

/** Answers the calls of one service from the bus, with bounded concurrency that organizations share fairly. */
export const serveCalls = (bus: Bus, list: readonly Route[], perform: Performer, options: ServeOptions): Server => {
  const { service, concurrency, transactions, inProcess, verifyCaller, log } = options;
  const byEndpoint = new Map(list.map((route) => [route.call.endpoint, route]));
  const reads = new AdmissionQueue(concurrency, concurrency * QUEUE_FACTOR);
  const writes = new AdmissionQueue(transactions, concurrency * QUEUE_FACTOR);
  let current: Registration = { id: '', listening: [] };
  let hasJoined = false;
  /** Resolves when all former registrations have ended. */
  let left: Promise<unknown> = Promise.resolve();
  let beating: NodeJS.Timeout | undefined;

  const load = () => ({
    running: reads.running + writes.running,
    waiting: reads.waiting + writes.waiting,
    slots: concurrency,
  });

  /** Performs the call. Logs a failure with status 500 or higher, in the trace of the call. */
  const performAndLog = async ({ route, from, head, body }: ArrivedCall, slot: Slot): Promise<Answer> => {
    try {
      return await perform(route, { head, body, from, slot });
    } catch (error) {
      const { request_id, org_id } = head;
      if (problemOf(error).status >= 500)
        log.error(
          { err: error, call: route.call.id, request_id, org_id, trace_id: traceId(request_id) },
          'call failed',
        );
      throw error;
    }
  };

  const answer = async (call: ArrivedCall, slot: Slot): Promise<Buffer> => {
    const { route, head } = call;
    const start = performance.now();
    let status = 500;
    try {
      const reply = await withSpan(
        route.call.id,
        { kind: 'server', parent: head.trace, attributes: { 'org.id': head.org_id } },
        () => performAndLog(call, slot),
      );
      status = reply.head.status;
      return encodeFrame({ ...reply.head, request_id: head.request_id }, reply.body);
    } catch (error) {
      const problem = problemOf(error);
      status = problem.status;
      return refusalFrame(problem, head.request_id);
    } finally {
      record.call(service, route.call.id, status, performance.now() - start);
    }
  };

  const handle = async (call: ArrivedCall, slot: Slot): Promise<void> => {
    try {
      call.reply(await answer(call, slot));
    } catch (error) {
      log.error({ err: error, call: call.route.call.id }, 'a call could not be answered');
    }
  };

  const admit = (call: ArrivedCall): void => {
    const { head, route } = call;
    // The caller no longer waits.
    if (head.deadline <= performance.now()) return;
    const queue = route.call.writes || route.call.audited ? writes : reads;
    const refuse = (): void => {
      record.refusedCall(service);
      call.reply(refusalFrame(queueFullProblem(), head.request_id));
    };
    queue.enter(head.org_id, route.call.id, head.deadline, (slot) => handle(call, slot), refuse);
  };

  /** Never throws. A message that is not a permitted call is answered with a problem. */
  const receive = ({ from, endpoint, data, reply }: IncomingRequest): void => {
    if (endpoint === PING) {
      reply(new Uint8Array());
      return;
    }
    const route = byEndpoint.get(endpoint);
    const call = tryDecodeCall(data);
    const identity = route && call && identityOf(route.call, call.head, from, verifyCaller);
    if (route !== undefined && call !== undefined && identity !== undefined) {
      admit({ route, from, head: { ...call.head, ...identity }, body: call.body, reply });
      return;
    }
    log.warn({ from, endpoint }, 'a message is not a call');
    reply(refusalFrame(messageProblem(route, call), call?.head.request_id ?? newId()));
  };
  /** The subject names the sender: the broker lets each user send only under its own name. */
  const receiveMessage = ({ reply, subject, data }: Msg): void => {
    const { from, endpoint } = parseSubject(subject);
    if (reply === undefined || !isReplySubject(reply, from, service)) return;
    receive({ from, endpoint, data, reply: (frame) => bus.publishSoon(reply, frame) });
  };

  const publishHeartbeat = (id: string, leaving: boolean): void => {
    if (bus.isUp()) bus.publishSoon(heartbeatSubject(service), encodeHeartbeat(id, leaving));
  };
  const beat = (): void => publishHeartbeat(current.id, false);

  const register = (): void => {
    const id = randomBytes(8).toString('hex');
    const callback = (error: Error | null, message: Msg): void =>
      error === null ? receiveMessage(message) : undefined;
    const listen = (to: string, queue?: string) =>
      bus.listen(servedSubjectPattern(service, to), {
        callback,
        isFixed: true,
        ...(queue === undefined ? {} : { queue }),
      });
    current = { id, listening: [listen(ANY, service), listen(id)] };
    if (inProcess) localInstances.set(id, receive);
    beat();
  };
  /**
   * Publishes that the instance leaves, and waits until callers know, before it unsubscribes. In a cluster, a message
   * to a subject without a listener may be lost (`bus-moves.long.test.ts`).
   */
  const unregister = async ({ id, listening }: Registration): Promise<void> => {
    localInstances.delete(id);
    publishHeartbeat(id, true);
    if (bus.isUp()) await sleep(PROPAGATION_MS);
    await Promise.all(listening.map((one) => one.drain()));
  };
  const beginUnregister = (former: Registration): void => {
    const leaving = unregister(former).catch((error: unknown) =>
      log.error({ err: error }, 'an instance could not be unregistered'),
    );
    left = Promise.all([left, leaving]);
  };
  bus.onMove(() => {
    if (!hasJoined) return;
    const former = current;
    register();
    beginUnregister(former);
  });

  return {
    get id() {
      return current.id;
    },
    load,
    join: () => {
      if (hasJoined) return;
      hasJoined = true;
      register();
      beating = setInterval(beat, HEARTBEAT_MS);
    },
    leave: async () => {
      clearInterval(beating);
      if (hasJoined) beginUnregister(current);
      hasJoined = false;
      await left;
      while (load().running + load().waiting > 0) await sleep(IDLE_MS);
    },
  };
};
