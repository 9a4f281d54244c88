import { type Attributes, type BatchObservableCallback, metrics, type ObservableGauge } from '@opentelemetry/api';

const meter = () => metrics.getMeter('teaching');

/** Instruments are made on first use, after the SDK had its chance to start; without one they do nothing. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

/** Boundaries in seconds, from a read of a millisecond to what a caller waits for at most. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const counter = (name: string, unit: string, description: string) =>
  once(() => meter().createCounter(name, { unit, description }));
const histogram = (name: string, description: string) =>
  once(() => meter().createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: SECONDS } }));

const httpDuration = histogram('http.server.request.duration', 'Time from the head of a request to its answer');
const callDuration = histogram(
  'teaching.call.duration',
  'Time a service spends on a call, without waiting for its turn',
);
const shed = counter('teaching.call.shed', '{call}', 'Calls that were refused because too many wait');
const statementDuration = histogram(
  'db.client.operation.duration',
  'Time until a statement is answered, in a transaction with all that were sent with it',
);
const retries = counter('teaching.transaction.retries', '{transaction}', 'Transactions done again after a lost race');
const numbered = counter('teaching.log.numbered', '{event}', 'Events that got their number');
const numberLag = histogram('teaching.log.number.lag', 'Time from an event to its number');
const published = counter('teaching.log.published', '{event}', 'Events the stream has taken');
const hinted = counter('teaching.hints', '{hint}', 'Changes that were hinted at to gateways, for pages that are open');
const wentBack = counter('teaching.log.restored', '{epoch}', 'Times a log went back and a new epoch began');
const followed = counter('teaching.follower.events', '{event}', 'Events by outcome');
const filled = counter('teaching.follower.gaps', '{gap}', 'Gaps that were filled by asking the source');
const ghosts = counter('teaching.follower.ghosts', '{time}', 'Times a source did not have what was applied');
const terms = counter('teaching.duty.terms', '{term}', 'Times this instance began to lead');
const reconnects = counter('teaching.bus.reconnects', '{connection}', 'Times the bus was lost and found again');
const refused = counter(
  'teaching.gateway.refused',
  '{request}',
  'Requests that were refused for who they are, by reason',
);
const verified = counter('teaching.audit.verified', '{entry}', 'Entries of audit trails that were recomputed');
const told = counter(
  'teaching.events',
  '{event}',
  'Events by what happened: roll calls, publishes, moved hours and all others',
);

/** Makes what happens hardly ever known before it does: the first one of a counter that nobody knew is no increase. */
export const initializeCounters = (service: string, follows: readonly { follower: string; log: string }[]): void => {
  shed().add(0, { service });
  wentBack().add(0, { service });
  for (const { follower, log } of follows) ghosts().add(0, { follower, log });
};

/** What happened, counted or timed when it did. Durations are given in milliseconds. */
export const record = {
  http: (attributes: { method: string; route: string; status: number }, ms: number): void =>
    httpDuration().record(ms / 1_000, {
      'http.request.method': attributes.method,
      'http.route': attributes.route,
      'http.response.status_code': attributes.status,
    }),
  call: (service: string, call: string, status: number, ms: number): void =>
    callDuration().record(ms / 1_000, { service, call, status }),
  shed: (service: string): void => shed().add(1, { service }),
  statement: (summary: string, ms: number): void =>
    statementDuration().record(ms / 1_000, { 'db.system.name': 'postgresql', 'db.query.summary': summary }),
  retry: (reason: string): void => retries().add(1, { reason }),
  numbered: (service: string, count: number, lag_ms: number): void => {
    numbered().add(count, { service });
    numberLag().record(lag_ms / 1_000, { service });
  },
  published: (service: string, log: string, count: number): void => published().add(count, { service, log }),
  hinted: (service: string, count: number): void => hinted().add(count, { service }),
  wentBack: (service: string): void => wentBack().add(1, { service }),
  followed: (follower: string, log: string, outcome: 'applied' | 'dead', count: number): void =>
    followed().add(count, { follower, log, outcome }),
  filled: (follower: string, log: string): void => filled().add(1, { follower, log }),
  ghosts: (follower: string, log: string): void => ghosts().add(1, { follower, log }),
  term: (service: string): void => terms().add(1, { service }),
  reconnect: (): void => reconnects().add(1),
  refused: (reason: string): void => refused().add(1, { reason }),
  verified: (entries: number): void => verified().add(entries),
  told: (event: string): void => told().add(1, { event }),
};

