import type { Item, Output, Package, packageCalls } from '@teaching/contracts';
import { KeptAnswers, KeptByState, type Session } from '@teaching/kit';

/** What an item takes beside its texts, as characters. */
const ITEM = 250;

/** The items of packages that are asked for again, as texts, each with the state of its package (ADR 34). */
export const lists = new KeptAnswers<Output<typeof packageCalls.listPackageItems>>();
/** The items of packages that are edited again, as their last edit left them. */
export const edited = new KeptByState<readonly Item[]>();

export const keyOf = ({ org_id }: Session, package_id: string): string => `${org_id} ${package_id}`;

/** Whatever changes the items of a package changes both its version and its time. */
export const stateOf = ({ version, updated_at }: Pick<Package, 'version' | 'updated_at'>): string =>
  `${version} ${updated_at}`;

export const charactersOf = (items: readonly Item[]): number =>
  items.reduce((sum, { title, note }) => sum + ITEM + title.length + (note?.length ?? 0), 0);
