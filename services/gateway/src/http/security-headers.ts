import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

const protect = helmet({
  // Headers for browsers that are gone, or for pages with content of their own.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  // Only whoever came over TLS is told to stay with it.
  strictTransportSecurity: false,
  // Answers are data; the documents' page brings a policy of its own.
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
});

const workOut = (): Record<string, string> => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  protect(request, response, (error) => {
    if (error !== undefined) throw error;
  });
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
};

/** The same for every answer, so worked out once. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = workOut();

/** For answers that go out over TLS alone (RFC 6797 §7.2), where a proxy in front says so. */
export const STAY_WITH_TLS = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } as const;
