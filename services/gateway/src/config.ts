import { busConfig } from '@teaching/kit';
import { z } from 'zod';

export const gatewayConfig = z.object({
  ...busConfig,
  HOST: z.string().default('0.0.0.0'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** Where the issuer publishes its keys (RFC 7517); or a local file with the same content. */
  JWKS_URL: z.url().optional(),
  JWKS_FILE: z.string().optional(),
  /** The one algorithm that is accepted. */
  JWT_ALGORITHM: z.enum(['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA']).default('ES256'),
  JWT_ISSUER: z.string(),
  JWT_AUDIENCE: z.string(),
  /** Comma-separated origins that browsers may call from; none by default. */
  CORS_ORIGINS: z.string().optional(),
  /** Serve /docs, /openapi.json and /asyncapi.json. */
  DOCS: z.stringbool().default(true),
  /** Requests one user may make in one window. */
  RATE_LIMIT: z.coerce.number().int().min(1).default(6_000),
  RATE_LIMIT_WINDOW_SECONDS: z.coerce.number().int().min(1).max(3_600).default(60),
  /** Time a call may take before the answer is 504. */
  CALL_TIMEOUT_MS: z.coerce.number().int().min(100).max(120_000).default(10_000),
  /** Calls under way at once; of one organization at most half of them. */
  MAX_PENDING: z.coerce.number().int().min(1).max(1_000_000).default(2_000),
  /** Time between not being ready any more and closing: whoever chooses gateways has to see it meanwhile. */
  DRAIN_MS: z.coerce.number().int().min(0).max(600_000).default(3_000),
});
export type GatewayConfig = z.output<typeof gatewayConfig>;
