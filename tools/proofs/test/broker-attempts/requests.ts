import { DeliverPolicy } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { Scene } from './attempts.ts';
import { type Party, STREAM_OWNERS } from './parties.ts';
import { exampleOf } from './subject-patterns.ts';
import { type Extent, MARKER } from './targets.ts';

/** A request that the broker answers to any reply subject. */
export interface BrokerRequest {
  kind: string;
  subject: string;
  body: string;
  header?: readonly (readonly [name: string, value: string])[];
  /** Runs before the requests, and returns another subject for them. */
  prepare?: (scene: Scene) => Promise<string | undefined>;
}

const ANSWER_MS = 3_000;
const SPACES = ' '.repeat(16_000);
/** In the answers to a pull request, each of which is followed by another. */
const HEARTBEAT = 100;
const NO_RESPONDERS = 503;

const newInbox = ({ attacker }: Scene): string => `_INBOX_${attacker.user}.${crypto.randomUUID()}`;

/** Sends the request with this reply subject. */
export const send = ({ nc }: Scene, request: BrokerRequest, reply: string): void => {
  const head = headers();
  for (const [name, value] of request.header ?? []) head.append(name, value);
  nc.publish(request.subject, request.body, request.header === undefined ? { reply } : { reply, headers: head });
};

/** The broker's last answer to the request. Undefined if there is none. */
export const answerOf = async (
  scene: Scene,
  request: BrokerRequest,
): Promise<{ text: string; reply: string } | undefined> => {
  const inbox = newInbox(scene);
  const subscription = scene.nc.subscribe(inbox);
  const timer = setTimeout(() => subscription.unsubscribe(), ANSWER_MS);
  send(scene, request, inbox);
  try {
    for await (const message of subscription) {
      const code = message.headers?.code;
      if (code === NO_RESPONDERS) return undefined;
      if (code !== HEARTBEAT) return { text: message.string(), reply: message.reply ?? '' };
    }
    return undefined;
  } finally {
    clearTimeout(timer);
  }
};

/** The header in which a server names the account of a request, sent twice (CVE-2026-33223). */
export const accountHeader = (account: string): BrokerRequest['header'] => {
  const header = ['Nats-Request-Info', JSON.stringify({ acc: account, svc: account })] as const;
  return [header, header];
};

/** The accounts in which a request with this header could have an effect. */
const otherAccounts = ({ user }: Party): string[] => [
  '$SYS',
  ...STREAM_OWNERS.filter((service) => service !== user).map((service) => service.toUpperCase()),
];

/** Requests to the streams of the attacker. */
const streamRequests = (attacker: Party, subject: string): BrokerRequest[] => {
  const [act, stream] = subject.replace('$JS.API.', '').split(/\.(?=\w+$)/);
  const of = (kind: string, body: string, more: Partial<BrokerRequest> = {}): BrokerRequest => ({
    kind: `${act} ${kind} of ${stream}`,
    subject,
    body,
    ...more,
  });
  const config = JSON.stringify({ name: stream, subjects: ['intruder.>'], max_bytes: 1_000_000 });
  const bodies: Record<string, [kind: string, body: string][]> = {
    'STREAM.INFO': [['with subjects', '{"subjects_filter":">"}']],
    'STREAM.MSG.GET': [
      ['by number', '{"seq":1}'],
      ['of the last message', '{"last_by_subj":">"}'],
      ['without a result', '{"seq":999999999}'],
    ],
    'STREAM.CREATE': [
      ['again', config],
      ['of another name', '{"name":"INTRUDER","subjects":["intruder.>"],"max_bytes":1000000}'],
    ],
  };
  return [
    of('without a body', ''),
    of('malformed', '{'),
    of('too large', SPACES),
    ...otherAccounts(attacker).map((one) => of(`for ${one}`, config, { header: accountHeader(one) })),
    ...(bodies[act ?? ''] ?? []).map(([kind, body]) => of(kind, body)),
  ];
};

