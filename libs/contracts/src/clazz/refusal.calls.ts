import { z } from 'zod';
import { call } from '../call.ts';
import { page, pageQuery, several, sortQuery } from '../page.ts';
import { ID, Instant, InstantInput, PersonId, PersonName } from '../scalars.ts';

/** How many rows the gateway tells at once. */
export const MOST_REFUSALS = 1_000;

const folded = 'where many different ones of a minute are counted together';
const told = {
  id: ID,
  org_id: ID,
  first_at: Instant.meta({ description: 'The first of them; a row counts those of one minute' }),
  last_at: Instant.meta({ description: 'The last of them' }),
  count: z.int().meta({ description: 'How many requests were refused' }),
  user_id: PersonId.nullable().meta({ description: `Whose token it was; \`null\` ${folded}` }),
  method: z
    .string()
    .nullable()
    .meta({ description: `HTTP method; \`null\` ${folded}` }),
  route: z
    .string()
    .nullable()
    .meta({ description: `The route, never the path as it came; \`null\` if it is none, and ${folded}` }),
  status: z.int().meta({ description: 'Status of the answer: 403, 404 or 429' }),
  reason: z.string().meta({
    description:
      'Why: `forbidden`, `not_found` (nothing there, or of somebody else), `rate_limited` … Further ones may come',
  }),
  address: z
    .string()
    .nullable()
    .meta({ description: `From which address; \`null\` ${folded}` }),
};

/** Requests of one person that were refused for who they are, in one minute. */
export const Refused = z.object(told);
export type Refused = z.output<typeof Refused>;

export const refusalCalls = {
  /** The same row may come again with more of them: the higher count holds. */
  keep: call({
    id: 'clazz.refusal.keep',
    summary: 'Keep who was refused, in whatever org',
    who: 'service',
    asked_by: ['gateway'],
    writes: true,
    scope: 'all orgs',
    body: z.strictObject({ refused: z.array(z.strictObject(told)).min(1).max(MOST_REFUSALS) }),
    output: z.null(),
    status: 204,
  }),
  listRefusals: call({
    id: 'clazz.refusal.list',
    http: 'GET /api/v1/ws/refusal',
    summary: 'Who of the org was refused by 403, 404 or 429 in the last 30 days, newest first; some seconds late',
    who: ['SUPERVISOR'],
    writes: false,
    query: {
      from: InstantInput.optional(),
      to: InstantInput.optional(),
      user_id: several(PersonId).optional(),
      reason: several(z.string().min(1).max(40)).optional(),
      ...sortQuery(['first_at'], '-first_at'),
      ...pageQuery,
    },
    output: page(Refused.extend({ display_name: PersonName })),
  }),
};
