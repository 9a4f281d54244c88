import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Value = z.object({ stringValue: z.string().optional() }).loose();
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(z.object({ key: z.string(), value: Value })).default([]),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  events: z.array(z.unknown()).default([]),
});
export type Span = z.output<typeof Span>;

const Traces = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(Span) })) })),
});
const Metrics = z.object({
  resourceMetrics: z.array(
    z.object({ scopeMetrics: z.array(z.object({ metrics: z.array(z.object({ name: z.string() })) })) }),
  ),
});

/** The spans and metrics that an OTLP exporter sends over HTTP in JSON. */
export interface Collector {
  endpoint: string;
  spans: Span[];
  metrics: Set<string>;
  /** The unchanged bodies of all requests. */
  raw: string[];
  stop(): void;
}

/** Starts a small OTLP/HTTP collector that stores everything it receives. */
export const startCollector = async (): Promise<Collector> => {
  const spans: Span[] = [];
  const metrics = new Set<string>();
  const raw: string[] = [];
  const store = (path: string | undefined, body: unknown): void => {
    if (path === '/v1/traces') {
      const { resourceSpans } = Traces.parse(body);
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    } else if (path === '/v1/metrics') {
      const { resourceMetrics } = Metrics.parse(body);
      for (const { scopeMetrics } of resourceMetrics)
        for (const scope of scopeMetrics) for (const metric of scope.metrics) metrics.add(metric.name);
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      raw.push(text);
      store(request.url, JSON.parse(text));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    metrics,
    raw,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
