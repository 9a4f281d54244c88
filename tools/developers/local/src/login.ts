import type { Running } from '@teaching/kit';
import { DEMO_ORG } from './welcome.ts';
import { loginKeysIn } from './login-keys.ts';
import { freePort, portProblem } from './ports.ts';
import type { Env } from './service-env.ts';
import type { Settings } from './settings.ts';

export const CLIENT_ID = 'teaching-console';

export interface Login {
  /** The gateway's settings for it. */
  env: Env;
  start: () => Promise<Running>;
}

/** The requested port. If none was requested and the default is taken, any other: browsers are redirected there anyway. */
const portOf = async (login: NonNullable<Settings['login']>, host: string): Promise<number> => {
  const problem = await portProblem(login.port, host, 'LOGIN_PORT');
  if (problem === undefined) return login.port;
  if (login.fixed) throw new Error(problem);
  return freePort();
};

/** Our own login provider, if there is to be one; nothing listens until it is started. */
export const prepareLogin = async ({ login, host, console_url, dataDir }: Settings): Promise<Login | undefined> => {
  if (login === undefined) return undefined;
  const port = await portOf(login, host);
  const keys = loginKeysIn(dataDir);
  // Browsers come from the console's page and the gateway from here: both use the same name.
  const issuer = `http://${new URL(console_url).hostname}:${port}`;
  return {
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: keys.client },
    start: async () => {
      // The library is large, so it is loaded on use only.
      const { startLoginProvider } = await import('./login-provider.ts');
      const client = { id: CLIENT_ID, secret: keys.client, console_url };
      return { stop: await startLoginProvider({ issuer, host, port, client, org_id: DEMO_ORG, keys }) };
    },
  };
};
