import type { CatalogueTable } from './tables.ts';

const UNDER_WAY = 'marks a deletion in progress for moments';

/** Tables with rows of organizations that no export contains, in any schema, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  idempotency_key: 'answers of repeated requests, stored for a day',
  deletion_mark: UNDER_WAY,
  reference_fence: UNDER_WAY,
  dead_letter: 'events that a follower of this installation could not apply; the log has them',
  audit_verified: 'the progress of this installation in verifying the chain',
  log_org: 'where the log of the organization ends; the manifest says it',
};
const STATISTICS = 'statistics are built from the logs of the other services';

/** Why a table is not exported; undefined if it is. */
export const exclusionReason = ({ service, name }: Pick<CatalogueTable, 'service' | 'name'>): string | undefined =>
  service === 'stats' ? STATISTICS : LEFT_OUT[name];

/** Tables without `org_id` in any schema: rows of no organization. A table that is missing here stops exports and deletions. */
export const TABLES_WITHOUT_ORGANIZATION: ReadonlySet<string> = new Set([
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

/** The tables with rows of organizations. Throws if a table is declared in neither way. */
export const organizationTables = (tables: readonly CatalogueTable[]): CatalogueTable[] => {
  const unknown = tables.filter(({ hasOrg, name }) => !hasOrg && !TABLES_WITHOUT_ORGANIZATION.has(name));
  if (unknown.length > 0)
    throw new Error(
      `It is not declared whether these tables have rows of organizations: ${unknown.map(({ service, name }) => `${service}.${name}`).join(', ')}`,
    );
  return tables.filter(({ hasOrg }) => hasOrg);
};
