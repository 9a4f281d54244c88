import { declarations } from '../../../operators/broker/declarations.ts';
import { consumersOf, isOfJetStream, type Party, PARTIES, STREAM_OWNERS, STREAMS } from './parties.ts';
import { exampleOf, isCovered } from './subject-patterns.ts';

/** A subject that would disturb others, and the body that makes it effective. */
export interface Target {
  subject: string;
  body: string;
}

export interface Extent {
  /** All targets; otherwise the first of each sort. */
  isFull: boolean;
  /** Whether the server has the corrections of CVE-2025-30215 and CVE-2026-33223. What they allow is not tried without. */
  isCorrected: boolean;
}

/** The body of all messages that attackers and controls publish. */
export const MARKER = 'forged-by-the-broker-test';

const different = <T>(list: readonly T[]): T[] => [...new Set(list)];

/** What distinguishes kinds of targets: the request to JetStream, or the first token. */
const sortOf = (subject: string): string =>
  isOfJetStream(subject)
    ? subject.replaceAll(/\.(EVENTS|AUDIT)_.*$/g, '')
    : (subject.split('.')[0] ?? '').replace(/^_INBOX_.*/, '_INBOX');

/** All of them, or the first of each sort. */
const within = ({ isFull }: Extent, targets: readonly Target[]): Target[] => {
  const sorts = new Map(targets.toReversed().map((target) => [sortOf(target.subject), target]));
  return isFull ? [...targets] : [...sorts.values()];
};

const publicCalls = (service: string): string[] =>
  declarations.calls
    .filter((call) => call.service === service && call.called_by.includes('gateway'))
    .map(({ endpoint }) => `call.${service}.any.gateway.${endpoint}`);

/** Calls in the name of the gateway. */
const gatewayCalls = (attacker: Party): string[] =>
  different(declarations.calls.map(({ service }) => service))
    .flatMap(publicCalls)
    .filter((subject) => !isCovered(attacker.publish, subject));

/** An example of each pattern that others may use, as far as the attacker may not publish it. */
const foreignSubjects = (attacker: Party): string[] => {
  const patterns = PARTIES.filter(({ user }) => user !== attacker.user).flatMap((one) => [
    ...one.publish,
    ...one.subscribe,
  ]);
  const examples = patterns
    .filter((pattern) => !isOfJetStream(pattern))
    .map((pattern) => {
      const service = /^call\.(\w+)\.\*\.gateway\.>$/.exec(pattern)?.[1];
      return (service === undefined ? undefined : publicCalls(service)[0]) ?? exampleOf(pattern);
    });
  return different(examples).filter((subject) => !isCovered(attacker.publish, subject));
};

/** The prefixes of the JetStream API: of the own account, of readers, and of operators. */
export const PREFIXES = ['$JS.API', '$JS.teaching.API', ...STREAM_OWNERS.map((service) => `$JS.${service}.API`)];

const foreignStreams = ({ streams }: Party): string[] =>
  STREAMS.map(({ stream }) => stream).filter((stream) => !streams.includes(stream));
const foreignConsumers = ({ user }: Party, stream: string): string[] =>
  consumersOf(stream).filter((consumer) => consumer !== user);

const consumerConfig = (stream: string, config: object): string =>
  JSON.stringify({ stream_name: stream, config: { ack_policy: 'explicit', description: 'changed', ...config } });

const consumerActs = (stream: string, consumer: string): Target[] => [
  { subject: `CONSUMER.DELETE.${stream}.${consumer}`, body: '' },
  {
    subject: `CONSUMER.DURABLE.CREATE.${stream}.${consumer}`,
    body: consumerConfig(stream, { durable_name: consumer }),
  },
  { subject: `CONSUMER.PAUSE.${stream}.${consumer}`, body: '{"pause_until":"2099-01-01T00:00:00Z"}' },
  { subject: `CONSUMER.RESET.${stream}.${consumer}`, body: '' },
  { subject: `CONSUMER.UNPIN.${stream}.${consumer}`, body: '' },
  { subject: `CONSUMER.LEADER.STEPDOWN.${stream}.${consumer}`, body: '' },
];

/** Requests to JetStream that change a stream, its consumers, or a consumer's position. */
const actsOn = (attacker: Party, stream: string): Target[] => [
  { subject: `STREAM.DELETE.${stream}`, body: '' },
  { subject: `STREAM.PURGE.${stream}`, body: '' },
  {
    subject: `STREAM.UPDATE.${stream}`,
    body: JSON.stringify({ name: stream, subjects: ['changed.>'], max_bytes: 1_000_000 }),
  },
  { subject: `STREAM.MSG.DELETE.${stream}`, body: '{"seq":1}' },
  { subject: `STREAM.LEADER.STEPDOWN.${stream}`, body: '' },
  { subject: `STREAM.PEER.REMOVE.${stream}`, body: '{"peer":"x"}' },
  { subject: `STREAM.RESTORE.${stream}`, body: '{"config":{},"state":{}}' },
  { subject: `CONSUMER.CREATE.${stream}.intruder`, body: consumerConfig(stream, { name: 'intruder' }) },
  {
    subject: `CONSUMER.DURABLE.CREATE.${stream}.intruder`,
    body: consumerConfig(stream, { durable_name: 'intruder' }),
  },
  // A reader may not change its own consumer either.
  ...consumersOf(stream).flatMap((consumer) => consumerActs(stream, consumer)),
  ...foreignConsumers(attacker, stream).map((consumer) => ({
    subject: `CONSUMER.MSG.NEXT.${stream}.${consumer}`,
    body: '{"batch":1,"no_wait":true}',
  })),
];

