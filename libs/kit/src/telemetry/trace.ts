import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

let enabled = false;
/** Called once the SDK runs; until then every helper here is a plain call. */
export const enableTracing = (): void => {
  enabled = true;
};

const tracer = () => trace.getTracer('teaching');

/** The active trace as a W3C traceparent, to be carried over the bus or in an event. */
export const traceparent = (): string | undefined => {
  if (!enabled) return undefined;
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier['traceparent'];
};

interface SpanOptions {
  kind?: 'server' | 'client' | 'producer' | 'consumer';
  /** Continue this trace instead of the active one. */
  parent?: string | undefined;
  attributes?: Record<string, string | number>;
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

const failed = (span: Span, error: unknown): void => {
  span.recordException(error instanceof Error ? error : new Error(String(error)));
  span.setStatus({ code: SpanStatusCode.ERROR });
};

/** Runs `work` in a span; without an SDK it is only the call. */
export const spanned = async <T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> => {
  if (!enabled) return work();
  const parent =
    options.parent === undefined
      ? context.active()
      : propagation.extract(ROOT_CONTEXT, { traceparent: options.parent });
  const { kind, attributes } = options;
  const span = tracer().startSpan(
    name,
    { kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind], attributes: attributes ?? {} },
    parent,
  );
  return context.with(trace.setSpan(parent, span), async () => {
    try {
      return await work();
    } catch (error) {
      failed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
};

/** Trace id of the active span, or of the request when tracing is off (a UUID is 32 hex digits too). */
export const traceId = (request_id: string): string =>
  (enabled ? trace.getActiveSpan()?.spanContext().traceId : undefined) ?? request_id.replaceAll('-', '');
