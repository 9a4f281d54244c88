import type { ChangeKind } from '@teaching/contracts';

/** What a change is about, as the API tells it to an open page. */
export interface Hint {
  kind: string;
  ids: readonly string[];
  clazz_id: string | null;
  user_ids: readonly string[];
}

/** Which changes an answer depends on: kinds, and of these all, or those that a look at the hint finds. */
export interface Concern {
  kinds: readonly ChangeKind[];
  isAbout?: (hint: Hint) => boolean;
}

export const concerns = ({ kinds, isAbout }: Concern, hint: Hint): boolean =>
  kinds.some((kind) => kind === hint.kind) && (isAbout === undefined || isAbout(hint));
