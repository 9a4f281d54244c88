import type { AnyCall } from '@teaching/contracts';

/** In place of an instance: whichever the broker picks. */
export const ANY = 'any';
/** In place of an instance, in a pattern: each of them. */
export const ANY_INSTANCE = '*';
/** Not an endpoint of a contract: whether this instance listens. */
export const PING = 'ping';

/**
 * Requests go to `call.<service>.<any|instance>.<from>.<endpoint>`. The broker lets every user send under its own
 * name only, so the subject proves which service asks.
 */
export const requestSubject = (service: string, to: string, from: string, endpoint: string): string =>
  `call.${service}.${to}.${from}.${endpoint}`;

export const callSubject = ({ service, endpoint }: AnyCall, to: string, from: string): string =>
  requestSubject(service, to, from, endpoint);

/** What an instance listens to: what is sent to it, or to `any`. */
export const servedSubject = (service: string, to: string): string => `call.${service}.${to}.*.>`;

/** Who asks, and for what. */
export const readSubject = (subject: string): { from: string; endpoint: string } => {
  const [, , , from = '', ...endpoint] = subject.split('.');
  return { from, endpoint: endpoint.join('.') };
};

/** Prefix of all subjects on which a user of the broker receives replies. */
export const inboxOf = (user: string): string => `_INBOX_${user}`;

/**
 * A reply goes to `_INBOX_<caller>.<responder>.<inbox id>.<key>`. The broker lets a user publish only replies that name it as
 * the responder, so no other service can forge them. The key has 128 random bits, which the broker itself cannot be made to guess.
 */
export const replySubject = (caller: string, responder: string, inbox: string, key: string): string =>
  `${inboxOf(caller)}.${responder}.${inbox}.${key}`;

/** The service that replied, and the key of the request. */
export const readReplySubject = (subject: string): { responder: string; key: string } => {
  const [, responder = '', , key = ''] = subject.split('.');
  return { responder, key };
};

/**
 * Whether `responder` may reply to this subject. The caller chooses the subject, but the reply is published with the rights of
 * the responder: so it replies to the caller's inbox only, in its own name.
 */
export const isReplySubject = (reply: string, caller: string, responder: string): boolean =>
  reply.startsWith(`${inboxOf(caller)}.${responder}.`);

/** Where each instance says that it serves. */
export const beatSubject = (service: string): string => `beat.${service}`;
export const ALL_BEATS = 'beat.*';

/** Between instances of one user of the broker, and nobody else: those of a group hear each other. */
export const peerSubject = (user: string, group: string, to: string): string => `peer.${user}.${group}.${to}`;
/** In place of a peer: everybody in the group. */
export const ALL_PEERS = 'all';

/** So long after somebody listens, or says that it will not any more, everybody knows at whichever broker of a cluster. */
export const KNOWN_MS = 250;

/** What a service says of changes in one organization to gateways where somebody looks. */
export const hintSubject = (service: string, org_id: string): string => `hint.${service}.${org_id}`;
/** In which organizations somebody looks, as gateways say. */
export const WATCHED = 'hint.watched';
