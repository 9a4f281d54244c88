import { type Account, accountsOf, type Export, type Import } from './accounts.ts';
import type { Declarations, Permissions } from './permissions.ts';
import { type Login, loginOf } from './user-login.ts';
import type { Reader } from './outside-reader.ts';

/** The smallest size in bytes that the broker must allow for a message. A reply is one message. */
export const LEAST_PAYLOAD = 8 * 1024 * 1024;

/** The text of deploy/nats/nats.conf. */
export const BROKER_CONFIG = `# The configuration of nats-server for all environments. Written by "npm run broker".
# Address and port are flags of the server. The folder of the store is $NATS_STORE_DIR, because a server cannot reload
# its configuration if this folder is a flag. Works with nats-server 2.9 or newer; accounts are isolated from each other
# from 2.11.15 and 2.12.6 on.
#
# Subjects:
#   call.<service>.<any|instance>.<from>.>   requests; <from> is the caller
#   _INBOX_<caller>.<service>.<id>.<key>     replies of a service to a caller; the key is 122 random bits
#   beat.<service>                           heartbeats of instances that take calls, twice a second
#   peer.gateway.<group>.<instance|all>      between gateways: heartbeats, and shares of rate limits
#   evt.<org>.<service>.<entity>.<change>    events, stored in the stream EVENTS_<SERVICE>
#   audit.<org>.<service>.<entity>.<change>  audit records, stored in the stream AUDIT_<SERVICE>
#   log.<service>.read.<from>                requests of a follower for entries of the numbered log
#   log.<service>.reach.<from>               requests of a follower for the offsets of transactions
#   log.<service>.head                       the last number of the log, every second
#   hint.<service>.<org>                     change hints, for gateways with an open page of the organization
#   hint.watched                             the organizations with open pages, from gateways
#   nudge.<service>                          notices of committed events, between instances of one service
#
# Events and audit records are separate streams, so a reader can be allowed one of them only. The streams of a service
# are in its account. Services may create their streams. Only operators may change, empty or delete one: the user
# "admin" under the domain of the service ($JS.<service>.API.>), or the user "admin_<service>" in its account.

max_payload: ${LEAST_PAYLOAD / 1024 / 1024}MB
# A client that reads large messages too slowly is disconnected after this time.
write_deadline: "10s"
# A broker that is shutting down announces it; clients that have not changed to another broker by then are disconnected.
lame_duck_grace_period: "3s"
lame_duck_duration: "30s"
ping_interval: "20s"

jetstream {
  store_dir: $NATS_STORE_DIR
  max_memory_store: 64MB
  max_file_store: 10GB
}

# One account per service and per outside reader. A change needs a reload, no restart. Reload twice after a new reader:
# other accounts use the exports of an account from the second reload on.
accounts {
  include "./users.conf"
}
`;

/** The text of deploy/nats/nats-tls.conf. */
export const TLS_CONFIG = `# The same nats-server with TLS: it refuses clients without TLS. Written by "npm run broker".
# It needs these environment variables. Put each path in quotes:
#   $NATS_TLS_CERT, $NATS_TLS_KEY  the certificate of the server and its key
#   $NATS_TLS_CA                   the authority that signs the certificates of clients
#   $NATS_TLS_VERIFY               true or false: clients must have a certificate
# A reload reads the files again; existing connections stay.

include "./nats.conf"

tls {
  cert_file: $NATS_TLS_CERT
  key_file: $NATS_TLS_KEY
  ca_file: $NATS_TLS_CA
  verify: $NATS_TLS_VERIFY
}
`;

const HEAD = `# One account for each service, for the gateway, for operators and for each outside reader, so that the broker answers
# each of them within its own account only. Accounts exchange messages by exports and imports of streams. Users may use
# only the subjects that they need. All of it is derived from the contracts and from the logs that services follow.
# Written by "npm run broker" for the release, and by "npm run readers" and "npm run logins" for an installation.
# Passwords come from the environment ($NATS_<USER>_PASSWORD). Put a password in quotes if it looks like a number.
# A reader, or a user who logs in by a key, is listed with the public key.
`;

const passwordOf = (user: string): string => `$NATS_${user.toUpperCase()}_PASSWORD`;

/** A list with one item in each line. */
const list = (name: string, items: readonly string[], indent: string): string[] =>
  items.length === 0 ? [] : [`${name}: [`, ...items.map((item) => `  ${item}`), ']'].map((line) => `${indent}${line}`);

const quoted = (subject: string): string => JSON.stringify(subject);

const userText = (login: string, { publish, subscribe }: Permissions): string =>
  [
    `{ ${login}, permissions {`,
    ...list('publish', publish.map(quoted), '          '),
    ...list('subscribe', subscribe.map(quoted), '          '),
    '      } }',
  ].join('\n');

/** A user with all rights in its account. */
const operatorText = (login: string): string => `{ ${login} }`;

const loginsOf = ({ user, nkeys, password }: Account['login']): string[] => [
  ...(password ? [`user: ${user}, password: ${passwordOf(user)}`] : []),
  ...nkeys.map((nkey) => `nkey: ${nkey}`),
];

/**
 * The largest size of a stream, as the broker reads it. All streams of this size together fit into `max_file_store`, so
 * no service can take the space of the others' streams. Unlike the limit of an account it does not count replicas.
 */
const MAX_STREAM_SIZE = '2380MB';

const exportText = ({ kind, subject, to }: Export): string => {
  const response = kind === 'service' ? ', response_type: stream' : '';
  return `{ ${kind}: ${quoted(subject)}, accounts: [${to.join(', ')}]${response} }`;
};
const importText = ({ kind, from, subject, as }: Import): string => {
  const to = as === undefined ? '' : `, to: ${quoted(as)}`;
  return `{ ${kind}: { account: ${from}, subject: ${quoted(subject)} }${to} }`;
};

const accountText = (account: Account, operator: Login): string => {
  const { name, login, permissions, streams } = account;
  const users = loginsOf(login).map((one) => (login.user === 'admin' ? operatorText(one) : userText(one, permissions)));
  const limits = `max_bytes_required: true, disk_max_stream_bytes: ${MAX_STREAM_SIZE}, max_mem: 16MB`;
  const store = `    jetstream { max_streams: ${streams}, ${limits} }`;
  const ofStreams = [operatorText(`user: admin_${login.user}, password: ${passwordOf('admin')}`)];
  return [
    `  ${name} {`,
    ...(streams === 0 ? [] : [store]),
    ...list('users', [...users, ...(streams > 0 && operator.password ? ofStreams : [])], '    '),
    ...list('exports', account.exports.map(exportText), '    '),
    ...list('imports', account.imports.map(importText), '    '),
    '  }',
  ].join('\n');
};

/** The text of deploy/nats/users.conf. Every permission, export and import follows from a declaration. */
export const usersConfig = (
  declared: Declarations,
  readers: readonly Reader[] = [],
  logins: readonly Login[] = [],
): string => {
  const accounts = accountsOf(declared, readers, logins);
  return `${HEAD}\n${accounts.map((account) => accountText(account, loginOf('admin', logins))).join('\n')}\n`;
};