/** Requests that change an account or the server. */
const accountActs = ({ user }: Party, { isCorrected }: Extent): Target[] => [
  { subject: 'STREAM.CREATE.INTRUDER', body: '{"name":"INTRUDER","subjects":["intruder.>"],"max_bytes":1000000}' },
  ...STREAM_OWNERS.filter((service) => isCorrected && service !== user).map((service) => ({
    subject: `ACCOUNT.PURGE.${service.toUpperCase()}`,
    body: '',
  })),
  { subject: 'META.LEADER.STEPDOWN', body: '' },
  { subject: 'SERVER.REMOVE', body: '{"peer":"x"}' },
];

const below = (prefix: string, { subject, body }: Target): Target => ({ subject: `${prefix}.${subject}`, body });

/** Requests that change something of others. */
export const foreignActs = (attacker: Party, extent: Extent): Target[] => [
  ...foreignStreams(attacker).flatMap((stream) => actsOn(attacker, stream)),
  ...accountActs(attacker, extent),
];

const acknowledgements = (attacker: Party): Target[] =>
  foreignStreams(attacker).flatMap((stream) =>
    foreignConsumers(attacker, stream).map((consumer) => ({
      subject: `$JS.ACK.${stream}.${consumer}.1.1.1.0.0`,
      body: '+ACK',
    })),
  );

/** What a request names as the subject of its reply. */
export const replyTargets = (attacker: Party, extent: Extent): Target[] => {
  const acts = foreignActs(attacker, extent);
  const deletions = acts.filter(({ subject }) => /^(STREAM|CONSUMER)\.DELETE\./.test(subject));
  return within(extent, [
    ...foreignSubjects(attacker).map((subject) => ({ subject, body: MARKER })),
    ...acts.map((act) => below('$JS.API', act)),
    ...PREFIXES.slice(1).flatMap((prefix) => deletions.map((act) => below(prefix, act))),
    ...acknowledgements(attacker),
  ]);
};

/** Requests whose answers contain something of others. */
export const foreignReads = (attacker: Party): Target[] => {
  const ofStream = (stream: string): Target[] => [
    { subject: `STREAM.INFO.${stream}`, body: '' },
    { subject: `STREAM.MSG.GET.${stream}`, body: '{"seq":1}' },
    {
      subject: `STREAM.SNAPSHOT.${stream}`,
      body: JSON.stringify({ deliver_subject: `_INBOX_${attacker.user}.snapshot` }),
    },
    { subject: `DIRECT.GET.${stream}`, body: '{"seq":1}' },
    { subject: `CONSUMER.NAMES.${stream}`, body: '' },
    { subject: `CONSUMER.LIST.${stream}`, body: '' },
    ...foreignConsumers(attacker, stream).map((one) => ({ subject: `CONSUMER.INFO.${stream}.${one}`, body: '' })),
  ];
  const ofAccount = ['INFO', 'STREAM.NAMES', 'STREAM.LIST'].map((subject) => ({ subject, body: '' }));
  const ofServer = [
    '$SYS.REQ.SERVER.PING',
    '$SYS.REQ.SERVER.PING.JSZ',
    '$SYS.REQ.ACCOUNT.PING.CONNZ',
    '$SYS.REQ.ACCOUNT.CLAZZ.CONNZ',
    '$SRV.PING',
  ];
  return [
    ...PREFIXES.flatMap((prefix) =>
      [...ofAccount, ...foreignStreams(attacker).flatMap(ofStream)].map((one) => below(prefix, one)),
    ),
    ...ofServer.map((subject) => ({ subject, body: '' })),
  ];
};

/** Subjects that the attacker publishes itself. */
export const directTargets = (attacker: Party, extent: Extent): Target[] => [
  ...[...foreignSubjects(attacker), ...gatewayCalls(attacker)].map((subject) => ({ subject, body: MARKER })),
  ...PREFIXES.flatMap((prefix) =>
    foreignActs(attacker, { ...extent, isCorrected: true }).map((act) => below(prefix, act)),
  ),
  ...acknowledgements(attacker),
  ...['_R_.forged.1', '$SYS.REQ.CLAIMS.UPDATE'].map((subject) => ({ subject, body: MARKER })),
  ...foreignStreams(attacker).flatMap((stream) => [
    { subject: `$JS.SNAPSHOT.RESTORE.${stream}.forged`, body: MARKER },
    { subject: `$JS.SNAPSHOT.ACK.${stream}.forged`, body: '' },
  ]),
];

/** Subjects that the attacker may not subscribe to. */
export const foreignPatterns = (attacker: Party): string[] => {
  const used = PARTIES.flatMap(({ publish, subscribe }) => [...publish, ...subscribe]);
  const wide = ['>', '*.>', '*', '*.*.>', '_INBOX_>', ...used.map((pattern) => `${pattern.split('.')[0]}.>`)];
  const ofServer = ['$SYS.>', '_R_.>', '$SRV.>', '$JS.API.>', '$JS.ACK.>', '$JS.EVENT.>', '$JS.SNAPSHOT.>'];
  return different([...wide, ...ofServer, ...used]).filter((pattern) => !isCovered(attacker.subscribe, pattern));
};
