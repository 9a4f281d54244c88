import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { TOKEN_DAYS } from '@teaching/contracts';
import { Session } from './identity.ts';
import { type CookieSealer, LONGEST_COOKIE } from './cookies.ts';
import type { Provider, Tokens } from './provider.ts';

const DAY_S = 86_400;
/** Windows of one browser may ask with the same refresh token, which may be good once: they get the same answer. */
const SAME_ANSWER_MS = 30_000;
const MOST_ANSWERS = 10_000;

/** How a session goes on. It renews the session that it was given with, and no request is authenticated by it. */
export const Renewal = z.object({
  ...Session.shape,
  refresh_token: z.string().optional(),
  /** Shows the provider which session ends. */
  id_token: z.string().optional(),
});
export type Renewal = z.output<typeof Renewal>;

/**
 * Whether a renewal was given with this session or a later one of the same login. All sessions of a login keep its moment, so the
 * pair holds for windows that renew at once, and after the session has expired.
 */
export const isSameLogin = (renewal: Renewal, session: Session): boolean =>
  renewal.sub === session.sub && renewal.org_id === session.org_id && renewal.iat === session.iat;

/** Seconds for which what begins with a session may go on by renewals; without them, as long as the session. */
export const cookieLifetime = ({ iat, exp }: Session, refresh_token: string | undefined): number =>
  Math.max(0, Math.floor((refresh_token === undefined ? exp : iat + TOKEN_DAYS * DAY_S) - Date.now() / 1_000));

/** The text of the cookie; what does not fit is left out, the identity token first. */
export const sealRenewal = async (sealer: CookieSealer, session: Session, tokens: Tokens): Promise<string> => {
  const { refresh_token, id_token } = tokens;
  for (const more of [{ refresh_token, id_token }, { refresh_token }]) {
    const text = await sealer.seal('renewal', { ...session, ...more });
    if (text.length <= LONGEST_COOKIE) return text;
  }
  return sealer.seal('renewal', session);
};

/** Asks the provider once for all that come with the same refresh token at about the same time. */
export const renewOnce = (provider: Pick<Provider, 'renew'>): ((refresh_token: string) => Promise<Tokens>) => {
  const answers = new LRUCache<string, Promise<Tokens>>({ max: MOST_ANSWERS, ttl: SAME_ANSWER_MS });
  return (refresh_token) => {
    const before = answers.get(refresh_token);
    if (before !== undefined) return before;
    const answer = provider.renew(refresh_token);
    answers.set(refresh_token, answer);
    answer.catch(() => answers.delete(refresh_token));
    return answer;
  };
};
