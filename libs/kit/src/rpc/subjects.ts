import type { AnyCall } from '@teaching/contracts';

/** In a subject, in place of an instance: the broker picks an instance. */
export const ANY = 'any';
/** In a subject pattern, in place of an instance: every instance. */
export const ANY_INSTANCE = '*';
/** An endpoint that is not in a contract. Its reply shows that the instance listens. */
export const PING = 'ping';

/**
 * Requests go to `call.<service>.<any|instance>.<from>.<endpoint>`. The broker lets every user send only under its own
 * name, so the subject proves which service sends the request.
 */
export const requestSubject = (service: string, to: string, from: string, endpoint: string): string =>
  `call.${service}.${to}.${from}.${endpoint}`;

export const callSubject = ({ service, endpoint }: AnyCall, to: string, from: string): string =>
  requestSubject(service, to, from, endpoint);

/** The subject pattern of requests to one instance, or to `any`. */
export const servedSubjectPattern = (service: string, to: string): string => `call.${service}.${to}.*.>`;

/** Reads the sending user and the endpoint from a subject. */
export const parseSubject = (subject: string): { from: string; endpoint: string } => {
  const [, , , from = '', ...endpoint] = subject.split('.');
  return { from, endpoint: endpoint.join('.') };
};

/** The prefix of all subjects on which a NATS user receives replies. */
export const inboxOf = (user: string): string => `_INBOX_${user}`;

/**
 * A reply goes to `_INBOX_<caller>.<responder>.<inbox id>.<key>`. The broker lets a user publish only replies that
 * name it as the responder, so no other service can forge them. The key has 122 random bits. Only the caller, the
 * broker and this responder know it. A key is used again only after its single reply has arrived.
 */
export const replySubject = (caller: string, responder: string, inbox: string, key: string): string =>
  `${inboxOf(caller)}.${responder}.${inbox}.${key}`;

/**
 * Whether `responder` may reply to this subject. The caller chooses the subject, but the responder publishes with its
 * own rights. So it replies only to the inbox of the caller, under its own name.
 */
export const isReplySubject = (reply: string, caller: string, responder: string): boolean =>
  reply.startsWith(`${inboxOf(caller)}.${responder}.`);

/** The subject of the heartbeats of a service's instances. */
export const heartbeatSubject = (service: string): string => `beat.${service}`;

/** The subject of messages between the instances of one NATS user that form a group. */
export const peerSubject = (user: string, group: string, to: string): string => `peer.${user}.${group}.${to}`;
/** In a subject, in place of a peer: all peers of the group. */
export const ALL_PEERS = 'all';

/** After this time, all brokers of a cluster know a new subscription, and all callers know that an instance leaves. */
export const PROPAGATION_MS = 250;

/** The subject of hints of one service at changes in one organization, for gateways with an open page of it. */
export const hintSubject = (service: string, org_id: string): string => `hint.${service}.${org_id}`;
/** The subject on which gateways publish the organizations with an open page. */
export const WATCHED_SUBJECT = 'hint.watched';
