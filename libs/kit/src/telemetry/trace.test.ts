import { INVALID_SPAN_CONTEXT, TraceFlags } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { sampledSpan } from './trace.ts';

it('omits the trace id of a span without a trace, as exists when only metrics are enabled', () => {
  expect(sampledSpan(undefined)).toBeUndefined();
  expect(sampledSpan(INVALID_SPAN_CONTEXT)).toBeUndefined();
  const one = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: TraceFlags.NONE };
  expect(sampledSpan(one)).toBe(one);
});
