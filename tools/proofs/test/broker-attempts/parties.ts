import { BROKER_USERS } from '../../../../libs/contracts/src/index.ts';
import { streamName } from '../../../../libs/kit/src/index.ts';
import { declarations } from '../../../operators/broker/declarations.ts';
import { type Reader, readerPermissions, userOf } from '../../../operators/broker/outside-reader.ts';
import { type Permissions, permissionsOf } from '../../../operators/broker/permissions.ts';
import { LOGS, newKey } from '../../../operators/broker/reader-account.ts';

/** A user of the broker. */
export interface Party extends Permissions {
  user: string;
  /** The streams of its own account. */
  streams: readonly string[];
  /** The streams in which it has a consumer, as an outside reader. */
  reads: readonly string[];
  /** The seed of a reader's key. Others have a password. */
  seed?: string;
}

/** All streams. */
export const STREAMS = LOGS.map(({ service, log }) => ({ service, log, stream: streamName(service, log) }));
/** The services with streams. */
export const STREAM_OWNERS = [...new Set(STREAMS.map(({ service }) => service))];

/** The organization of the reader that attacks. */
export const READER_ORG = '11111111-1111-4111-8111-111111111111';

/** One reads an organization's events of one service, the other all events. Only the first attacks. */
const readers: (Reader & { seed: string })[] = [
  { name: 'one', org_id: READER_ORG, logs: LOGS.slice(0, 1), ...newKey() },
  { name: 'all', org_id: null, logs: [...LOGS], ...newKey() },
];
export const READERS: readonly Reader[] = readers.map(({ seed: _seed, ...reader }) => reader);

const readerParties = readers.map((reader): Party => ({
  user: userOf(reader),
  ...readerPermissions(reader),
  streams: [],
  reads: reader.logs.map(({ service, log }) => streamName(service, log)),
  seed: reader.seed,
}));

/** The user `admin` may use all subjects. Others receive only its calls, and it receives their replies. */
const partyOf = (user: (typeof BROKER_USERS)[number]): Party => {
  const { publish, subscribe } = permissionsOf(declarations, user);
  const streams = STREAMS.filter(({ service }) => service === user).map(({ stream }) => stream);
  const isUsed = (subject: string): boolean => user !== 'admin' || /^(call|_INBOX_\w+)\./.test(subject);
  const used = { publish: publish.filter(isUsed), subscribe: subscribe.filter(isUsed) };
  return { user, ...used, streams, reads: [] };
};

/** All users of the broker. */
export const PARTIES: readonly Party[] = [...BROKER_USERS.map(partyOf), ...readerParties];

/** The users whose credentials are tried. */
export const ATTACKERS = PARTIES.filter(({ user }) => user !== 'admin' && user !== 'reader_all');

/** The readers with a consumer in the stream. */
export const consumersOf = (stream: string): string[] =>
  PARTIES.filter(({ reads }) => reads.includes(stream)).map(({ user }) => user);

export const isOfJetStream = (subject: string): boolean => subject.startsWith('$JS.');
