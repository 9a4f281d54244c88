import type { AnyCall } from '@teaching/contracts';

/** In place of an instance: the broker picks one. */
export const ANY = 'any';
/** In place of an instance, in a pattern: every instance. */
export const ANY_INSTANCE = '*';
/** Not an endpoint of a contract: asks whether this instance listens. */
export const PING = 'ping';

/**
 * Requests go to `call.<service>.<any|instance>.<from>.<endpoint>`. The broker lets every user send under its own
 * name only, so the subject proves which service asks.
 */
export const requestSubject = (service: string, to: string, from: string, endpoint: string): string =>
  `call.${service}.${to}.${from}.${endpoint}`;

export const callSubject = ({ service, endpoint }: AnyCall, to: string, from: string): string =>
  requestSubject(service, to, from, endpoint);

/** The pattern of requests to one instance, or to `any`. */
export const servedSubject = (service: string, to: string): string => `call.${service}.${to}.*.>`;

/** The user that asks, and the endpoint. */
export const readSubject = (subject: string): { from: string; endpoint: string } => {
  const [, , , from = '', ...endpoint] = subject.split('.');
  return { from, endpoint: endpoint.join('.') };
};

/** Prefix of all subjects on which a user of the broker receives replies. */
export const inboxOf = (user: string): string => `_INBOX_${user}`;

/**
 * A reply goes to `_INBOX_<caller>.<responder>.<inbox id>.<key>`. The broker lets a user publish only replies that name it as
 * the responder, so no other service can forge them. The key has 122 random bits, known to the caller, the broker and this
 * responder, and is used again only after its one reply has arrived.
 */
export const replySubject = (caller: string, responder: string, inbox: string, key: string): string =>
  `${inboxOf(caller)}.${responder}.${inbox}.${key}`;

/**
 * Whether `responder` may reply to this subject. The caller chooses the subject, but the reply is published with the rights of
 * the responder: so it replies to the caller's inbox only, in its own name.
 */
export const isReplySubject = (reply: string, caller: string, responder: string): boolean =>
  reply.startsWith(`${inboxOf(caller)}.${responder}.`);

/** The subject of the heartbeats of a service's instances. */
export const heartbeatSubject = (service: string): string => `beat.${service}`;

/** Between the instances of one user of the broker: those of a group hear each other. */
export const peerSubject = (user: string, group: string, to: string): string => `peer.${user}.${group}.${to}`;
/** In place of a peer: all of the group. */
export const ALL_PEERS = 'all';

/** After this time all brokers of a cluster know a new subscription, and all callers a heartbeat that says `leaving`. */
export const PROPAGATION_MS = 250;

/** The subject of a service's hints at changes in one organization, for gateways with an open page of it. */
export const hintSubject = (service: string, org_id: string): string => `hint.${service}.${org_id}`;
/** The subject on which gateways name the organizations that have an open page. */
export const WATCHED = 'hint.watched';
