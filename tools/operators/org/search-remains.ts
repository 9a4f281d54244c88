import { type Client, escapeIdentifier } from 'pg';
import type { StreamManagers } from '../streams/managers.ts';
import { consumersOf, messagesOf } from './streams.ts';
import { type CatalogueTable, tablesOf } from './tables.ts';

/** A searched place, and how many rows of the organization it has. */
export interface SearchedPlace {
  /** A table, a stream, or the consumers of a stream. */
  where: string;
  found: number;
}

const nameOf = ({ service, name }: CatalogueTable): string => `${service}.${escapeIdentifier(name)}`;

/**
 * Searches by the column `org_id`; in every other table each row is read as text, because an id can be anywhere. The record of the
 * deletion is not counted.
 */
const countOf = (table: CatalogueTable): string => {
  if (table.hasOrg) return `select count(*)::int as found from ${nameOf(table)} where org_id = $1::uuid`;
  const rest = table.name === 'organization_end' ? 'and id <> $1::uuid' : '';
  return `select count(*)::int as found from ${nameOf(table)} as t where strpos(t::text, $1::uuid::text) > 0 ${rest}`;
};

/** Searches every table of every service and every stream. Nothing of the organization is left if all counts are 0. */
export const searchRemains = async (
  client: Client,
  managers: StreamManagers,
  org: string,
): Promise<SearchedPlace[]> => {
  const found: SearchedPlace[] = [];
  for (const table of await tablesOf(client)) {
    const { rows } = await client.query<{ found: number }>(countOf(table), [org]);
    found.push({ where: `${table.service}.${table.name}`, found: rows[0]?.found ?? -1 });
  }
  for (const [stream, messages] of await messagesOf(managers, org)) found.push({ where: stream, found: messages });
  const consumers = await consumersOf(managers, org);
  found.push({ where: 'consumers', found: consumers.length });
  return found;
};
