import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { TOKEN_DAYS } from '@teaching/contracts';
import { Session } from './identity.ts';
import { type CookieSealer, LONGEST_COOKIE } from './cookies.ts';
import type { Provider, Tokens } from './provider.ts';

const DAY_S = 86_400;
/**
 * Windows of one browser may renew with the same refresh token, which may be valid once. They get the same answer for
 * this time.
 */
const SAME_ANSWER_MS = 30_000;
const MOST_ANSWERS = 10_000;

/**
 * The content of the renewal cookie. It renews the session that it was created with; no request is authenticated by it.
 */
export const Renewal = z.object({
  ...Session.shape,
  refresh_token: z.string().optional(),
  /** Tells the provider which session ends. */
  id_token: z.string().optional(),
});
export type Renewal = z.output<typeof Renewal>;

/**
 * True when a renewal belongs to the login of this session. All sessions of a login keep its `iat`, so this holds for
 * windows that renew at once and after the session has expired.
 */
export const isSameLogin = (renewal: Renewal, session: Session): boolean =>
  renewal.sub === session.sub && renewal.org_id === session.org_id && renewal.iat === session.iat;

/** Seconds until a session and its renewals end; without a refresh token, until the session ends. */
export const cookieLifetime = ({ iat, exp }: Session, refresh_token: string | undefined): number =>
  Math.max(0, Math.floor((refresh_token === undefined ? exp : iat + TOKEN_DAYS * DAY_S) - Date.now() / 1_000));

/** The text of the renewal cookie. Tokens that do not fit are omitted, the identity token first. */
export const sealRenewal = async (sealer: CookieSealer, session: Session, tokens: Tokens): Promise<string> => {
  const { refresh_token, id_token } = tokens;
  for (const more of [{ refresh_token, id_token }, { refresh_token }]) {
    const text = await sealer.seal('renewal', { ...session, ...more });
    if (text.length <= LONGEST_COOKIE) return text;
  }
  return sealer.seal('renewal', session);
};

/** Renews once for all concurrent requests with the same refresh token. */
export const createTokenRenewer = (
  provider: Pick<Provider, 'renewTokens'>,
): ((refresh_token: string) => Promise<Tokens>) => {
  const answers = new LRUCache<string, Promise<Tokens>>({ max: MOST_ANSWERS, ttl: SAME_ANSWER_MS });
  return (refresh_token) => {
    const before = answers.get(refresh_token);
    if (before !== undefined) return before;
    const answer = provider.renewTokens(refresh_token);
    answers.set(refresh_token, answer);
    answer.catch(() => answers.delete(refresh_token));
    return answer;
  };
};
