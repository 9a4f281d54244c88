import { BROKER_USERS } from '../../../libs/contracts/src/index.ts';
import { type Declarations, type Permissions, permissionsOf } from './permissions.ts';
import { type Login, loginOf } from './user-login.ts';
import { type Reader, readerPermissions, userOf } from './outside-reader.ts';

/** Bytes that a message may have at least: replies are one message. */
export const LEAST_PAYLOAD = 8 * 1024 * 1024;

/** The text of deploy/nats/nats.conf. */
export const BROKER_CONFIG = `# nats-server for all environments. Written by "npm run broker".
# Address and port are given as flags, the folder of the store by $NATS_STORE_DIR: a server whose store is given as a flag
# cannot read its configuration again. Needs nats-server 2.9 or newer.
#
#   call.<service>.<any|instance>.<from>.>  requests, each under the name of its caller
#   _INBOX_<caller>.<service>.<id>.<key>    replies of a service to a caller; the key is 122 random bits
#   beat.<service>                          "this instance serves", twice a second
#   peer.gateway.<group>.<instance|all>     between gateways: heartbeats, and parts of rate limits
#   evt.<org>.<service>.<entity>.<what>     events, kept in the stream EVENTS_<SERVICE>
#   audit.<org>.<service>.<entity>.<what>   audit records, kept in the stream AUDIT_<SERVICE>; for readers of their own
#   log.<service>.read.<from> | reach.<from>  a service's numbered log: asked by followers
#   log.<service>.head                      where it ends, told every second
#   hint.<service>.<org>                    "this changed", to gateways with a page open on that organization
#   hint.watched                            which organizations these are
#   nudge.<service>                         "events were committed" between copies of one service
#
# Services may make their streams; changing, emptying or removing one is the admin's alone.

max_payload: ${LEAST_PAYLOAD / 1024 / 1024}MB
# A slow reader of large answers gets time before it is cut off.
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

# One user per service, and readers from outside: a change of theirs needs a reload, no restart.
authorization {
  include "./users.conf"
}
`;

/** The text of deploy/nats/nats-tls.conf. */
export const TLS_CONFIG = `# The same nats-server with TLS: clients without it are turned away. Written by "npm run broker".
# The files are named by variables, each in quotes: $NATS_TLS_CERT and $NATS_TLS_KEY the certificate and its key,
# $NATS_TLS_CA whom certificates of clients have to be signed by, and $NATS_TLS_VERIFY whether they must have one (true,
# false). All are read again with the configuration; connections that there are stay.

include "./nats.conf"

tls {
  cert_file: $NATS_TLS_CERT
  key_file: $NATS_TLS_KEY
  ca_file: $NATS_TLS_CA
  verify: $NATS_TLS_VERIFY
}
`;

const HEAD = `# One user per service, each with only the subjects it needs; written by "npm run broker" from the contracts and from what
# services follow, and by "npm run readers" and "npm run logins". Passwords come from the environment ($NATS_<USER>_PASSWORD;
# quoted if one could be read as a number); of readers, and of users who log in by a key, there is the public half.
`;

const list = (subjects: readonly string[]): string =>
  `[\n${subjects.map((subject) => `        ${JSON.stringify(subject)}`).join('\n')}\n      ]`;

const userText = (login: string, { publish, subscribe }: Permissions): string => `  {
    ${login}
    permissions {
      publish: ${list(publish)}
      subscribe: ${list(subscribe)}
    }
  }
`;
const passwordOf = (user: string): string => `user: ${user}, password: $NATS_${user.toUpperCase()}_PASSWORD`;
const logsInBy = ({ user, nkeys, password }: Login): string[] => [
  ...(password ? [passwordOf(user)] : []),
  ...nkeys.map((nkey) => `nkey: ${nkey}`),
];

const adminText = (
  login: string,
): string => `  # For tools only: looks at everything, and mends streams and consumers by hand.
  {
    ${login}
  }
`;

/** The text of deploy/nats/users.conf. Every permission follows from a declaration. */
export const usersConfig = (
  declared: Declarations,
  readers: readonly Reader[] = [],
  logins: readonly Login[] = [],
): string => {
  const services = BROKER_USERS.filter((user) => user !== 'admin');
  const users = [
    ...services.flatMap((user) =>
      logsInBy(loginOf(user, logins)).map((login) => {
        const text = userText(login, permissionsOf(declared, user));
        return login.startsWith('nkey') ? `  # ${user}\n${text}` : text;
      }),
    ),
    ...logsInBy(loginOf('admin', logins)).map(adminText),
    ...readers.map((reader) => `  # ${userOf(reader)}\n${userText(`nkey: ${reader.nkey}`, readerPermissions(reader))}`),
  ];
  return `${HEAD}\nusers: [\n${users.join('')}]\n`;
};
