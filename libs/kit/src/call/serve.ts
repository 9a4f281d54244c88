import type { Msg } from '@nats-io/transport-node';
import { Problem, problemDocument } from '@teaching/contracts';
import type { Logger } from 'pino';
import type { Bus } from '../bus/connect.ts';
import { type CallHead, decodeCall, encodeFrame } from '../bus/frame.ts';
import { databaseFault } from '../db/connection.ts';
import { record } from '../telemetry/metrics.ts';
import { spanned, traceId } from '../telemetry/trace.ts';
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

/** As many calls may wait as are under way; beyond that the caller hears 503 at once. */
const QUEUE_FACTOR = 8;
/** Connection trouble: the caller may try again, nothing was stored. */
const UNAVAILABLE = /^(08|53|57P0[123])/;

const toProblem = (error: unknown, head: CallHead, route: Route, log: Logger): Problem => {
  if (error instanceof Problem && error.status < 500) return error;
  const fault = databaseFault(error);
  log.error(
    {
      err: error,
      call: route.call.id,
      request_id: head.request_id,
      org_id: head.org_id,
      trace_id: traceId(head.request_id),
    },
    'call failed',
  );
  if (error instanceof Problem) return error;
  const unreachable =
    error instanceof Error &&
    /timeout exceeded when trying to connect|ECONNREFUSED|ENOENT|Connection terminated/.test(error.message);
  return new Problem(unreachable || UNAVAILABLE.test(fault?.code ?? '') ? 'unavailable' : 'internal');
};

/** Answers the calls of one service from the bus, with bounded concurrency. */
export const serve = (bus: Bus, list: readonly Route[], perform: Performer, options: ServeOptions): Server => {
  const { service, concurrency, log } = options;
  const bySubject = new Map(list.map((route) => [route.call.subject, route]));
  const health = `call.${service}.health`;
  const waiting: (() => void)[] = [];
  let running = 0;
  let idle: (() => void) | undefined;

  const answer = async (route: Route, head: CallHead, body: Buffer): Promise<Buffer> => {
    const begun = performance.now();
    let status = 500;
    try {
      if (head.deadline < Date.now()) throw new Problem('timeout');
      const reply = await spanned(
        route.call.id,
        { kind: 'server', parent: head.trace, attributes: { 'org.id': head.org_id } },
        () => perform(route, head, body),
      );
      status = reply.head.status;
      return encodeFrame(reply.head, reply.body);
    } catch (error) {
      const problem = toProblem(error, head, route, log);
      status = problem.status;
      return encodeFrame(
        { status, type: 'application/problem+json' },
        JSON.stringify(problemDocument(problem, head.request_id)),
      );
    } finally {
      record.call(route.call.id, status, performance.now() - begun);
    }
  };

  const handle = async (message: Msg): Promise<void> => {
    if (message.reply === undefined) return;
    const route = bySubject.get(message.subject);
    if (route === undefined) {
      if (message.subject === health) bus.publishSoon(message.reply, new Uint8Array());
      return;
    }
    const { head, body } = decodeCall(message.data);
    const frame = await answer(route, head, body);
    bus.publishSoon(message.reply, frame);
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
  const shed = (message: Msg): void => {
    const { head } = decodeCall(message.data);
    const document = problemDocument(new Problem('unavailable', 'Too many requests are waiting'), head.request_id);
    if (message.reply !== undefined) {
      bus.publishSoon(
        message.reply,
        encodeFrame({ status: 503, type: 'application/problem+json' }, JSON.stringify(document)),
      );
    }
  };

  const subscription = bus.nc.subscribe(`call.${service}.>`, {
    queue: service,
    callback: (error, message) => {
      if (error !== null) return;
      if (running < concurrency) begin(message);
      else if (waiting.length < concurrency * QUEUE_FACTOR) waiting.push(() => begin(message));
      else shed(message);
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
