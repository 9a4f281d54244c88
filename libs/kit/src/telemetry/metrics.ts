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
const counter = (name: string, description: string) => once(() => meter().createCounter(name, { description }));
const gauge = (name: string, unit: string, description: string) =>
  once(() => meter().createGauge(name, { unit, description }));

const numbered = counter('teaching.log.numbered', 'Events that got their number');
const numberLag = once(() =>
  meter().createHistogram('teaching.log.number.lag', { unit: 'ms', description: 'Time from an event to its number' }),
);
const published = counter('teaching.log.published', 'Events the stream has taken');
const publishedTo = gauge('teaching.log.published.place', '{event}', 'Place of the last event in the stream');
const unpublished = gauge('teaching.log.publish.trouble', '1', '1 while the stream does not take events');
const wentBack = counter('teaching.log.restored', 'Times a log went back and a new epoch began');
const followed = counter('teaching.follower.events', 'Events by outcome');
const followerPlace = gauge('teaching.follower.place', '{event}', 'Place of the last event that was applied');
const followerLag = gauge('teaching.follower.lag', '{event}', 'Events of the log that are still to come');
const ghosts = counter('teaching.follower.ghosts', 'Times a source did not have what was applied');
const refused = counter('teaching.gateway.refused', 'Requests that were refused for who they are, by reason');
const shutOutOld = gauge('teaching.gateway.shut_out.age', 's', 'Since it was heard who must not enter');
const keysOld = gauge('teaching.gateway.keys.age', 's', 'Since the keys of the token issuer could be read');

export const record = {
  call: (call: string, status: number, ms: number): void => callDuration().record(ms, { call, status }),
  numbered: (service: string, count: number, lag_ms: number): void => {
    numbered().add(count, { service });
    numberLag().record(lag_ms, { service });
  },
  published: (service: string, log: string, count: number, place: number): void => {
    published().add(count, { service, log });
    publishedTo().record(place, { service, log });
  },
  publishTrouble: (service: string, log: string, is: boolean): void =>
    unpublished().record(Number(is), { service, log }),
  wentBack: (service: string): void => wentBack().add(1, { service }),
  followed: (follower: string, log: string, outcome: 'applied' | 'dead', count: number): void =>
    followed().add(count, { follower, log, outcome }),
  followerAt: (follower: string, log: string, place: number, lag: number): void => {
    followerPlace().record(place, { follower, log });
    followerLag().record(lag, { follower, log });
  },
  refused: (reason: string): void => refused().add(1, { reason }),
  shutOutOld: (age_s: number): void => shutOutOld().record(age_s),
  keysOld: (age_s: number): void => keysOld().record(age_s),
  ghosts: (follower: string, log: string): void => ghosts().add(1, { follower, log }),
};
