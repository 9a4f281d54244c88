import type { Client } from 'pg';
import { SERVICES } from '../../../libs/contracts/src/registry.ts';
import { GENESIS } from '../../../services/clazz/src/audit/chain.rules.ts';
import type { Manifest } from './manifest.ts';

/** The migrations of each schema; an import must have them. */
export const schemasOf = async (client: Client): Promise<Record<string, { migrations: string[] }>> => {
  const schemas: Record<string, { migrations: string[] }> = {};
  for (const service of SERVICES) {
    const { rows } = await client.query<{ name: string }>(`select name from ${service}.schema_migration order by id`);
    schemas[service] = { migrations: rows.map(({ name }) => name) };
  }
  return schemas;
};

/** The offset of each log, and of the organization's last event in it. */
export const offsetsOf = async (client: Client, org: string): Promise<Manifest['logs']> => {
  const places: Manifest['logs'] = [];
  for (const service of SERVICES) {
    const { rows } = await client.query<Manifest['logs'][number]>(
      `select '${service}' as service, h.log, h.epoch, json_build_object('no', h.no, 'id', h.id) as head,
         case when o.id is not null then json_build_object('no', o.no, 'id', o.id) end as last
       from ${service}.log_head as h left join ${service}.log_org as o on o.log = h.log and o.org_id = $1 order by h.log`,
      [org],
    );
    places.push(...rows);
  }
  return places;
};

/** The end of the organization's audit log, and what all audit logs here can no longer prove. */
export const auditEndOf = async (client: Client, org: string): Promise<Manifest['trail']> => {
  const heads = await client.query<{ entries: string; hash: string }>(
    'select entries, hash from clazz.audit_head where org_id = $1',
    [org],
  );
  const breaks = await client.query<{ all: Manifest['trail']['breaks'] }>(
    `select coalesce(json_agg(json_build_object('at', at, 'epoch', epoch, 'no', no, 'on_from', on_from, 'why', why)
       order by id), '[]') as all from clazz.audit_break`,
  );
  const [head] = heads.rows;
  return {
    entries: Number(head?.entries ?? 0),
    hash: head?.hash ?? GENESIS,
    breaks: breaks.rows[0]?.all ?? [],
  };
};
