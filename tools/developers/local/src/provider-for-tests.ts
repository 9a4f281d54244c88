import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { z } from 'zod';

export const CLIENT_ID = 'console';

/** The next person to log in, with the provider's claims about them. */
export interface NextPerson {
  sub: string;
  claims: Readonly<Record<string, unknown>>;
}

/** A real OpenID provider whose page chooses automatically. */
export interface TestProvider {
  issuer: string;
  /** The one secret it takes from the console. */
  secret: string;
  /** The person to log in; `undefined`: the person declines. */
  person: NextPerson | undefined;
  /** Validity of its tokens in seconds. */
  lasts_s: number;
  /** Changes the claims about a person from now on. */
  tell(sub: string, claims: NextPerson['claims']): void;
  /** Requests for tokens so far. */
  asked(): number;
  /** Takes no refresh token any more. */
  forgetAll(): void;
  stop(): Promise<void>;
}

type Stored = Map<string, AdapterPayload>;

const adapterOver = (all: Stored, prefix: string): Adapter => {
  const by = (test: (payload: AdapterPayload) => boolean) => [...all.values()].find(test);
  return {
    upsert: async (id, payload) => void all.set(prefix + id, payload),
    find: async (id) => all.get(prefix + id),
    findByUid: async (uid) => by((one) => one.uid === uid),
    findByUserCode: async (code) => by((one) => one.userCode === code),
    consume: async (id) => {
      const found = all.get(prefix + id);
      if (found !== undefined) found['consumed'] = Math.floor(Date.now() / 1_000);
    },
    destroy: async (id) => void all.delete(prefix + id),
    revokeByGrantId: async (grant) => {
      for (const [id, { grantId }] of all) if (grantId === grant) all.delete(id);
    },
  };
};

/** Starts one on a free port, for a console that browsers open by `origin`. The caller stops it. */
export const startProvider = async (origin: string): Promise<TestProvider> => {
  const stored: Stored = new Map();
  let asked = 0;
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const people = new Map<string, NextPerson>();
  const self: TestProvider = {
    issuer: `http://127.0.0.1:${port}`,
    secret: 'what the console and the provider know',
    person: undefined,
    lasts_s: 600,
    tell: (sub, claims) => void people.set(sub, { sub, claims }),
    asked: () => asked,
    forgetAll: () => {
      for (const id of stored.keys()) if (id.startsWith('RefreshToken')) stored.delete(id);
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const client = (): AdapterPayload => ({
    client_id: CLIENT_ID,
    client_secret: self.secret,
    redirect_uris: [`${origin}/auth/callback`],
    post_logout_redirect_uris: [`${origin}/`],
    grant_types: ['authorization_code', 'refresh_token'],
    id_token_signed_response_alg: 'ES256',
  });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const provider = new Provider(self.issuer, {
    // Clients are looked up at each request, so that a secret can be exchanged.
    adapter: (name) =>
      name === 'Client' ? { ...adapterOver(stored, name), find: async () => client() } : adapterOver(stored, name),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'EC', alg: 'ES256', use: 'sig' }] },
    cookies: { keys: ['a secret of the provider'] },
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'org_id', 'roles', 'school', 'jobs'] },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true, allowedPolicy: async (_ctx, asking, token) => token.clientId === asking.clientId },
    },
    interactions: { url: (_ctx, { uid }) => `/choose/${uid}` },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: () => self.lasts_s,
      IdToken: () => self.lasts_s,
      Grant: 3_600,
      Session: 3_600,
      Interaction: 600,
      RefreshToken: 3_600,
    },
    findAccount: async (_ctx, sub) => {
      const claims = people.get(sub)?.claims ?? {};
      return { accountId: sub, claims: async () => ({ sub, ...claims }) };
    },
    loadExistingGrant: async (ctx) => {
      const { session, client: asking } = ctx.oidc;
      const grant = new ctx.oidc.provider.Grant({ clientId: asking?.clientId, accountId: session?.accountId });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
  });
  const choose = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { person } = self;
    if (person !== undefined) people.set(person.sub, person);
    const result = person === undefined ? { error: 'access_denied' } : { login: { accountId: person.sub } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };
  const answer = provider.callback();
  handle = (request, response) => {
    if (request.url?.startsWith('/token') === true) asked += 1;
    void (request.url?.startsWith('/choose/') === true ? choose(request, response) : answer(request, response));
  };
  return self;
};
