import { ASKERS } from '../../libs/contracts/src/index.ts';
import { type Declared, type Rights, rightsOf } from './permissions.ts';

const HEAD = `# nats-server for all environments: one user per service, each with only the subjects it needs.
# Written by "npm run broker" from the contracts and from what services follow; change those, not this.
# Address, port and store folder are given as flags; the passwords come from the environment
# ($NATS_<USER>_PASSWORD; quoted if one could be read as a number). Needs nats-server 2.9 or newer.
#
#   call.<service>.<any|instance>.<from>.>  requests, each under the name of who asks; answers go to its own _INBOX_<user>.>
#   beat.<service>                          "this instance serves", twice a second
#   evt.<org>.<service>.<entity>.<what>     events, kept in the stream EVENTS_<SERVICE>
#   audit.<org>.<service>.<entity>.<what>   audit records, kept in the stream AUDIT_<SERVICE>; for readers of their own
#   log.<service>.read.<from> | reach.<from>  a service's numbered log: asked by followers
#   log.<service>.head                      where it ends, told every second
#   nudge.<service>                         "events were committed" between copies of one service
#
# Services may make their streams; changing, emptying or removing one is the admin's alone.

max_payload: 8MB
# A slow reader of large answers gets time before it is cut off.
write_deadline: "10s"
ping_interval: "20s"

jetstream {
  max_memory_store: 64MB
  max_file_store: 10GB
}
`;

const list = (subjects: readonly string[]): string =>
  `[\n${subjects.map((subject) => `          ${JSON.stringify(subject)}`).join('\n')}\n        ]`;

const userText = (user: string, { publish, subscribe }: Rights): string => `    {
      user: ${user}, password: $NATS_${user.toUpperCase()}_PASSWORD
      permissions {
        publish: ${list(publish)}
        subscribe: ${list(subscribe)}
      }
    }
`;

const ADMIN = `    # For tools only: looks at everything, and mends streams and consumers by hand.
    {
      user: admin, password: $NATS_ADMIN_PASSWORD
    }
`;

/** The text of deploy/nats.conf: every right follows from a declaration. */
export const brokerConfig = (declared: Declared): string => {
  const users = ASKERS.map((user) => (user === 'admin' ? ADMIN : userText(user, rightsOf(declared, user))));
  return `${HEAD}\nauthorization {\n  users: [\n${users.join('')}  ]\n}\n`;
};
