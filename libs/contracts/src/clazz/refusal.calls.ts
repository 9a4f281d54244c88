import { z } from 'zod';
import { call } from '../call.ts';
import { page, pageQuery, commaSeparated, sortQuery } from '../page.ts';
import { ID, identifier, Instant, InstantInput, PersonId, PersonIdInput, PersonName } from '../scalars.ts';

/** Maximum number of rows that the gateway reports in one call. */
export const MAX_REFUSALS = 1_000;

const folded = 'if the row counts requests with different values';
const refusedFields = {
  id: ID,
  org_id: ID,
  first_at: Instant.meta({ description: 'Time of the first request; a row counts the requests of one minute' }),
  last_at: Instant.meta({ description: 'Time of the last request' }),
  count: z.int().meta({ description: 'Number of refused requests' }),
  user_id: PersonId.nullable().meta({ description: `Person of the token; \`null\` ${folded}` }),
  method: z
    .string()
    .nullable()
    .meta({ description: `HTTP method; \`null\` ${folded}` }),
  route: z
    .string()
    .nullable()
    .meta({
      description: `Route with parameter names, not the requested path; \`null\` for an unknown route, or ${folded}`,
    }),
  status: z.int().meta({ description: 'HTTP status of the response: 403, 404 or 429' }),
  reason: z.string().meta({
    description: 'Error code, such as `forbidden`, `not_found` or `rate_limited`. Further values may be added',
  }),
  address: z
    .string()
    .nullable()
    .meta({ description: `IP address of the client; \`null\` ${folded}` }),
};

/** Requests of one person in one minute that were refused for lack of permission or because of a rate limit. */
export const Refused = z.object(refusedFields);
export type Refused = z.output<typeof Refused>;

export const refusalCalls = {
  /** The gateway may send a row again with a higher count. The higher count replaces the lower one. */
  keep: call({
    id: 'clazz.refusal.keep',
    summary: 'Store refused requests of any organization',
    roles: 'service',
    called_by: ['gateway'],
    writes: true,
    scope: 'all orgs',
    body: z.strictObject({ refused: z.array(z.strictObject(refusedFields)).min(1).max(MAX_REFUSALS) }),
    output: z.null(),
    status: 204,
  }),
  listRefusals: call({
    id: 'clazz.refusal.list',
    http: 'GET /api/v1/ws/refusal',
    summary:
      'List refused requests, newest first. The list contains requests refused with 403, 404 or 429 in the last 30 days, with a delay of some seconds',
    roles: ['SUPERVISOR'],
    writes: false,
    query: {
      from: InstantInput.optional(),
      to: InstantInput.optional(),
      user_id: commaSeparated(PersonIdInput).optional(),
      reason: commaSeparated(identifier(40)).optional(),
      ...sortQuery(['first_at'], '-first_at'),
      ...pageQuery,
    },
    output: page(Refused.extend({ display_name: PersonName })),
  }),
};
