import { LRUCache } from 'lru-cache';

/**
 * Ids of course records that were found to exist. Only existence is remembered, and forgotten as soon
 * as the course service says that something was deleted, so a sync need not ask for what it asked before.
 */
const known = new LRUCache<string, true>({ max: 200_000, ttl: 60_000 });

const keyOf = (org_id: string, ...ids: string[]): string => [org_id, ...ids].join(' ');

export const isKnown = (org_id: string, ...ids: string[]): boolean => known.has(keyOf(org_id, ...ids));
export const remember = (org_id: string, ...ids: string[]): void => void known.set(keyOf(org_id, ...ids), true);

/** Subject of every deletion in the course service. */
export const DELETIONS = 'evt.*.course.*.deleted';
export const forgetAll = (): void => known.clear();
