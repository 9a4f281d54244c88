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
  WATCHED_SUBJECT,
} from '../rpc/subjects.ts';

/** The subjects of the services as patterns, for the permissions of broker users. */
export const brokerSubjects = {
  /** Calls of `from` to `service`; `endpoint` may be `>`. */
  call: (service: string, from: string, endpoint: string): string =>
    requestSubject(service, ANY_INSTANCE, from, endpoint),
  ping: PING,
  /** All calls to a service, from any caller. */
  servedCalls: (service: string): string => requestSubject(service, ANY_INSTANCE, '*', '>'),
  inbox: (user: string): string => `${inboxOf(user)}.>`,
  /** The replies of `responder` to `caller`. */
  replies: (caller: string, responder: string): string => `${inboxOf(caller)}.${responder}.>`,
  heartbeat: heartbeatSubject,
  /** All messages between the instances of one user. */
  peers: (user: string): string => peerSubject(user, '*', '*'),
  nudge: nudgeSubject,
  log: logSubjects,
  events: subjectsOf,
  /** The hints of a service, in all organizations. */
  hint: (service: string): string => hintSubject(service, '*'),
  watched: WATCHED_SUBJECT,
};
