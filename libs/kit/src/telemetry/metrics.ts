import { type Attributes, type BatchObservableCallback, metrics, type ObservableGauge } from '@opentelemetry/api';

const meter = () => metrics.getMeter('teaching');

/** Creates an instrument at its first use, so that the SDK can start before. Without an SDK instruments do nothing. */
const once = <T>(make: () => T): (() => T) => {
  let instrument: T | undefined;
  return () => (instrument ??= make());
};

/** Boundaries in seconds, from a read of one millisecond to the longest time that a caller waits. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const counter = (name: string, unit: string, description: string) =>
  once(() => meter().createCounter(name, { unit, description }));
const observedCounter = (name: string, unit: string, description: string) =>
  once(() => meter().createObservableCounter(name, { unit, description }));
const histogram = (name: string, description: string) =>
  once(() => meter().createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: SECONDS } }));

const httpDuration = histogram('http.server.request.duration', 'Time from the head of a request to its response');
const callDuration = histogram(
  'teaching.call.duration',
  'Time a service spends on a call, without the time in the queue',
);
const shed = counter('teaching.call.shed', '{call}', 'Calls that were refused because the queue was full');
const statementDuration = histogram(
  'db.client.operation.duration',
  'Time until a statement is answered, including the statements sent before it in the same transaction',
);
const retries = counter(
  'teaching.transaction.retries',
  '{transaction}',
  'Transactions repeated after a serialization conflict',
);
const numbered = counter('teaching.log.numbered', '{event}', 'Events that were numbered');
const numberLag = histogram(
  'teaching.log.number.lag',
  'Time from the notice of a commit until its events are numbered',
);
const published = counter('teaching.log.published', '{event}', 'Events that the stream accepted');
const hinted = counter('teaching.hints', '{hint}', 'Hints about changes that were sent to gateways for open pages');
const wentBack = counter(
  'teaching.log.restored',
  '{epoch}',
  'New epochs that began because a log was restored to an earlier state',
);
const followed = counter('teaching.follower.events', '{event}', 'Events that a follower processed, by outcome');
const filled = counter('teaching.follower.gaps', '{gap}', 'Gaps that were filled by reading from the source');
const ghosts = counter(
  'teaching.follower.ghosts',
  '{time}',
  'Times that a source no longer had an event that a follower had applied',
);
const terms = counter('teaching.duty.terms', '{term}', 'Times that this instance became the leader');
const reconnects = counter(
  'teaching.bus.reconnects',
  '{connection}',
  'Times that the connection to the broker was lost and restored',
);
const refused = counter(
  'teaching.gateway.refused',
  '{request}',
  'Requests that were refused because of the identity of the caller, by reason',
);
const verified = counter('teaching.audit.verified', '{entry}', 'Entries of audit logs that were recomputed');
const eventsByType = counter(
  'teaching.events',
  '{event}',
  'Events by type: roll calls, publishes, moved hours and all others',
);

const droppedLines = observedCounter(
  'teaching.log_lines.dropped',
  '{line}',
  'Log lines that could not be written to standard output',
);

/** Reads the number of dropped lines at each collection: the first ones are dropped before the SDK has started. */
export const observeDroppedLines = (count: () => number): void =>
  droppedLines().addCallback((result) => result.observe(count()));

/**
 * Initializes counters of rare events with 0: without a value before it, the first event would not appear as an
 * increase.
 */
export const initializeCounters = (service: string, follows: readonly { follower: string; log: string }[]): void => {
  shed().add(0, { service });
  wentBack().add(0, { service });
  for (const { follower, log } of follows) ghosts().add(0, { follower, log });
};

/** Counts or times an event when it happens. Durations are given in milliseconds. */
export const record = {
  http: (attributes: { method: string; route: string; status: number }, ms: number): void =>
    httpDuration().record(ms / 1_000, {
      'http.request.method': attributes.method,
      'http.route': attributes.route,
      'http.response.status_code': attributes.status,
    }),
  call: (service: string, call: string, status: number, ms: number): void =>
    callDuration().record(ms / 1_000, { service, call, status }),
  refusedCall: (service: string): void => shed().add(1, { service }),
  statement: (summary: string, ms: number): void =>
    statementDuration().record(ms / 1_000, { 'db.system.name': 'postgresql', 'db.query.summary': summary }),
  retry: (reason: string): void => retries().add(1, { reason }),
  numbered: (service: string, count: number, lag_ms: number): void => {
    numbered().add(count, { service });
    numberLag().record(lag_ms / 1_000, { service });
  },
  published: (service: string, log: string, count: number): void => published().add(count, { service, log }),
  hinted: (service: string, count: number): void => hinted().add(count, { service }),
  restoredLog: (service: string): void => wentBack().add(1, { service }),
  followedEvents: (follower: string, log: string, outcome: 'applied' | 'dead', count: number): void =>
    followed().add(count, { follower, log, outcome }),
  filledGap: (follower: string, log: string): void => filled().add(1, { follower, log }),
  sourceLostEvents: (follower: string, log: string): void => ghosts().add(1, { follower, log }),
  leaderTerm: (service: string): void => terms().add(1, { service }),
  reconnect: (): void => reconnects().add(1),
  refused: (reason: string): void => refused().add(1, { reason }),
  verified: (entries: number): void => verified().add(entries),
  eventOfType: (event: string): void => eventsByType().add(1, { event }),
};

