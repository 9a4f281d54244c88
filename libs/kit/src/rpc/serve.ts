import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Msg } from '@nats-io/transport-node';
import { Problem } from '@teaching/contracts';
import type { Logger } from 'pino';
import { newId } from '../base/ids.ts';
import { record } from '../telemetry/metrics.ts';
import { withSpan, traceId } from '../telemetry/trace.ts';
import { type Slot, tooMany, AdmissionQueue } from './admission-queue.ts';
import { type CallerVerifier, identityOf, type IdentifiedHead } from './call-identity.ts';
import type { Bus } from './connect.ts';
import { decodeCall, encodeFrame } from './frame.ts';
import { type Answer, problemOf, refusalAnswer, type Route } from './handler.ts';
import { type Heartbeat, HEARTBEAT_MS, type IncomingRequest, localInstances } from './instances.ts';
import type { Performer } from './perform.ts';
import { ANY, heartbeatSubject, isReplySubject, PROPAGATION_MS, PING, readSubject, servedSubject } from './subjects.ts';
import type { MovableSubscription } from './subscriptions.ts';

export interface ServeOptions {
  service: string;
  /** Reads performed at the same time. */
  concurrency: number;
  /** Calls performed at the same time in a transaction, each of which holds a connection. */
  transactions: number;
  /** Callers in the same process reach it without the broker. */
  inProcess: boolean;
  /** Opens signed callers. */
  open: CallerVerifier;
  log: Logger;
}

export interface Server {
  /** The part of its subjects that names it: new each time that it joins, or that the bus moves. */
  readonly id: string;
  /** Takes calls from now on. */
  join(): void;
  /** Takes no new calls, and resolves when those that had come are answered. */
  leave(): Promise<void>;
  /** Calls that are performed, and that wait. */
  load(): { running: number; waiting: number; slots: number };
}

/** How often `leave` checks whether the last call is answered. */
const IDLE_MS = 5;
/** So many times as many calls may wait as are performed at once. Others get 503 at once. */
const QUEUE_FACTOR = 8;

const refused = (problem: Problem, request_id: string): Buffer => {
  const { head, body } = refusalAnswer(problem, request_id);
  return encodeFrame({ ...head, request_id }, body);
};

/** A message as a call; undefined when it is none. */
const decoded = (data: Uint8Array): ReturnType<typeof decodeCall> | undefined => {
  try {
    return decodeCall(data);
  } catch {
    return undefined;
  }
};

/** Why a message is not performed. */
const whyNot = (route: Route | undefined, call: object | undefined): Problem => {
  if (route === undefined) return new Problem('unavailable', 'No service answers this call');
  return call === undefined ? new Problem('invalid_request', 'The message is not a call') : new Problem('forbidden');
};

/** A call that arrived. */
interface Arrived {
  route: Route;
  from: string;
  head: IdentifiedHead;
  body: Buffer;
  reply: IncomingRequest['reply'];
}

/** The subscriptions of an instance under one id: its own subject, and the one of the queue group. */
interface Registration {
  id: string;
  listening: MovableSubscription[];
}

