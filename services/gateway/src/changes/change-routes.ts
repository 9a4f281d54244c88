import type { Socket } from 'node:net';
import { changesCalls, Problem } from '@teaching/contracts';
import type { Bus, Requester } from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/authenticate.ts';
import type { Revocations } from '../auth/revocations.ts';
import type { GatewayConfig } from '../config.ts';
import { admitRequest } from '../http/admission.ts';
import { detachConnection } from '../http/detach-connection.ts';
import type { RequestGuard } from '../http/request-guard.ts';
import type { GatewayLimits } from '../limits/gateway-limits.ts';
import { createChangeFeeds } from './change-feeds.ts';
import { ChangeStream, type StreamSettings, type StreamStart } from './change-stream.ts';
import { createPacer } from './pacer.ts';
import { createStreamPlaces } from './stream-places.ts';
import { TimerWheel } from './timer-wheel.ts';
import { createViewerLoader, relationsReader } from './viewer-loader.ts';

const { streamChanges } = changesCalls;
const TICK_MS = 1_000;
/** Ticks between two checks of all streams: an expired token ends its stream within this time. */
const CHECK_TICKS = 10;
const SILENCE_MS = 15_000;
/** Timeout of the request for related people and classes. */
const PATIENCE_MS = 5_000;
/** `Retry-After` for a person with too many open pages, in seconds: the person has to close a page first. */
const CROWDED_S = 10;

interface ChangesDeps {
  config: GatewayConfig;
  bus: Bus;
  requester: Requester;
  guard: RequestGuard;
  revocations: Revocations;
  limits: Pick<GatewayLimits, 'user' | 'org'>;
  /** Called when the connection of a request is detached: its response has no end. */
  onDetached: (request: FastifyRequest, reply: FastifyReply) => void;
}

const throwDisconnected = (): never => {
  throw new Problem('unavailable', 'The gateway does not receive changes');
};

/**
 * `GET /api/v1/changes`: streams changes to open pages (ADR 31). A stream stays open while its token would be accepted,
 * and ends when the gateway closes; the client then reconnects. Returns a counter of open streams.
 */
export const registerChanges = (app: FastifyInstance, deps: ChangesDeps): { count: () => number } => {
  const { config, bus, requester, guard, revocations, limits, onDetached } = deps;
  const pacer = createPacer();
  const feeds = createChangeFeeds(bus, pacer);
  const places = createStreamPlaces(config.MAX_STREAMS);
  const streams = new Set<ChangeStream>();
  const settings: StreamSettings = {
    requestViewer: createViewerLoader(relationsReader(requester, PATIENCE_MS), PATIENCE_MS),
    // An event may be sent a tick later.
    silence_ms: Math.min(SILENCE_MS, (config.CONNECTION_TIMEOUT_MS - TICK_MS) / 2),
    clock: () => performance.now(),
  };
  const wheel = new TimerWheel<ChangeStream>(Math.floor(settings.silence_ms / TICK_MS) + 1);
  let isClosing = false;

  const enter = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { org_id, account, roles } = await guard.identify(request, reply);
    if (!roles.some((role) => streamChanges.roles.includes(role))) throw new Problem('forbidden');
    const counted = [
      { limit: limits.user, key: account },
      { limit: limits.org, key: org_id },
    ];
    await admitRequest(counted, streamChanges.cost, reply);
  };

  /** Follows a feed until the connection closes. It has its own scope: the closure must not keep the request. */
  const follow = (socket: Socket, start: StreamStart): void => {
    const stream = new ChangeStream(socket, settings, start);
    streams.add(stream);
    sendAlive(stream);
    socket.once('close', () => {
      stream.leave();
      streams.delete(stream);
      places.leave(stream.caller);
    });
    // The caller may have been revoked while the stream was opened.
    if (isClosing || !isAccepted(stream.caller)) stream.end();
  };

  const openStream = async (request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<FastifyReply> => {
    // Changes that arrive meanwhile are received now and sent when the access of the viewer is known.
    const feed = feeds.of(caller.org_id);
    const [viewer] = await Promise.all([settings.requestViewer(caller), feed.ready.catch(throwDisconnected)]);
    reply.headers({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // Some proxies buffer a response until it is complete.
      'x-accel-buffering': 'no',
    });
    const socket = request.method === 'HEAD' ? undefined : await detachConnection(request, reply);
    if (socket === undefined) {
      places.leave(caller);
      return reply.sent ? reply : reply.send();
    }
    onDetached(request, reply);
    const last_event_id = [request.headers['last-event-id']].flat()[0];
    follow(socket, { feed, caller, viewer, last_event_id });
    return reply;
  };

  const listen = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!streamChanges.query.safeParse(request.query).success)
      throw new Problem('invalid_request', 'This path takes no parameters');
    const caller = await guard.identify(request, reply);
    if (isClosing || !bus.isUp()) throwDisconnected();
    takePlace(caller, reply);
    try {
      return await openStream(request, reply, caller);
    } catch (error) {
      places.leave(caller);
      throw error;
    }
  };

  const takePlace = (caller: Caller, reply: FastifyReply): void => {
    try {
      places.take(caller);
    } catch (error) {
      if (error instanceof Problem && error.status === 429) reply.header('retry-after', CROWDED_S);
      throw error;
    }
  };

  const isAccepted = (caller: Caller): boolean => {
    try {
      revocations.check(caller);
      return caller.isCurrent();
    } catch {
      return false;
    }
  };
  /** The version of the list of revoked people by which all streams were checked. */
  let checked = -1;
  let tick = 0;
  const checkAll = async (): Promise<void> => {
    const version = revocations.version();
    await pacer.forEach(streams, (stream) => {
      if (isAccepted(stream.caller)) stream.refreshWhenDue();
      else stream.end();
    });
    checked = version;
  };
  const sendAlive = (stream: ChangeStream): void => {
    const next_ms = stream.sendAlive();
    if (next_ms !== undefined) wheel.add(stream, Math.floor(next_ms / TICK_MS) + 1);
  };
  let ticked: Promise<unknown> = Promise.resolve();
  /** Ends the streams whose callers would be refused now: at once after a change of the list of revoked people. */
  const onTick = (): void => {
    tick += 1;
    const isRegular = tick % CHECK_TICKS === 0;
    const due = wheel.takeDue();
    ticked = ticked.then(async () => {
      await pacer.forEach(due, sendAlive);
      if (isRegular || revocations.version() !== checked) await checkAll();
    });
  };
  const ticking = setInterval(onTick, TICK_MS).unref();

  app.get(streamChanges.http?.path ?? '', { onRequest: enter, handler: listen });
  app.addHook('preClose', async () => {
    isClosing = true;
    clearInterval(ticking);
    for (const stream of streams) stream.end();
    feeds.stop();
  });
  return { count: places.count };
};
