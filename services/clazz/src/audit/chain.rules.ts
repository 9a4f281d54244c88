import { createHash } from 'node:crypto';
import type { AuditEntry } from '@teaching/contracts';
import canonicalize from 'canonicalize';

/** The hash before the first entry of an org. */
export const GENESIS = '0'.repeat(64);

export interface Head {
  entries: number;
  hash: string;
}

/** An entry as it is kept: a list of several classes is no one class's. */
export interface ChainEntry extends Omit<AuditEntry, 'clazz_id'> {
  clazz_id: string | null;
}
type Content = Omit<ChainEntry, 'hash'>;

/**
 * SHA-256 in lower-case hex over the canonical JSON (RFC 8785) of the entry with its predecessor's hash.
 * `clazz_ids` belongs to it only where there are some: entries written before that field was known verify as
 * they are.
 */
export const hashOf = ({ clazz_ids, ...content }: Content): string => {
  const text = canonicalize(clazz_ids === null ? content : { ...content, clazz_ids });
  if (text === undefined) throw new Error('an audit entry has no canonical form');
  return createHash('sha256').update(text).digest('hex');
};

/** Continues a chain: numbers the entries from the head on and ties each to the one before. */
export const appendTo = (head: Head, entries: readonly Omit<Content, 'seq' | 'prev_hash'>[]): ChainEntry[] => {
  let { entries: seq, hash: prev_hash } = head;
  return entries.map((entry) => {
    seq += 1;
    const content = { ...entry, seq, prev_hash };
    prev_hash = hashOf(content);
    return { ...content, hash: prev_hash };
  });
};

export interface Broken {
  seq: number;
  id: string | null;
  why: string;
}

const fault = (head: Head, entry: ChainEntry): string | undefined => {
  const { hash, ...content } = entry;
  if (entry.seq !== head.entries + 1) return 'an entry before it is missing';
  if (entry.prev_hash !== head.hash) return 'it does not continue the entry before';
  return hashOf(content) === hash ? undefined : 'its content does not match its hash';
};

/** Checks entries in order from a head on: the new head, or the first entry that breaks the chain. */
export const checkChain = (head: Head, entries: readonly ChainEntry[]): { head: Head; broken?: Broken } => {
  let at = head;
  for (const entry of entries) {
    const why = fault(at, entry);
    if (why !== undefined) return { head: at, broken: { seq: entry.seq, id: entry.id, why } };
    at = { entries: entry.seq, hash: entry.hash };
  }
  return { head: at };
};
