import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Msg } from '@nats-io/transport-node';
import { Problem } from '@teaching/contracts';
import type { Logger } from 'pino';
import { newId } from '../base/ids.ts';
import { record } from '../telemetry/metrics.ts';
import { spanned, traceId } from '../telemetry/trace.ts';
import { type Answer, refusalAnswer } from './answer.ts';
import type { Bus } from './connect.ts';
import { problemOf } from './failure.ts';
import { decodeCall, encodeFrame } from './frame.ts';
import type { Route } from './handler.ts';
import { here, type Question } from './here.ts';
import { type Beat, BEAT_MS } from './instances.ts';
import { identityOf, type KnownHead } from './known-head.ts';
import type { Performer } from './perform.ts';
import type { CallerOpener } from './sealed-caller.ts';
import type { Listening } from './subscriptions.ts';
import { ANY, beatSubject, isReplySubject, KNOWN_MS, PING, readSubject, servedSubject } from './subjects.ts';
import { type Slot, tooMany, Turns } from './turns.ts';

export interface ServeOptions {
  service: string;
  /** Reads performed at the same time. */
  concurrency: number;
  /** Calls performed at the same time in a transaction, each of which holds a connection. */
  transactions: number;
  /** Whoever asks from the same process does so without the broker. */
  inProcess: boolean;
  /** Opens what the gateway sealed. */
  open: CallerOpener;
  log: Logger;
}

export interface Server {
  /** By what part of its subjects it is asked now: another one after each time that it left, or the bus moved. */
  readonly id: string;
  /** Takes calls from now on. */
  join(): void;
  /** Takes no new calls, and resolves when those that had come are answered. */
  leave(): Promise<void>;
  /** Calls that are performed, and that wait. */
  load(): { running: number; waiting: number; slots: number };
}

/** How often it is looked whether the last call is answered. */
const IDLE_MS = 5;
/** So many times as many calls may wait as are under way; beyond that the caller hears 503 at once. */
const QUEUE_FACTOR = 8;

const refused = (problem: Problem, request_id: string): Buffer => {
  const { head, body } = refusalAnswer(problem, request_id);
  return encodeFrame({ ...head, request_id }, body);
};

/** A question as a call; undefined when it is none. */
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

/** A call that arrived: what is asked, by which service, and for whom. */
interface Arrived {
  route: Route;
  from: string;
  head: KnownHead;
  body: Buffer;
  reply: Question['answer'];
}

/** Where an instance is asked: subjects of its own, and those of all. */
interface Place {
  id: string;
  listening: Listening[];
}

/** Answers the calls of one service from the bus, with bounded concurrency that organizations share fairly. */
export const serve = (bus: Bus, list: readonly Route[], perform: Performer, options: ServeOptions): Server => {
  const { service, concurrency, transactions, inProcess, open, log } = options;
  const byEndpoint = new Map(list.map((route) => [route.call.endpoint, route]));
  const reads = new Turns(concurrency, concurrency * QUEUE_FACTOR);
  const writes = new Turns(transactions, concurrency * QUEUE_FACTOR);
  let place: Place = { id: '', listening: [] };
  let hasJoined = false;
  /** Resolves when places that were given up are left. */
  let left: Promise<unknown> = Promise.resolve();
  let beating: NodeJS.Timeout | undefined;

  const load = () => ({
    running: reads.running + writes.running,
    waiting: reads.waiting + writes.waiting,
    slots: concurrency,
  });

  /** A failure that is no refusal is logged here, within the trace of its call. */
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
      const reply = await spanned(
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

  const enter = (call: Arrived): void => {
    const { head, route } = call;
    // Nobody waits for its answer any more.
    if (head.deadline <= Date.now()) return;
    const turns = route.call.writes || route.call.audited ? writes : reads;
    const refuse = (): void => {
      record.shed(service);
      call.reply(refused(tooMany(), head.request_id));
    };
    turns.enter(head.org_id, route.call.id, head.deadline, (slot) => handle(call, slot), refuse);
  };

  /** Nothing is thrown here: what is odd is answered. */
  const arrive = ({ from, endpoint, data, answer: reply }: Question): void => {
    if (endpoint === PING) {
      reply(new Uint8Array());
      return;
    }
    const route = byEndpoint.get(endpoint);
    const call = decoded(data);
    const identity = route && call && identityOf(route.call, call.head, from, open);
    if (route !== undefined && call !== undefined && identity !== undefined) {
      enter({ route, from, head: { ...call.head, ...identity }, body: call.body, reply });
      return;
    }
    log.warn({ from, endpoint }, 'a message that is no call');
    reply(refused(whyNot(route, call), call?.head.request_id ?? newId()));
  };
  /** The broker lets each user send under its own name only. */
  const hear = ({ reply, subject, data }: Msg): void => {
    const { from, endpoint } = readSubject(subject);
    if (reply === undefined || !isReplySubject(reply, from, service)) return;
    arrive({ from, endpoint, data, answer: (frame) => bus.publishSoon(reply, frame) });
  };

  const say = (said: Beat): void => {
    if (bus.isUp()) bus.publishSoon(beatSubject(service), Buffer.from(JSON.stringify(said)));
  };
  const beat = (): void => say({ id: place.id, leaving: false });

  const take = (): void => {
    const id = randomBytes(8).toString('hex');
    const callback = (error: Error | null, message: Msg): void => (error === null ? hear(message) : undefined);
    const listen = (to: string, queue?: string) =>
      bus.listen(servedSubject(service, to), { callback, stays: true, ...(queue === undefined ? {} : { queue }) });
    place = { id, listening: [listen(ANY, service), listen(id)] };
    if (inProcess) here.set(id, arrive);
    beat();
  };
  /** Everybody hears of it first: what is still under way to a place that nobody listens to is lost in a cluster of brokers. */
  const giveUp = async ({ id, listening }: Place): Promise<void> => {
    here.delete(id);
    say({ id, leaving: true });
    if (bus.isUp()) await sleep(KNOWN_MS);
    await Promise.all(listening.map((one) => one.drain()));
  };
  const alsoLeave = (former: Place): void => {
    const leaving = giveUp(former).catch((error: unknown) => log.error({ err: error }, 'could not leave a place'));
    left = Promise.all([left, leaving]);
  };
  bus.onMove(() => {
    if (!hasJoined) return;
    const former = place;
    take();
    alsoLeave(former);
  });

  return {
    get id() {
      return place.id;
    },
    load,
    join: () => {
      if (hasJoined) return;
      hasJoined = true;
      take();
      beating = setInterval(beat, BEAT_MS);
    },
    leave: async () => {
      clearInterval(beating);
      if (hasJoined) alsoLeave(place);
      hasJoined = false;
      await left;
      while (load().running + load().waiting > 0) await sleep(IDLE_MS);
    },
  };
};
