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

/** Where answers for a user of the broker arrive; its own inbox is below. */
export const inboxOf = (user: string): string => `_INBOX_${user}`;

/**
 * Whether an answer may be sent there. Who asks names the subject of the answer, and whoever answers sends it with its own
 * rights: so nothing but the inbox of who asks is answered.
 */
export const isInboxOf = (reply: string, from: string): boolean => reply.startsWith(`${inboxOf(from)}.`);

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
