import type { Item, Output, Package, packageCalls } from '@teaching/contracts';
import { WrittenAnswer } from '@teaching/kit';
import { LRUCache } from 'lru-cache';

type Written = WrittenAnswer<Output<typeof packageCalls.listItems>>;

/** Which state of a package: whatever changes its items changes both (ADR 34). */
type State = Pick<Package, 'version' | 'updated_at'>;

interface Kept extends State {
  written: Written;
}

/** Of all that an instance keeps; a list of 20 items has about 3,400. */
const MOST_CHARACTERS = 16_000_000;
/** Packages that are known to have been asked for lately, at most. */
const ASKED = 4_096;

/**
 * Texts of item lists that are asked for again and again, each with the state of its package. Nothing here says whether a
 * text is still true: who asks reads the state first, and takes a text of that state only.
 */
export class KeptLists {
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: ({ written }, key) => written.text.length + key.length,
  });
  /** The last 32 bits of the id of each, at a place that they say; whoever comes to the same place later is there instead. */
  readonly #asked = new Uint32Array(ASKED);

  /** Whether somebody asked for it a moment ago, so that keeping it is likely to pay. */
  isAskedAgain(org_id: string, package_id: string): boolean {
    if (this.#kept.has(keyOf(org_id, package_id))) return true;
    const part = Number.parseInt(package_id.slice(-8), 16);
    const place = part % ASKED;
    if (this.#asked[place] === part) return true;
    this.#asked[place] = part;
    return false;
  }

  find(org_id: string, package_id: string, { version, updated_at }: State): Written | undefined {
    const found = this.#kept.get(keyOf(org_id, package_id));
    return found?.version === version && found.updated_at === updated_at ? found.written : undefined;
  }

  /** `items` were read after the state was. */
  keep(org_id: string, package_id: string, { version, updated_at }: State, items: Item[]): Written {
    const written: Written = new WrittenAnswer({ items, next_cursor: null });
    this.#kept.set(keyOf(org_id, package_id), { version, updated_at, written });
    return written;
  }
}

const keyOf = (org_id: string, package_id: string): string => `${org_id} ${package_id}`;
