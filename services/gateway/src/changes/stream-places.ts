import { Problem } from '@teaching/contracts';

/** Open streams of one person at once. */
const STREAMS_OF_USER = 10;

interface Place {
  org_id: string;
  /** Organization and person. */
  account: string;
}
type Counts = Map<string, number>;

const changeCount = (counts: Counts, key: string, by: number): void => {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
};

/** Counts open streams: at most `most` per gateway, half of them per organization, and `STREAMS_OF_USER` per person. */
export const createStreamPlaces = (most: number) => {
  const byOrg: Counts = new Map();
  const byAccount: Counts = new Map();
  let all = 0;
  const count = ({ org_id, account }: Place, by: number): void => {
    all += by;
    changeCount(byOrg, org_id, by);
    changeCount(byAccount, account, by);
  };
  return {
    count: (): number => all,
    /** Takes a place or throws 429 or 503. */
    take: (place: Place): void => {
      if ((byAccount.get(place.account) ?? 0) >= STREAMS_OF_USER)
        throw new Problem('rate_limited', `At most ${STREAMS_OF_USER} open pages of one person may receive changes`);
      if (all >= most || (byOrg.get(place.org_id) ?? 0) >= most / 2)
        throw new Problem('unavailable', 'Too many open pages receive changes');
      count(place, 1);
    },
    /** Gives back a place that was taken. */
    leave: (place: Place): void => count(place, -1),
  };
};
