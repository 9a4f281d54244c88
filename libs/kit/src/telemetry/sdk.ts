import { enableTracing } from './trace.ts';

/**
 * Starts OpenTelemetry when an OTLP endpoint is configured; sampling and the rest come from the
 * standard OTEL_* variables. The SDK is loaded only then: it costs memory and start-up time.
 */
export const startTelemetry = async (service: string, endpoint: string | undefined): Promise<() => Promise<void>> => {
  if (endpoint === undefined) return async () => {};
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({ serviceName: service, instrumentations: [] });
  sdk.start();
  enableTracing();
  return () => sdk.shutdown();
};
