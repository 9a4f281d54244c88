import { z } from 'zod';
import { ASKERS } from '../../../libs/contracts/src/index.ts';

/** The login of a broker user: its password, any of its keys, or both while one replaces the other. */
export const Login = z.strictObject({
  user: z.enum(ASKERS),
  /** Public halves; the user has the seeds. */
  nkeys: z.array(z.string().regex(/^U[A-Z2-7]{55}$/, 'must be the public key of a user (nkey)')),
  password: z.boolean(),
});
export type Login = z.infer<typeof Login>;

/** The login of users without an entry. */
export const loginOf = (user: Login['user'], logins: readonly Login[]): Login =>
  logins.find((one) => one.user === user) ?? { user, nkeys: [], password: true };

/** The logins with one of them changed. Throws if a user would have no login. */
export const withUserLogin = (logins: readonly Login[], one: Login): Login[] => {
  if (one.nkeys.length === 0 && !one.password) throw new Error(`${one.user} would have neither a key nor a password`);
  return [...logins.filter(({ user }) => user !== one.user), one];
};