/** Unit and description by name. They are looked at whenever somebody collects, so they speak while nothing moves, too. */
const GAUGES = {
  'teaching.call.running': ['{call}', 'Calls under way'],
  'teaching.call.slots': ['{call}', 'Calls that may be under way at once'],
  'teaching.call.waiting': ['{call}', 'Calls that wait for their turn'],
  'db.client.connection.count': ['{connection}', 'Connections by state'],
  'db.client.connection.max': ['{connection}', 'Connections there may be'],
  'db.client.connection.pending_requests': ['{request}', 'Who waits for a connection'],
  'teaching.bus.connected': ['1', '1 while the bus is there'],
  'teaching.bus.pending': ['By', 'Bytes handed over for publishing that the broker has not taken'],
  'teaching.duty.leading': ['1', '1 in the instance that leads'],
  'teaching.duty.since': ['s', 'Time for which this instance leads'],
  'teaching.log.place': ['{event}', 'Number of the newest event'],
  'teaching.log.unnumbered': ['{event}', 'Events that wait for their number'],
  'teaching.log.unnumbered.age': ['s', 'Since when an event waits for its number'],
  'teaching.log.published.place': ['{event}', 'Number of the newest event in the stream'],
  'teaching.log.unpublished.age': ['s', 'Since when the stream lacks an event'],
  'teaching.follower.place': ['{event}', 'Number of the last event that was applied'],
  'teaching.follower.lag': ['{event}', 'Events of the log that are still to come'],
  'teaching.follower.lag.time': ['s', 'Time since the follower was told of the oldest event that it still lacks'],
  'teaching.follower.trouble': ['1', '1 while something stands in its way'],
  'teaching.follower.dead_letters': ['{event}', 'Events put aside that wait for a replay'],
  'teaching.status.known': ['1', '1 if the database could be asked how logs and followers stand'],
  'teaching.database.held': ['By', 'Bytes of its log that Postgres keeps for a slot'],
  'teaching.stream.bytes': ['By', 'Bytes in a stream'],
  'teaching.stream.max': ['By', 'Bytes a stream may hold'],
  'teaching.certificate.left': ['s', 'Until a certificate that is shown or believed ends'],
  'teaching.audit.broken': ['{trail}', 'Audit trails that do not verify'],
  'teaching.audit.verified.age': ['s', 'Since the audit trail that waits longest was recomputed up to its end'],
  'teaching.audit.recomputed.age': [
    's',
    'Since the audit trail that waits longest was recomputed from its first entry',
  ],
  'teaching.gateway.pending': ['{call}', 'Calls under way over the bus'],
  'teaching.gateway.streams': ['{stream}', 'Pages that are told what changes'],
  'teaching.gateway.tokens': ['{token}', 'Tokens that were verified and are remembered'],
  'teaching.gateway.shut_out.age': ['s', 'Since it was heard who must not enter'],
  'teaching.gateway.keys.age': ['s', 'Since the keys of the token issuer could be read'],
} as const;
export type GaugeName = keyof typeof GAUGES;

/** Tells one value of a gauge. */
export type SetGauge = (name: GaugeName, value: number, attributes?: Attributes) => void;

const gauges = once(
  () =>
    new Map<string, ObservableGauge>(
      Object.entries(GAUGES).map(([name, [unit, description]]) => [
        name,
        meter().createObservableGauge(name, { unit, description }),
      ]),
    ),
);

/** Has `look` tell its values whenever somebody collects, until what this answers is called. */
export const watchGauges = (look: (see: SetGauge) => void | Promise<void>): (() => void) => {
  const all = gauges();
  const callback: BatchObservableCallback = (result) =>
    look((name, value, attributes) => {
      const gauge = all.get(name);
      if (gauge !== undefined) result.observe(gauge, value, attributes);
    });
  const instruments = [...all.values()];
  meter().addBatchObservableCallback(callback, instruments);
  return () => meter().removeBatchObservableCallback(callback, instruments);
};
