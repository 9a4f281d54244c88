import {
  connectBus,
  createLogger,
  createRequester,
  type Env,
  readConfig,
  runAsProgram,
  type Running,
  startTelemetry,
} from '@teaching/kit';
import { buildApp } from './app.ts';
import { gatewayConfig } from './config.ts';

export interface RunningGateway extends Running {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  address: string;
}

export const start = async (env: Env): Promise<RunningGateway> => {
  const config = readConfig(gatewayConfig, env);
  const log = createLogger('gateway', config.LOG_LEVEL);
  const stopTelemetry = await startTelemetry('gateway', config.OTEL_EXPORTER_OTLP_ENDPOINT);
  const bus = await connectBus(config, 'gateway', log);
  const requester = createRequester(bus);
  const app = await buildApp({ config, bus, requester, log });
  const address = await app.listen({ host: config.HOST, port: config.PORT });
  log.info({ address }, 'listening');
  return {
    address,
    stop: async () => {
      await app.close();
      requester.stop();
      await bus.close();
      await stopTelemetry();
    },
  };
};

await runAsProgram(import.meta.url, start);
