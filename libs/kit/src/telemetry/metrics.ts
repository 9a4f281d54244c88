import { metrics } from '@opentelemetry/api';

const meter = () => metrics.getMeter('teaching');

/** Instruments are made on first use, after the SDK had its chance to start; without one they do nothing. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

const callDuration = once(() =>
  meter().createHistogram('call.duration', { unit: 'ms', description: 'Time from receipt of a call to its answer' }),
);
const relayed = once(() => meter().createCounter('outbox.relayed', { description: 'Events published to the stream' }));
const relayLag = once(() =>
  meter().createHistogram('outbox.lag', { unit: 'ms', description: 'Time from commit of an event to its publication' }),
);
const consumed = once(() => meter().createCounter('consumer.events', { description: 'Events by outcome' }));
const consumerLag = once(() =>
  meter().createHistogram('consumer.lag', { unit: 'ms', description: 'Time from an event to its effect' }),
);

export const record = {
  call: (call: string, status: number, ms: number): void => callDuration().record(ms, { call, status }),
  relayed: (service: string, count: number, lagMs: number): void => {
    relayed().add(count, { service });
    relayLag().record(lagMs, { service });
  },
  consumed: (consumer: string, outcome: 'applied' | 'duplicate' | 'dead', count: number): void =>
    consumed().add(count, { consumer, outcome }),
  consumerLag: (consumer: string, ms: number): void => consumerLag().record(ms, { consumer }),
};
