import { Problem } from '@teaching/contracts';

/** Pages of one person at once. */
export const STREAMS_OF_USER = 10;

interface Place {
  org_id: string;
  /** Whose it is. */
  account: string;
}
type Counts = Map<string, number>;

const change = (counts: Counts, key: string, by: number): void => {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
};

/** Counts streams: so many of a gateway, of these at most half of one organization, and a few of one person. */
export const createStreamPlaces = (most: number) => {
  const byOrg: Counts = new Map();
  const byAccount: Counts = new Map();
  let all = 0;
  const count = ({ org_id, account }: Place, by: number): void => {
    all += by;
    change(byOrg, org_id, by);
    change(byAccount, account, by);
  };
  return {
    count: (): number => all,
    /** Takes one, or refuses; returns the way to give it back. */
    take: (place: Place): (() => void) => {
      if ((byAccount.get(place.account) ?? 0) >= STREAMS_OF_USER)
        throw new Problem('rate_limited', `At most ${STREAMS_OF_USER} pages of one person hear of changes at once`);
      if (all >= most || (byOrg.get(place.org_id) ?? 0) >= most / 2)
        throw new Problem('unavailable', 'Too many pages hear of changes');
      count(place, 1);
      return () => count(place, -1);
    },
  };
};
