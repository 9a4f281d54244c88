import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

const protect = helmet({
  // Headers for obsolete browsers, or for pages with content of their own.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  // Set from the configuration: the gateway cannot see whether a browser uses TLS.
  strictTransportSecurity: false,
  // Responses are data; the page of the API documents sets its own policy.
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
});

const computeHeaders = (): Record<string, string> => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  protect(request, response, (error) => {
    if (error !== undefined) throw error;
  });
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
};

export type SecurityHeaders = Readonly<Record<string, string>>;

/**
 * The headers of every response, computed once. `hsts` is the value of `Strict-Transport-Security` (RFC 6797); none if
 * undefined.
 */
export const securityHeaders = (hsts: string | undefined): SecurityHeaders =>
  Object.freeze({ ...computeHeaders(), ...(hsts === undefined ? {} : { 'strict-transport-security': hsts }) });
