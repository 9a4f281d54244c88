import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { z } from 'zod';
import { migrate } from '../../../../libs/kit/src/db/migrate.ts';
import { ensureDatabase, provision } from '../../../operators/migrate/provision.ts';
import { app as clazz } from '../../../../services/clazz/src/app.ts';
import { app as course } from '../../../../services/course/src/app.ts';
import { app as packages } from '../../../../services/package/src/app.ts';
import { app as stats } from '../../../../services/stats/src/app.ts';
import { SERVICES } from '@teaching/local/secrets.ts';
import { type Addresses, serviceEnv } from '@teaching/local/service-env.ts';

const APPS = { clazz, course, package: packages, stats };

/** The migrations of release 0.1.0. Released migrations never change. */
const RELEASED = new Set(
  `001_classes 002_people 003_schedule 004_audit_trail 005_hours 006_calendar_feeds
   001_courses 002_lianxi 003_jihua 001_packages
   001_records 002_figures 003_marks_of_students 004_make_up_and_markings_of_classes`.split(/\s+/),
);

/** The rows of release 0.1.0 by table, after its demo ran once. */
const Tables = z.record(z.string(), z.array(z.record(z.string(), z.unknown())));
const DATA = new URL('./data.json.gz', import.meta.url);

/** Creates a database in the state of release 0.1.0. Returns its URL. */
export const restoreRelease = async (addresses: Addresses, name: string): Promise<string> => {
  const adminUrl = await ensureDatabase(addresses.adminUrl, name);
  for (const service of SERVICES) {
    await provision({ adminUrl, service, passwords: addresses.secrets.database[service] });
    const released = APPS[service].migrations.filter((one) => RELEASED.has(one.name));
    await migrate(serviceEnv(service, { ...addresses, adminUrl })['MIGRATION_DATABASE_URL'] ?? '', service, released);
  }
  const tables = Tables.parse(JSON.parse(gunzipSync(readFileSync(DATA)).toString()));
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    // Disables foreign keys, so the order of the tables does not matter.
    await client.query("set session_replication_role = 'replica'");
    await client.query(`truncate ${Object.keys(tables).join(', ')} cascade`);
    for (const [table, rows] of Object.entries(tables)) await fill(client, table, rows);
  } finally {
    await client.end();
  }
  return adminUrl;
};

const fill = async (client: pg.Client, table: string, rows: readonly object[]): Promise<void> => {
  const { rows: found } = await client.query<{ name: string; identity: boolean }>(
    `select attname as name, attidentity <> '' as identity from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  const names = found.map(({ name }) => `"${name}"`).join(', ');
  await client.query(
    `insert into ${table} (${names}) overriding system value
     select ${names} from json_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(rows)],
  );
  for (const { name } of found.filter(({ identity }) => identity)) {
    await client.query(`select setval(pg_get_serial_sequence($1, $2), (select max("${name}") from ${table}))`, [
      table,
      name,
    ]);
  }
};