/** Answers the calls of one service from the bus, with bounded concurrency that organizations share fairly. */
export const serve = (bus: Bus, list: readonly Route[], perform: Performer, options: ServeOptions): Server => {
  const { service, concurrency, transactions, inProcess, open, log } = options;
  const byEndpoint = new Map(list.map((route) => [route.call.endpoint, route]));
  const reads = new AdmissionQueue(concurrency, concurrency * QUEUE_FACTOR);
  const writes = new AdmissionQueue(transactions, concurrency * QUEUE_FACTOR);
  let current: Registration = { id: '', listening: [] };
  let hasJoined = false;
  /** Resolves when former registrations have ended. */
  let left: Promise<unknown> = Promise.resolve();
  let beating: NodeJS.Timeout | undefined;

  const load = () => ({
    running: reads.running + writes.running,
    waiting: reads.waiting + writes.waiting,
    slots: concurrency,
  });

  /** Logs a failure that is no refusal, within the trace of its call. */
  const performed = async ({ route, from, head, body }: Arrived, slot: Slot): Promise<Answer> => {
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

  const answer = async (call: Arrived, slot: Slot): Promise<Buffer> => {
    const { route, head } = call;
    const begun = performance.now();
    let status = 500;
    try {
      const reply = await withSpan(
        route.call.id,
        { kind: 'server', parent: head.trace, attributes: { 'org.id': head.org_id } },
        () => performed(call, slot),
      );
      status = reply.head.status;
      return encodeFrame({ ...reply.head, request_id: head.request_id }, reply.body);
    } catch (error) {
      const problem = problemOf(error);
      status = problem.status;
      return refused(problem, head.request_id);
    } finally {
      record.call(service, route.call.id, status, performance.now() - begun);
    }
  };

  const handle = async (call: Arrived, slot: Slot): Promise<void> => {
    try {
      call.reply(await answer(call, slot));
    } catch (error) {
      log.error({ err: error, call: call.route.call.id }, 'a call could not be answered');
    }
  };

  const admit = (call: Arrived): void => {
    const { head, route } = call;
    // Its caller waits no longer.
    if (head.deadline <= Date.now()) return;
    const queue = route.call.writes || route.call.audited ? writes : reads;
    const refuse = (): void => {
      record.refusedCall(service);
      call.reply(refused(tooMany(), head.request_id));
    };
    queue.enter(head.org_id, route.call.id, head.deadline, (slot) => handle(call, slot), refuse);
  };

  /** Never throws: a message that is no permitted call is answered with a problem. */
  const receive = ({ from, endpoint, data, reply }: IncomingRequest): void => {
    if (endpoint === PING) {
      reply(new Uint8Array());
      return;
    }
    const route = byEndpoint.get(endpoint);
    const call = decoded(data);
    const identity = route && call && identityOf(route.call, call.head, from, open);
    if (route !== undefined && call !== undefined && identity !== undefined) {
      admit({ route, from, head: { ...call.head, ...identity }, body: call.body, reply });
      return;
    }
    log.warn({ from, endpoint }, 'a message that is no call');
    reply(refused(whyNot(route, call), call?.head.request_id ?? newId()));
  };
  /** The broker lets each user send under its own name only. */
  const receiveMessage = ({ reply, subject, data }: Msg): void => {
    const { from, endpoint } = readSubject(subject);
    if (reply === undefined || !isReplySubject(reply, from, service)) return;
    receive({ from, endpoint, data, reply: (frame) => bus.publishSoon(reply, frame) });
  };

  const publishHeartbeat = (heartbeat: Heartbeat): void => {
    if (bus.isUp()) bus.publishSoon(heartbeatSubject(service), Buffer.from(JSON.stringify(heartbeat)));
  };
  const beat = (): void => publishHeartbeat({ id: current.id, leaving: false });

  const register = (): void => {
    const id = randomBytes(8).toString('hex');
    const callback = (error: Error | null, message: Msg): void =>
      error === null ? receiveMessage(message) : undefined;
    const listen = (to: string, queue?: string) =>
      bus.listen(servedSubject(service, to), { callback, stays: true, ...(queue === undefined ? {} : { queue }) });
    current = { id, listening: [listen(ANY, service), listen(id)] };
    if (inProcess) localInstances.set(id, receive);
    beat();
  };
  /** Callers learn of it first: in a cluster, a message on its way to a subject without listener is lost (`bus-moves.long.test.ts`). */
  const unregister = async ({ id, listening }: Registration): Promise<void> => {
    localInstances.delete(id);
    publishHeartbeat({ id, leaving: true });
    if (bus.isUp()) await sleep(PROPAGATION_MS);
    await Promise.all(listening.map((one) => one.drain()));
  };
  const alsoUnregister = (former: Registration): void => {
    const leaving = unregister(former).catch((error: unknown) => log.error({ err: error }, 'could not leave a place'));
    left = Promise.all([left, leaving]);
  };
  bus.onMove(() => {
    if (!hasJoined) return;
    const former = current;
    register();
    alsoUnregister(former);
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
      if (hasJoined) alsoUnregister(current);
      hasJoined = false;
      await left;
      while (load().running + load().waiting > 0) await sleep(IDLE_MS);
    },
  };
};
