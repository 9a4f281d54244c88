import { z } from 'zod';
import { ASKERS } from '../../../libs/contracts/src/index.ts';

/** How a user of the broker logs in: by its password, by any of its keys, or both while one is exchanged for the other. */
export const Login = z.strictObject({
  user: z.enum(ASKERS),
  /** Public; their seeds are the user's alone. */
  nkeys: z.array(z.string().regex(/^U[A-Z2-7]{55}$/, 'must be the public key of a user (nkey)')),
  password: z.boolean(),
});
export type Login = z.infer<typeof Login>;

/** How each user logs in that nothing else is said of. */
export const loginOf = (user: Login['user'], logins: readonly Login[]): Login =>
  logins.find((one) => one.user === user) ?? { user, nkeys: [], password: true };

/** The logins with one of them changed; nobody is left without any. */
export const changed = (logins: readonly Login[], one: Login): Login[] => {
  if (one.nkeys.length === 0 && !one.password) throw new Error(`${one.user} would have neither a key nor a password`);
  return [...logins.filter(({ user }) => user !== one.user), one];
};
