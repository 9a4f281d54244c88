import { BROKER_USERS, type BrokerUser } from '../../../libs/contracts/src/index.ts';
import { streamName } from '../../../libs/kit/src/index.ts';
import { READER_DOMAIN, type Reader, readerPermissions, userOf } from './outside-reader.ts';
import { type Login, loginOf } from './user-login.ts';
import { type Declarations, type Permissions, permissionsOf } from './permissions.ts';

/**
 * Messages that an account offers to others. A service answers each of them within this account, with replies that
 * only the requesting account receives.
 */
export interface Export {
  kind: 'stream' | 'service';
  subject: string;
  /** The accounts that may import it. */
  to: readonly string[];
}

/** Messages that an account receives from another, or a service that it uses, there under the subject `as`. */
export interface Import {
  kind: 'stream' | 'service';
  from: string;
  subject: string;
  as?: string;
}

/** The account of one user of the broker. */
export interface Account {
  name: string;
  login: { user: string; nkeys: readonly string[]; password: boolean };
  permissions: Permissions;
  /** The number of streams that it may have. */
  streams: number;
  exports: readonly Export[];
  imports: readonly Import[];
}

/** An account with the streams of a service. */
interface StreamAccount {
  name: string;
  service: string;
  streams: readonly string[];
}

const accountOf = (user: string): string => user.toUpperCase().replaceAll('-', '_');

/** Whether a pattern matches all subjects that another pattern matches. */
export const covers = (pattern: string, subject: string): boolean => {
  const parts = pattern.split('.');
  const tokens = subject.split('.');
  const rest = parts.indexOf('>');
  if (rest === -1 ? tokens.includes('>') || parts.length !== tokens.length : tokens.length <= rest) return false;
  return parts
    .slice(0, rest === -1 ? undefined : rest)
    .every((part, index) => (part === '*' ? tokens[index] !== '>' : part === tokens[index]));
};

const isOfJetStream = (subject: string): boolean => subject.startsWith('$');

interface Flow {
  subject: string;
  from: BrokerUser;
  to: readonly BrokerUser[];
}

/** The subjects that each user may send, with the other users that may receive them. */
const flowsOf = (permissions: ReadonlyMap<BrokerUser, Permissions>): Flow[] =>
  [...permissions].flatMap(([from, { publish }]) =>
    publish
      .filter((subject) => !isOfJetStream(subject))
      .map((subject) => ({
        subject,
        from,
        to: [...permissions]
          .filter(([user, { subscribe }]) => user !== from && subscribe.some((pattern) => covers(pattern, subject)))
          .map(([user]) => user),
      }))
      .filter(({ to }) => to.length > 0),
  );

/** A request to the JetStream API of another account: under a domain, because accounts answer `$JS.API` themselves. */
const apiImport = (from: string, request: string, domain: string): Import => ({
  kind: 'service',
  from,
  subject: `$JS.API.${request}`,
  as: `$JS.${domain}.API.${request}`,
});

/** Operators manage the streams and consumers of a service under its name as the domain. */
const operatorImport = ({ name, service }: StreamAccount): Import => apiImport(name, '>', service);

/** A reader gets the messages of its own consumers and acknowledges them. */
const readerImports = (reader: Reader, stores: readonly StreamAccount[]): Import[] =>
  reader.logs.flatMap(({ service, log }) => {
    const consumer = `${streamName(service, log)}.${userOf(reader)}`;
    return stores
      .filter((store) => store.service === service)
      .flatMap(({ name }): Import[] => [
        apiImport(name, `CONSUMER.INFO.${consumer}`, READER_DOMAIN),
        apiImport(name, `CONSUMER.MSG.NEXT.${consumer}`, READER_DOMAIN),
        { kind: 'service', from: name, subject: `$JS.ACK.${consumer}.>` },
      ]);
  });

/** The accounts with streams. */
const storesOf = ({ events }: Declarations): StreamAccount[] =>
  BROKER_USERS.map((service) => {
    const logs = events.filter((event) => event.service === service).map(({ log }) => streamName(service, log));
    return { name: accountOf(service), service, streams: [...new Set(logs)] };
  }).filter(({ streams }) => streams.length > 0);

/** The accounts of the broker: one for each of its users, and one for each outside reader. */
export const accountsOf = (declared: Declarations, readers: readonly Reader[], logins: readonly Login[]): Account[] => {
  const permissions = new Map(BROKER_USERS.map((user) => [user, permissionsOf(declared, user)]));
  const flows = flowsOf(permissions);
  const stores = storesOf(declared);
  const readerAccounts = readers.map((reader): Account => {
    const user = userOf(reader);
    return {
      name: accountOf(user),
      login: { user, nkeys: [reader.nkey], password: false },
      permissions: readerPermissions(reader),
      streams: 0,
      exports: [],
      imports: readerImports(reader, stores),
    };
  });
  const ofOperator = { name: accountOf('admin'), imports: stores.map(operatorImport) };
  const servicesFrom = (name: string): Export[] =>
    [ofOperator, ...readerAccounts].flatMap((importer) =>
      importer.imports
        .filter(({ from }) => from === name)
        .map(({ kind, subject }): Export => ({ kind, subject, to: [importer.name] })),
    );
  const own = [...permissions].map(([user, allowed]): Account => {
    const name = accountOf(user);
    const sent = flows.filter(({ from }) => from === user);
    const received = flows.filter(({ to }) => to.includes(user));
    return {
      name,
      login: loginOf(user, logins),
      permissions: allowed,
      streams: stores.find(({ service }) => service === user)?.streams.length ?? 0,
      exports: [
        ...sent.map(({ subject, to }): Export => ({ kind: 'stream', subject, to: to.map(accountOf) })),
        ...servicesFrom(name),
      ],
      imports: [
        ...received.map(({ subject, from }): Import => ({ kind: 'stream', subject, from: accountOf(from) })),
        ...(name === ofOperator.name ? ofOperator.imports : []),
      ],
    };
  });
  return [...own, ...readerAccounts];
};
