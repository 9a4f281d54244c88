import type { Session } from '@teaching/kit';

/** Reads before the transaction of a call, by those who read in one as well. */
export const peeking = (session: Session): Pick<Session, 'query'> => ({
  query: (what, ...params) => session.peek(what, ...params),
});
