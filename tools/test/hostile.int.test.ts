import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type Fixture, startFixture } from './fixture.ts';
import { oneOfEach } from './one-of-each.ts';
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
}, 60000);
afterAll(() => fixture?.stop());
it('explores', async () => {
  const t0 = Date.now();
  await oneOfEach(fixture);
  const B = randomUUID();
  await oneOfEach({ ...fixture, org: B, as: (p) => fixture.as({ org: B, ...p }) });
  const out: unknown[] = [{ ms: Date.now() - t0 }];
  const tables = await fixture.sql<{
    name: string;
  }>(`select n.nspname || '.' || quote_ident(c.relname) as name from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('clazz', 'course', 'package', 'stats') and c.relkind in ('r', 'p')
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped) order by 1`);
  for (const { name } of tables)
    out.push(
      (await fixture.sql(`select '${name}' as t, count(*)::int n, count(distinct org_id)::int orgs from ${name}`))[0],
    );
  out.push(
    await fixture.sql(`select c.oid::regclass::text t, relkind, relacl::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('clazz', 'course', 'package', 'stats') and c.relkind in ('r','p','v','m','S') order by 1`),
  );
  out.push(
    await fixture.sql(`select p.oid::regprocedure::text f, proacl::text, prosecdef from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('clazz', 'course', 'package', 'stats')`),
  );
  out.push(
    await fixture.sql(`select indrelid::regclass::text t, pg_get_indexdef(indexrelid) d from pg_index x join pg_class c on c.oid=x.indrelid join pg_namespace n on n.oid=c.relnamespace
   where n.nspname in ('clazz', 'course', 'package', 'stats') and (indisunique or indisexclusion) order by 1`),
  );
  out.push(
    await fixture.sql(
      `select proname, provolatile, proleakproof from pg_proc where proname in ('convert_to','uuid_eq','texteq','text_lt','uuid_lt','sha256')`,
    ),
  );
  writeFileSync(
    '/tmp/w/hostile-explore.json',
    out.map((o) => (Array.isArray(o) ? o.map((x) => JSON.stringify(x)).join('\n') : JSON.stringify(o))).join('\n'),
  );
  expect(1).toBe(1);
}, 120000);
