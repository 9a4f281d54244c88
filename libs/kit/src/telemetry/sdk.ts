import { setTimeout as sleep } from 'node:timers/promises';
import { logOutput } from './log-output.ts';
import { observeDroppedLines } from './metrics.ts';
import { enableTracing } from './trace.ts';

/** Where telemetry goes. Other settings come from the standard `OTEL_*` variables. */
export interface TelemetryConfig {
  /** URL to which traces and metrics are sent. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  /** Port on which metrics can be read in Prometheus format, at `/metrics`. */
  METRICS_PORT?: number | undefined;
}

/** Time for the last traces and metrics at the end, in milliseconds: a process ends although its collector is away. */
const SHUTDOWN_MS = 1_000;

interface Sdk {
  users: number;
  shutdown: () => Promise<void>;
}
let running: Promise<Sdk> | undefined;

/** An empty variable counts as absent, as everywhere in this project. */
const variable = (name: string): string | undefined => process.env[name] || undefined;

/**
 * The variables from which the SDK reads its settings, derived from ours unless they are set. By default the SDK serves
 * metrics to the same host only; in a container no reader is there.
 */
const environmentFor = ({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, METRICS_PORT: port }: TelemetryConfig) => {
  const pushed = endpoint === undefined ? 'none' : 'otlp';
  const metrics = variable('OTEL_METRICS_EXPORTER') ?? pushed;
  const host = variable('OTEL_EXPORTER_PROMETHEUS_HOST') ?? '0.0.0.0';
  const prometheus =
    port === undefined ? {} : { OTEL_EXPORTER_PROMETHEUS_HOST: host, OTEL_EXPORTER_PROMETHEUS_PORT: String(port) };
  const exporters = [...new Set([...metrics.split(','), ...(port === undefined ? [] : ['prometheus'])])];
  return {
    OTEL_TRACES_EXPORTER: variable('OTEL_TRACES_EXPORTER') ?? pushed,
    OTEL_LOGS_EXPORTER: variable('OTEL_LOGS_EXPORTER') ?? 'none',
    OTEL_METRICS_EXPORTER: exporters.filter((one) => one !== 'none' || exporters.length === 1).join(','),
    ...prometheus,
  };
};

const startSdk = async (service: string, config: TelemetryConfig): Promise<Sdk> => {
  Object.assign(process.env, environmentFor(config));
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({ serviceName: variable('OTEL_SERVICE_NAME') ?? service, instrumentations: [] });
  sdk.start();
  observeDroppedLines(logOutput.dropped);
  enableTracing();
  const shutdown = async (): Promise<void> => {
    const stopped = sdk.shutdown().catch(() => undefined);
    await Promise.race([stopped, sleep(SHUTDOWN_MS, undefined, { ref: false })]);
  };
  return { users: 0, shutdown };
};

/**
 * Starts OpenTelemetry if traces and metrics are to be sent or metrics to be read. The SDK is loaded only then: it
 * costs memory and start-up time. A process has one SDK. It is named after the first service in the process and ends
 * with the last.
 */
export const startTelemetry = async (service: string, config: TelemetryConfig): Promise<() => Promise<void>> => {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined && config.METRICS_PORT === undefined) return async () => {};
  running ??= startSdk(service, config);
  const sdk = await running;
  sdk.users += 1;
  return async () => {
    sdk.users -= 1;
    if (sdk.users === 0) await sdk.shutdown();
  };
};
