import { enableTracing } from './trace.ts';

/** What goes where; the rest comes from the standard `OTEL_*` variables. */
export interface TelemetryConfig {
  /** Where traces and metrics are sent. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  /** Where metrics can be fetched in Prometheus' format, at `/metrics`. */
  METRICS_PORT?: number | undefined;
}

interface Sdk {
  users: number;
  shutdown: () => Promise<void>;
}
let running: Promise<Sdk> | undefined;

/** An empty variable counts as absent, as everywhere. */
const given = (name: string): string | undefined => process.env[name] || undefined;

/**
 * The SDK reads its settings from the environment: what ours mean there, unless it says so itself. By itself it would let
 * metrics be fetched from the same host only, which in a container nobody is.
 */
const environmentFor = ({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, METRICS_PORT: port }: TelemetryConfig) => {
  const sent = endpoint === undefined ? 'none' : 'otlp';
  const metrics = given('OTEL_METRICS_EXPORTER') ?? sent;
  const host = given('OTEL_EXPORTER_PROMETHEUS_HOST') ?? '0.0.0.0';
  const fetched =
    port === undefined ? {} : { OTEL_EXPORTER_PROMETHEUS_HOST: host, OTEL_EXPORTER_PROMETHEUS_PORT: String(port) };
  const exporters = [...new Set([...metrics.split(','), ...(port === undefined ? [] : ['prometheus'])])];
  return {
    OTEL_TRACES_EXPORTER: given('OTEL_TRACES_EXPORTER') ?? sent,
    OTEL_LOGS_EXPORTER: given('OTEL_LOGS_EXPORTER') ?? 'none',
    OTEL_METRICS_EXPORTER: exporters.filter((one) => one !== 'none' || exporters.length === 1).join(','),
    ...fetched,
  };
};

const startSdk = async (service: string, config: TelemetryConfig): Promise<Sdk> => {
  Object.assign(process.env, environmentFor(config));
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({ serviceName: given('OTEL_SERVICE_NAME') ?? service, instrumentations: [] });
  sdk.start();
  enableTracing();
  return { users: 0, shutdown: () => sdk.shutdown() };
};

/**
 * Starts OpenTelemetry when traces and metrics are to be sent somewhere, or metrics to be fetched. The SDK is loaded only
 * then: it costs memory and start-up time. There is one in a process, named after the first service in it, and it ends with
 * the last.
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
