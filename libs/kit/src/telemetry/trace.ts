import {
  type Context,
  context,
  type Exception,
  isSpanContextValid,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { record } from './metrics.ts';

/** Limits the cache, since texts are also created at run time. */
const MAX_SUMMARIES = 5_000;

let enabled = false;
/** Called when the SDK runs. Until then each helper here is a plain call. */
export const enableTracing = (): void => {
  enabled = true;
};

/** Whether a new span would be recorded. A trace that was not sampled costs nothing. */
const recording = (): boolean => enabled && trace.getActiveSpan()?.isRecording() === true;

const tracer = () => trace.getTracer('teaching');

/** The active trace as a W3C traceparent, to be sent over the bus or in an event. */
export const traceparent = (): string | undefined => {
  if (!enabled) return undefined;
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier['traceparent'];
};

interface SpanOptions {
  kind?: 'server' | 'client' | 'producer' | 'consumer';
  /** Traceparent that the span continues, instead of the active trace. */
  parent?: string | undefined;
  /** Traceparent that the span links to, while it begins a trace of its own. */
  link?: string | undefined;
  attributes?: Record<string, string | number>;
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** The type and location of an error. Its message is left out: it may repeat values that were sent or stored. */
const exceptionOf = (error: unknown): Exception => {
  if (!(error instanceof Error)) return { name: typeof error, message: '' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line));
  return { name: error.name, message: code, stack: [error.name, ...frames].join('\n') };
};

const recordFailure = (span: Span, error: unknown): void => {
  span.recordException(exceptionOf(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
};

const linksTo = (traceparent: string | undefined): Link[] => {
  if (traceparent === undefined) return [];
  const linked = trace.getSpanContext(parentOf(traceparent));
  return linked === undefined ? [] : [{ context: linked }];
};

const startSpan = (name: string, { kind, link, attributes = {} }: SpanOptions, parent: Context): Span =>
  tracer().startSpan(
    name,
    { kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind], attributes, links: linksTo(link) },
    parent,
  );

const parentOf = (traceparent: string | undefined): Context =>
  traceparent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, { traceparent });

/** Runs `work` with the first of these spans active, and ends all of them with it. */
const runInSpans = async <T>(spans: readonly Span[], parent: Context, work: () => Promise<T>): Promise<T> => {
  const [first] = spans;
  if (first === undefined) return work();
  return context.with(trace.setSpan(parent, first), async () => {
    try {
      return await work();
    } catch (error) {
      for (const span of spans) recordFailure(span, error);
      throw error;
    } finally {
      for (const span of spans) span.end();
    }
  });
};

/** Runs `work` in a span. Without an SDK it only calls `work`. */
export const withSpan = <T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> => {
  if (!enabled) return work();
  const parent = options.link === undefined ? parentOf(options.parent) : ROOT_CONTEXT;
  return runInSpans([startSpan(name, options, parent)], parent, work);
};

interface Traced {
  name: string;
  parent: string | undefined;
}

/** Runs work that belongs to several traces, such as a batch: one span in each trace, the first one active. */
export const withSpans = async <T>(
  traces: () => readonly Traced[],
  kind: 'producer' | 'consumer',
  work: () => Promise<T>,
): Promise<T> => {
  if (!enabled) return work();
  const started = traces().map(({ name, parent }) => ({ span: startSpan(name, { kind }, parentOf(parent)), parent }));
  return runInSpans(
    started.map(({ span }) => span),
    parentOf(started[0]?.parent),
    work,
  );
};

/** A statement's verb and the first table that it names (`db.query.summary`), computed once for each text. */
const summaries = new Map<string, string>();
const summaryOf = (text: string): string => {
  const known = summaries.get(text);
  if (known !== undefined) return known;
  const verb = /\w+/.exec(text)?.[0].toLowerCase() ?? 'statement';
  const table = /\b(?:from|into|update)\s+(?:only\s+)?([a-z_]+)\b/i.exec(text)?.[1];
  const summary = table === undefined ? verb : `${verb} ${table.toLowerCase()}`;
  if (summaries.size < MAX_SUMMARIES) summaries.set(text, summary);
  return summary;
};

const timed = async <T>(summary: string, send: () => Promise<T>): Promise<T> => {
  const started = performance.now();
  try {
    return await send();
  } finally {
    record.statement(summary, performance.now() - started);
  }
};

/** Runs a statement in a span of the active trace and records its duration by summary. The text contains no values. */
export const withStatementSpan = <T>(text: string, send: () => Promise<T>): Promise<T> => {
  if (!enabled) return send();
  const summary = summaryOf(text);
  if (!recording()) return timed(summary, send);
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary, 'db.query.text': text };
  return withSpan(`sql ${summary}`, { kind: 'client', attributes }, () => timed(summary, send));
};

/** Returns the context if it belongs to a trace. If only metrics are enabled, span ids are zeros. */
export const sampledSpan = (spanContext: SpanContext | undefined): SpanContext | undefined =>
  spanContext !== undefined && isSpanContextValid(spanContext) ? spanContext : undefined;

const activeContext = (): SpanContext | undefined =>
  enabled ? sampledSpan(trace.getActiveSpan()?.spanContext()) : undefined;

/** The fields that are added to each log line of a trace. */
export const traceFields = (): Record<string, string> => {
  const span = activeContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
};

/** Trace id of the active span; empty when tracing is off. */
export const activeTraceId = (): string => activeContext()?.traceId ?? '';

/** Trace id of the active span, or of the request when tracing is off (a UUID is 32 hex digits too). */
export const traceId = (request_id: string): string => activeTraceId() || request_id.replaceAll('-', '');
