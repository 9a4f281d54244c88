import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { type Item, type Package, type Snapshot, SnapshotPackage } from '@teaching/contracts';

/** SHA-256, lower-case hex, over the canonical JSON (RFC 8785) of package and items. */
const digest = (content: Pick<Snapshot, 'package' | 'items'>): string => {
  const text = canonicalize(content);
  if (text === undefined) throw new Error('a snapshot has no canonical form');
  return createHash('sha256').update(text).digest('hex');
};

/** Freezes a package and its items in order (rules, part 2). */
export const takeSnapshot = (
  it: Omit<Package, 'published_snapshot'>,
  items: readonly Item[],
  published_by: string,
  published_at: string,
): Snapshot => {
  const content = { package: SnapshotPackage.parse(it), items: items.toSorted((a, b) => a.position - b.position) };
  return { ...content, published_by, published_at, sha256: digest(content) };
};
