import { createHash } from 'node:crypto';
import type { AuditEntry } from '@teaching/contracts';
import canonicalize from 'canonicalize';
import { attachTexts, type AuditText, textFault, type TextRef } from './audit-texts.rules.ts';

/** The hash before the first entry of an org. */
export const GENESIS = '0'.repeat(64);

export interface ChainHead {
  entries: number;
  hash: string;
}

/** An entry as it is stored. A list of several classes has no `clazz_id`, and texts are digests only. */
export interface ChainEntry extends Omit<AuditEntry, 'clazz_id' | 'texts'> {
  clazz_id: string | null;
  texts: TextRef[] | null;
}
type Content = Omit<ChainEntry, 'hash'>;

/**
 * SHA-256 in lower-case hex over the canonical JSON (RFC 8785) of the entry, including the hash of its predecessor.
 * `clazz_ids` and `texts` are included only if they are set, so that entries from before these fields keep their hash.
 */
export const hashOf = ({ clazz_ids, texts, ...content }: Content): string => {
  const text = canonicalize({
    ...content,
    ...(clazz_ids === null ? {} : { clazz_ids }),
    ...(texts === null ? {} : { texts }),
  });
  if (text === undefined) throw new Error('an audit entry has no canonical form');
  return createHash('sha256').update(text).digest('hex');
};

/** Appends entries to a chain: numbers them after the head and adds the hash of the predecessor to each. */
export const appendToChain = (
  head: ChainHead,
  entries: readonly Omit<Content, 'seq' | 'prev_hash'>[],
): ChainEntry[] => {
  let { entries: seq, hash: prev_hash } = head;
  return entries.map((entry) => {
    seq += 1;
    const content = { ...entry, seq, prev_hash };
    prev_hash = hashOf(content);
    return { ...content, hash: prev_hash };
  });
};

export interface ChainBreak {
  seq: number;
  id: string | null;
  why: string;
}

/** The data that is stored beside the chain. */
export interface ChainSupplement {
  /** Texts by their digests. */
  texts: ReadonlyMap<string, AuditText>;
  /** The former hashes of entries that contained their texts, by `seq`. */
  former: ReadonlyMap<number, string>;
}
const NOTHING: ChainSupplement = { texts: new Map(), former: new Map() };

/** Whether the entry with its texts has its former hash. True if the hash is unknown, because a text was erased. */
const hasFormerHash = ({ hash: _now, ...entry }: ChainEntry, { texts, former }: ChainSupplement): boolean => {
  const known = former.get(entry.seq);
  const prev_hash = entry.seq === 1 ? GENESIS : former.get(entry.seq - 1);
  if (known === undefined || prev_hash === undefined) return true;
  return hashOf({ ...attachTexts(entry, texts), texts: null, prev_hash }) === known;
};

const fault = (head: ChainHead, entry: ChainEntry, supplement: ChainSupplement): string | undefined => {
  const { hash, ...content } = entry;
  if (entry.seq !== head.entries + 1) return 'an entry before it is missing';
  if (entry.prev_hash !== head.hash) return 'it does not continue the entry before';
  if (hashOf(content) !== hash) return 'its content does not match its hash';
  const textProblem = textFault(entry.texts, supplement.texts);
  if (textProblem !== undefined) return textProblem;
  return hasFormerHash(entry, supplement)
    ? undefined
    : 'it does not match the hash it had before texts were stored beside the chain';
};

/** Checks entries in order from a head on. Returns the new head, and the first entry that breaks the chain. */
export const checkChain = (
  head: ChainHead,
  entries: readonly ChainEntry[],
  supplement: ChainSupplement = NOTHING,
): { head: ChainHead; broken?: ChainBreak } => {
  let at = head;
  for (const entry of entries) {
    const why = fault(at, entry, supplement);
    if (why !== undefined) return { head: at, broken: { seq: entry.seq, id: entry.id, why } };
    at = { entries: entry.seq, hash: entry.hash };
  }
  return { head: at };
};