/** Unit and description by name. Gauges are read at each collection, so they have values while nothing changes. */
const GAUGES = {
  'teaching.call.running': ['{call}', 'Calls in progress'],
  'teaching.call.slots': ['{call}', 'Calls that can be in progress at once'],
  'teaching.call.waiting': ['{call}', 'Calls in the queue'],
  'db.client.connection.count': ['{connection}', 'Connections by state'],
  'db.client.connection.max': ['{connection}', 'Largest number of connections'],
  'db.client.connection.pending_requests': ['{request}', 'Requests that wait for a connection'],
  'teaching.bus.connected': ['1', '1 while the broker is connected'],
  'teaching.bus.pending': ['By', 'Bytes to publish that the broker has not accepted'],
  'teaching.clock.skew': ['s', 'Time by which the clock of another part is ahead of that of this process'],
  'teaching.duty.leading': ['1', '1 in the leading instance'],
  'teaching.duty.since': ['s', 'Time since this instance became the leader'],
  'teaching.log.place': ['{event}', 'Number of the newest event'],
  'teaching.log.unnumbered': ['{event}', 'Events that are not numbered yet'],
  'teaching.log.unnumbered.age': ['s', 'Time since this instance first saw the oldest event that is not numbered yet'],
  'teaching.log.published.place': ['{event}', 'Number of the newest event in the stream'],
  'teaching.log.unpublished.age': ['s', 'Age of the oldest event that the stream does not have yet'],
  'teaching.follower.place': ['{event}', 'Number of the last event that was applied'],
  'teaching.follower.lag': ['{event}', 'Events of the log that the follower has not applied yet'],
  'teaching.follower.lag.time': [
    's',
    'Time since the follower learned of the oldest event that it has not applied yet',
  ],
  'teaching.follower.trouble': ['1', '1 while the follower cannot continue'],
  'teaching.follower.dead_letters': ['{event}', 'Dead letters that wait for a replay'],
  'teaching.status.known': ['1', '1 if the state of logs and followers could be read from the database'],
  'teaching.database.held': ['By', 'Bytes of its log that Postgres retains for a replication slot'],
  'teaching.stream.bytes': ['By', 'Bytes in a stream'],
  'teaching.stream.max': ['By', 'Largest size of a stream'],
  'teaching.certificate.left': ['s', 'Time until a certificate that the instance presents or trusts expires'],
  'teaching.audit.broken': ['{trail}', 'Audit logs that do not verify'],
  'teaching.audit.verified.age': ['s', 'Time since the audit log that waits longest was recomputed up to its end'],
  'teaching.audit.recomputed.age': [
    's',
    'Time since the audit log that waits longest was recomputed from its first entry',
  ],
  'teaching.gateway.pending': ['{call}', 'Calls in progress over the broker'],
  'teaching.gateway.streams': ['{stream}', 'Open pages that receive changes'],
  'teaching.gateway.tokens': ['{token}', 'Verified tokens in the cache'],
  'teaching.gateway.shut_out.age': ['s', 'Age of the list of revoked tokens'],
  'teaching.gateway.keys.age': ['s', 'Time since the keys of the token issuer were read'],
} as const;
export type GaugeName = keyof typeof GAUGES;

/** Sets one value of a gauge. */
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

/** Calls `observe` at each collection, until the returned function is called. */
export const observeGauges = (observe: (set: SetGauge) => void | Promise<void>): (() => void) => {
  const all = gauges();
  const callback: BatchObservableCallback = (result) =>
    observe((name, value, attributes) => {
      const gauge = all.get(name);
      if (gauge !== undefined) result.observe(gauge, value, attributes);
    });
  const instruments = [...all.values()];
  meter().addBatchObservableCallback(callback, instruments);
  return () => meter().removeBatchObservableCallback(callback, instruments);
};