/** Acknowledgements of messages that the attacker publishes to its streams. */
const publications = (pattern: string): BrokerRequest[] => {
  const subject = exampleOf(pattern);
  const of = (kind: string, ...header: readonly (readonly [string, string])[]): BrokerRequest => ({
    kind: `PubAck ${kind} of ${pattern}`,
    subject,
    body: MARKER,
    header,
  });
  return [
    { kind: `PubAck of ${pattern}`, subject, body: '' },
    of('of a duplicate', ['Nats-Msg-Id', 'again']),
    of('with a wrong sequence', ['Nats-Expected-Last-Sequence', '999999999']),
    of('with a wrong id', ['Nats-Expected-Last-Msg-Id', 'none']),
    of('with a wrong stream', ['Nats-Expected-Stream', 'OTHER']),
    of('of a rollup', ['Nats-Rollup', 'all']),
  ];
};

const resetBy =
  (deliver: DeliverPolicy) =>
  async ({ attacker, state }: Scene): Promise<undefined> => {
    for (const stream of attacker.reads) await state.resetConsumer(stream, attacker.user, deliver);
  };
const withMessages = resetBy(DeliverPolicy.All);
const withoutMessages = resetBy(DeliverPolicy.New);

const AT_ONCE = '{"batch":1,"no_wait":true}';
const HEARTBEATS = '{"batch":1,"expires":250000000,"idle_heartbeat":100000000}';

/** Requests to the consumer of the attacker. */
const consumerRequests = (attacker: Party, subject: string): BrokerRequest[] => {
  const accounts = otherAccounts(attacker);
  if (subject.includes('.CONSUMER.INFO.'))
    return [
      { kind: 'CONSUMER.INFO', subject, body: '' },
      { kind: 'CONSUMER.INFO malformed', subject, body: '{' },
      ...accounts.map((one) => ({ kind: `CONSUMER.INFO for ${one}`, subject, body: '', header: accountHeader(one) })),
    ];
  const of = (kind: string, body: string, prepare: BrokerRequest['prepare']) => ({
    kind: `MSG.NEXT ${kind}`,
    subject,
    body,
    ...(prepare === undefined ? {} : { prepare }),
  });
  return [
    of('with no_wait', AT_ONCE, withMessages),
    of('with expires', HEARTBEATS, withMessages),
    of('without a body', '', withMessages),
    of('of too much', '{"batch":1000000000,"max_bytes":1,"no_wait":true}', withMessages),
    of('too large', AT_ONCE + SPACES, withMessages),
    ...accounts.map((one) => ({ ...of(`for ${one}`, AT_ONCE, withMessages), header: accountHeader(one) })),
    of('with no_wait, without messages', AT_ONCE, withoutMessages),
    of('with expires, without messages', '{"batch":1,"expires":50000000}', withoutMessages),
    of('with heartbeats, without messages', HEARTBEATS, withoutMessages),
    of('malformed', '{', withoutMessages),
    of('with too rare heartbeats', '{"expires":100000000,"idle_heartbeat":99000000}', withoutMessages),
  ];
};

const ACKNOWLEDGEMENTS = [
  '',
  '+ACK',
  '+WPI',
  '-NAK',
  '-NAK {"delay":1000000000}',
  '+TERM',
  '+NXT',
  `+NXT ${AT_ONCE}`,
  `+NXT ${HEARTBEATS}`,
  '+NXT {',
  'unknown',
];

/** Acknowledgements of a message that the attacker has received. */
const acknowledgements = (next: string): BrokerRequest[] =>
  ACKNOWLEDGEMENTS.map((body) => ({
    kind: `acknowledgement "${body}"`,
    subject: '',
    body,
    prepare: async (scene) => {
      await withMessages(scene);
      return (await answerOf(scene, { kind: '', subject: next, body: AT_ONCE }))?.reply;
    },
  }));

/** Every request to the broker that the attacker may send; unless in full, requests about its first stream only. */
export const requestsOf = (attacker: Party, { isFull }: Extent): BrokerRequest[] =>
  attacker.publish.flatMap((subject) => {
    if (subject.includes('.API.STREAM.'))
      return isFull || subject.endsWith(`.${attacker.streams[0]}`) ? streamRequests(attacker, subject) : [];
    if (subject.includes('.API.CONSUMER.')) return consumerRequests(attacker, subject);
    if (/^(evt|audit)\./.test(subject)) return publications(subject);
    if (!subject.startsWith('$JS.ACK.')) return [];
    return acknowledgements(attacker.publish.find((one) => one.includes('.CONSUMER.MSG.NEXT.')) ?? '');
  });
