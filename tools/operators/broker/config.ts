import { BROKER_USERS } from '../../../libs/contracts/src/index.ts';
import { type Declarations, type Permissions, permissionsOf } from './permissions.ts';
import { type Login, loginOf } from './user-login.ts';
import { type Reader, readerPermissions, userOf } from './outside-reader.ts';

/** The smallest size in bytes that the broker must allow for a message. A reply is one message. */
export const LEAST_PAYLOAD = 8 * 1024 * 1024;

/** The text of deploy/nats/nats.conf. */
export const BROKER_CONFIG = `# The configuration of nats-server for all environments. Written by "npm run broker".
# Address and port are flags of the server. The folder of the store is $NATS_STORE_DIR, because a server cannot reload
# its configuration if this folder is a flag. Needs nats-server 2.9 or newer.
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
# Events and audit records are separate streams, so a reader can be allowed one of them only.
# Services may create their streams. Only the user "admin" may change, empty or delete a stream.

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

# One user per service, and outside readers. A change of users needs a reload, no restart.
authorization {
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

const HEAD = `# One user per service, each with only the subjects that it needs.
# The permissions are derived from the contracts and from the logs that services follow.
# Written by "npm run broker" for the release, and by "npm run readers" and "npm run logins" for an installation.
# Passwords come from the environment ($NATS_<USER>_PASSWORD). Put a password in quotes if it looks like a number.
# A reader, or a user who logs in by a key, is listed with the public key.
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
): string => `  # For operator tools only: this user may use every subject, and change or delete streams and consumers.
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
