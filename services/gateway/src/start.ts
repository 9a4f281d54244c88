import { setTimeout as sleep } from 'node:timers/promises';
import {
  connectBus,
  createLogger,
  createRequester,
  type Env,
  listening,
  readConfig,
  type Running,
  startTelemetry,
} from '@teaching/kit';
import { buildApp } from './app.ts';
import { gatewayConfig } from './config.ts';
import { closeGently, type Drain, trackConnections } from './http/drain.ts';

/** A call that was taken at the last moment is answered within its own time; then nothing is waited for. */
const AFTER_LAST_CALL_MS = 1_000;

export interface RunningGateway extends Running {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  address: string;
}

export interface StartOptions {
  /** Ends the start, whatever it waits for. */
  stop?: AbortSignal;
}

/** Starts the gateway: connects, and listens once it can serve. */
export const start = async (env: Env, { stop: giveUp }: StartOptions = {}): Promise<RunningGateway> => {
  const config = readConfig(gatewayConfig, env);
  const log = createLogger('gateway', config.LOG_LEVEL);
  const stopTelemetry = await startTelemetry('gateway', config.OTEL_EXPORTER_OTLP_ENDPOINT);
  const bus = await connectBus(config, 'gateway', log, giveUp);
  const requester = createRequester(bus);
  const drain: Drain = { isDraining: false };
  const app = await buildApp({ config, bus, requester, log, drain });
  const connections = trackConnections(app);
  const address = await listening('PORT', () => app.listen({ host: config.HOST, port: config.PORT }));
  log.info({ address }, 'listening');
  const stop = async (): Promise<void> => {
    drain.isDraining = true;
    log.info({ ms: config.DRAIN_MS }, 'not ready any more, serving what still comes');
    await sleep(config.DRAIN_MS);
    await closeGently(app, connections, config.CALL_TIMEOUT_MS + AFTER_LAST_CALL_MS);
    requester.stop();
    await bus.close();
    await stopTelemetry();
  };
  let stopping: Promise<void> | undefined;
  return { address, stop: () => (stopping ??= stop()), failed: bus.failed };
};
