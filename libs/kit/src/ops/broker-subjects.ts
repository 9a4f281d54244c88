import { nudgeSubject } from '../log/log-leader.ts';
import { logSubjects } from '../log/source-messages.ts';
import { subjectsOf } from '../log/stream.ts';
import {
  ANY_INSTANCE,
  heartbeatSubject,
  hintSubject,
  inboxOf,
  peerSubject,
  PING,
  requestSubject,
  WATCHED,
} from '../rpc/subjects.ts';

/** The subjects by which services speak, as patterns: for whoever gives the users of the broker their rights. */
export const brokerSubjects = {
  /** What `from` asks `service` for; `endpoint` may be `>`. */
  call: (service: string, from: string, endpoint: string): string =>
    requestSubject(service, ANY_INSTANCE, from, endpoint),
  ping: PING,
  /** All that a service is asked for, by whom it may be. */
  served: (service: string): string => requestSubject(service, ANY_INSTANCE, '*', '>'),
  inbox: (user: string): string => `${inboxOf(user)}.>`,
  /** The replies of `responder` to `caller`. */
  replies: (caller: string, responder: string): string => `${inboxOf(caller)}.${responder}.>`,
  beat: heartbeatSubject,
  /** All that instances of one user say to each other. */
  peers: (user: string): string => peerSubject(user, '*', '*'),
  nudge: nudgeSubject,
  log: logSubjects,
  events: subjectsOf,
  /** What a service hints at, in all organizations. */
  hint: (service: string): string => hintSubject(service, '*'),
  watched: WATCHED,
};
