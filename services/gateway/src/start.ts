import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '@teaching/contracts';
import {
  connectBus,
  createLogger,
  createRequester,
  type Env,
  withListenError,
  readConfig,
  type Running,
  startTelemetry,
  STOP_MS,
} from '@teaching/kit';
import { buildApp } from './app.ts';
import { openKeys } from './auth/key-store.ts';
import { followRevocations } from './auth/revocations.ts';
import { gatewayConfig } from './config.ts';
import { shareGatewayLimits } from './limits/gateway-limits.ts';
import { closeGracefully, type Drain, trackConnections } from './http/connections.ts';
import { createPendingCalls } from './http/admission.ts';

/** Milliseconds added to `CALL_TIMEOUT_MS` for a call that was accepted at the last moment. */
const SPARE_MS = 1_000;
/** Milliseconds reserved for the steps after the last answer. */
const CLOSE_MS = 2_000;

export interface RunningGateway extends Running {
  /** The address it listens on, e.g. `http://127.0.0.1:8080`. */
  address: string;
}

export interface StartOptions {
  /** Cancels the start at any step. */
  stop?: AbortSignal;
  /** Folder of the built console; by default the folder that its build writes. */
  consoleRoot?: string;
}

/** Starts the gateway: connects, and listens once it can serve. */
export const start = async (
  env: Env,
  { stop: cancelStart, consoleRoot }: StartOptions = {},
): Promise<RunningGateway> => {
  const config = readConfig(gatewayConfig, env, { report: (trouble) => log.warn(trouble) });
  const log = createLogger('gateway', config.LOG_LEVEL);
  const stopping = new AbortController();
  const stopReading = AbortSignal.any([stopping.signal, ...(cancelStart === undefined ? [] : [cancelStart])]);
  const stopTelemetry = await startTelemetry('gateway', config);
  const keys = await openKeys(config, log, stopReading);
  const bus = await connectBus(config, 'gateway', log, cancelStart);
  const requester = createRequester(bus, SERVICES);
  const revocations = await followRevocations(requester, config.SHUT_OUT_MAX_STALE * 1_000, log, stopReading);
  const shared = shareGatewayLimits(config, { bus, requester, log });
  const drain: Drain = { isDraining: false };
  const pending = createPendingCalls(config.MAX_PENDING);
  const { limits } = shared;
  const deps = { config, bus, requester, log, keys, revocations, drain, pending, limits, consoleRoot };
  const app = await buildApp(deps);
  const connections = trackConnections(app);
  await shared.join();
  const address = await withListenError('PORT', () => app.listen({ host: config.HOST, port: config.PORT }));
  log.info({ address }, 'listening');
  const stop = async (): Promise<void> => {
    drain.isDraining = true;
    stopping.abort();
    log.info({ ms: config.DRAIN_MS }, 'no longer ready; still serving requests');
    await sleep(config.DRAIN_MS);
    const left_ms = STOP_MS - config.DRAIN_MS - CLOSE_MS;
    await closeGracefully(app, connections, pending.count, Math.min(config.CALL_TIMEOUT_MS + SPARE_MS, left_ms));
    shared.leave();
    requester.stop();
    await bus.close();
    await stopTelemetry();
  };
  let stopped: Promise<void> | undefined;
  return { address, stop: () => (stopped ??= stop()), failed: bus.failed };
};
