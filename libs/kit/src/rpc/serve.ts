import type { Msg } from '@nats-io/transport-node';
import { Problem, problemDocument } from '@teaching/contracts';
import type { Logger } from 'pino';
import { newId } from '../base/ids.ts';
import { record } from '../telemetry/metrics.ts';
import { spanned, traceId } from '../telemetry/trace.ts';
import type { Answer } from './answer.ts';
import type { Bus } from './connect.ts';
import { problemOf } from './failure.ts';
import { type CallHead, decodeCall, encodeFrame } from './frame.ts';
import type { Route } from './handler.ts';
import type { Performer } from './perform.ts';

export interface ServeOptions {
  service: string;
  concurrency: number;
  log: Logger;
}

export interface Server {
  /** Takes no new calls, and resolves when those under way are answered. */
  stop(): Promise<void>;
}

/** So many times as many calls may wait as are under way; beyond that the caller hears 503 at once. */
const QUEUE_FACTOR = 8;

const refused = (problem: Problem, request_id: string): Buffer =>
  encodeFrame(
    { status: problem.status, type: 'application/problem+json' },
    JSON.stringify(problemDocument(problem, request_id)),
  );

/** A message as a call; undefined when it is none. */
const decoded = (message: Msg): ReturnType<typeof decodeCall> | undefined => {
  try {
    return decodeCall(message.data);
  } catch {
    return undefined;
  }
};

/** Answers the calls of one service from the bus, with bounded concurrency. */
export const serve = (bus: Bus, list: readonly Route[], perform: Performer, options: ServeOptions): Server => {
  const { service, concurrency, log } = options;
  const bySubject = new Map(list.map((route) => [route.call.subject, route]));
  const health = `call.${service}.health`;
  const waiting: (() => void)[] = [];
  let running = 0;
  let idle: (() => void) | undefined;

  /** A failure that is no refusal is logged here, within the trace of its call. */
  const performed = async (route: Route, head: CallHead, body: Buffer): Promise<Answer> => {
    try {
      // It waited here for so long that nobody waits for its answer any more.
      if (head.deadline < Date.now()) throw new Problem('timeout');
      return await perform(route, head, body);
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

  const answer = async (route: Route, head: CallHead, body: Buffer): Promise<Buffer> => {
    const begun = performance.now();
    let status = 500;
    try {
      const reply = await spanned(
        route.call.id,
        { kind: 'server', parent: head.trace, attributes: { 'org.id': head.org_id } },
        () => performed(route, head, body),
      );
      status = reply.head.status;
      return encodeFrame(reply.head, reply.body);
    } catch (error) {
      const problem = problemOf(error);
      status = problem.status;
      return refused(problem, head.request_id);
    } finally {
      record.call(route.call.id, status, performance.now() - begun);
    }
  };

  const refuse = (message: Msg, problem: Problem): void => {
    if (message.reply === undefined) return;
    bus.publishSoon(message.reply, refused(problem, decoded(message)?.head.request_id ?? newId()));
  };

  const handle = async (message: Msg): Promise<void> => {
    if (message.reply === undefined) return;
    const route = bySubject.get(message.subject);
    if (route === undefined) {
      if (message.subject === health) bus.publishSoon(message.reply, new Uint8Array());
      return;
    }
    const call = decoded(message);
    if (call === undefined) {
      log.warn({ subject: message.subject }, 'a message that is no call');
      refuse(message, new Problem('invalid_request', 'The message is not a call'));
      return;
    }
    bus.publishSoon(message.reply, await answer(route, call.head, call.body));
  };

  const next = (): void => {
    running -= 1;
    waiting.shift()?.();
    if (running === 0) idle?.();
  };
  const begin = (message: Msg): void => {
    running += 1;
    handle(message)
      .catch((error: unknown) => log.error({ err: error, subject: message.subject }, 'message could not be answered'))
      .finally(next);
  };
  const subscription = bus.nc.subscribe(`call.${service}.>`, {
    queue: service,
    callback: (error, message) => {
      if (error !== null) return;
      if (running < concurrency) begin(message);
      else if (waiting.length < concurrency * QUEUE_FACTOR) waiting.push(() => begin(message));
      else refuse(message, new Problem('unavailable', 'Too many requests are waiting'));
    },
  });

  return {
    stop: async () => {
      await subscription.drain();
      if (running > 0) {
        await new Promise<void>((resolve) => {
          idle = resolve;
        });
      }
    },
  };
};
