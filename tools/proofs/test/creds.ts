import { createHash } from 'node:crypto';
import { createAccount, createOperator, createUser, type KeyPair } from '@nats-io/nkeys';

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT in the form of the broker, signed by the key of its issuer (NATS ADR-14). */
const jwtOf = (issuer: KeyPair, subject: KeyPair, name: string, nats: object): string => {
  const claims = {
    iat: Math.floor(Date.now() / 1_000),
    iss: issuer.getPublicKey(),
    name,
    sub: subject.getPublicKey(),
    nats,
  };
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('hex');
  const text = `${base64url({ typ: 'JWT', alg: 'ed25519-nkey' })}.${base64url({ jti, ...claims })}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`;
};

/** Creates a broker operator that authenticates users by JWTs: its configuration, and new `.creds` files for users. */
export const createJwtOperator = () => {
  const [operator, account] = [createOperator(), createAccount()];
  const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const operatorJwt = jwtOf(operator, operator, 'teaching', { type: 'operator', version: 2 });
  const accountJwt = jwtOf(operator, account, 'teaching', { type: 'account', version: 2, limits });
  return {
    config: `operator: ${operatorJwt}\nresolver: MEMORY\nresolver_preload: { ${account.getPublicKey()}: ${accountJwt} }\n`,
    credsOf: (name: string, publish: readonly string[]): string => {
      const user = createUser();
      const rights = { pub: { allow: publish }, sub: {}, subs: -1, data: -1, payload: -1 };
      const jwt = jwtOf(account, user, name, { type: 'user', version: 2, ...rights });
      const seed = new TextDecoder().decode(user.getSeed());
      return [
        '-----BEGIN NATS USER JWT-----',
        jwt,
        '------END NATS USER JWT------',
        '',
        '-----BEGIN USER NKEY SEED-----',
        seed,
        '------END USER NKEY SEED------',
        '',
      ].join('\n');
    },
  };
};
