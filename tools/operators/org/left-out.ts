import type { CatalogueTable } from './tables.ts';

const UNDER_WAY = 'says for moments that a deletion is under way';

/** Tables with rows of organizations that no export has, in whatever schema, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  idempotency_key: 'answers to repeated requests, kept for a day',
  deletion_mark: UNDER_WAY,
  reference_fence: UNDER_WAY,
  dead_letter: 'events, which the log has, that a follower of this installation could not apply',
  audit_verified: 'how far this installation has recomputed the chain',
  log_org: 'where the log of the organization ends; the manifest says it',
};
const STATISTICS = 'statistics are built from the logs of the other services';

/** Why a table is not exported; undefined if it is. */
export const whyLeftOut = ({ service, name }: Pick<CatalogueTable, 'service' | 'name'>): string | undefined =>
  service === 'stats' ? STATISTICS : LEFT_OUT[name];

/** Tables without `org_id`, in whatever schema: rows of no organization. One that is not here stops exports and deletions. */
export const OF_NO_ORGANIZATION: ReadonlySet<string> = new Set([
  'audit_break',
  'duty',
  'follower_position',
  'generation',
  'log_batch',
  'log_epoch',
  'log_head',
  'organization_end',
  'schema_migration',
]);

/** Those with rows of organizations; throws on a table of which nobody said whose its rows are. */
export const withOrg = (tables: readonly CatalogueTable[]): CatalogueTable[] => {
  const unknown = tables.filter(({ hasOrg, name }) => !hasOrg && !OF_NO_ORGANIZATION.has(name));
  if (unknown.length > 0)
    throw new Error(
      `Nobody said whose rows are in ${unknown.map(({ service, name }) => `${service}.${name}`).join(', ')}`,
    );
  return tables.filter(({ hasOrg }) => hasOrg);
};
