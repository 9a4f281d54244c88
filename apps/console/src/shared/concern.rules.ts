import type { ChangeKind } from '@teaching/contracts';

/** A change hint of the API (`GET /api/v1/changes`). */
export interface Hint {
  kind: string;
  ids: readonly string[];
  clazz_id: string | null;
  user_ids: readonly string[];
}

/**
 * The changes after which an answer is outdated: their kinds, and a condition on the hint. Without `isAbout`, every
 * change of these kinds counts.
 */
export interface Concern {
  kinds: readonly ChangeKind[];
  isAbout?: (hint: Hint) => boolean;
}

export const isAffectedBy = ({ kinds, isAbout }: Concern, hint: Hint): boolean =>
  kinds.some((kind) => kind === hint.kind) && (isAbout === undefined || isAbout(hint));
