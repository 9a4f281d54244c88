import type { Output, Package, packageCalls } from '@teaching/contracts';
import { KeptAnswers, type Session } from '@teaching/kit';

/** The items of packages that are asked for again, each list with the state of its package (ADR 34). */
export const lists = new KeptAnswers<Output<typeof packageCalls.listItems>>();

export const keyOf = ({ org_id }: Session, package_id: string): string => `${org_id} ${package_id}`;

/** Whatever changes the items of a package changes both its version and its time. */
export const stateOf = ({ version, updated_at }: Pick<Package, 'version' | 'updated_at'>): string =>
  `${version} ${updated_at}`;
