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
  // Configured: the gateway itself does not see whether a browser came over TLS.
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

export type SecurityHeaders = Readonly<Record<string, string>>;

/** The same for every answer, so worked out once. `hsts` is `Strict-Transport-Security` (RFC 6797), or none. */
export const securityHeaders = (hsts: string | undefined): SecurityHeaders =>
  Object.freeze({ ...workOut(), ...(hsts === undefined ? {} : { 'strict-transport-security': hsts }) });
