import { enableTracing } from './trace.ts';

interface Sdk {
  users: number;
  shutdown: () => Promise<void>;
}
let running: Promise<Sdk> | undefined;

const startSdk = async (service: string): Promise<Sdk> => {
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({ serviceName: process.env['OTEL_SERVICE_NAME'] ?? service, instrumentations: [] });
  sdk.start();
  enableTracing();
  return { users: 0, shutdown: () => sdk.shutdown() };
};

/**
 * Starts OpenTelemetry when an OTLP endpoint is configured; sampling and the rest come from the
 * standard OTEL_* variables. The SDK is loaded only then: it costs memory and start-up time. There is one
 * in a process, named after the first service in it, and it ends with the last.
 */
export const startTelemetry = async (service: string, endpoint: string | undefined): Promise<() => Promise<void>> => {
  if (endpoint === undefined) return async () => {};
  running ??= startSdk(service);
  const sdk = await running;
  sdk.users += 1;
  return async () => {
    sdk.users -= 1;
    if (sdk.users === 0) await sdk.shutdown();
  };
};
