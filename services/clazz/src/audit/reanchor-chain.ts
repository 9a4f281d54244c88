import { AuditEntry, ID } from '@teaching/contracts';
import { computedMigration, tenantTable } from '@teaching/kit';
import { type ChainBreak, type ChainEntry, checkChain, GENESIS, type ChainHead, hashOf } from './chain.rules.ts';
import { toTextRows, detachTexts, peopleOfEntry } from './audit-texts.rules.ts';

const PAGE = 1_000;

/** Texts are stored beside the chain and can only be erased. The former hashes are kept. */
const TABLES = `
  alter table clazz_audit_log add column texts jsonb;

  create table audit_text (
    org_id uuid not null,
    digest text not null,
    key text,
    text text,
    people text[] not null,
    erased_at timestamptz(3),
    former_seq bigint,
    primary key (org_id, digest),
    check ((text is null) = (key is null) and (text is null) = (erased_at is not null))
  );
  create index audit_text_people on audit_text using gin (people) where text is not null;
  ${tenantTable('clazz', 'audit_text', { app: 'select, insert', worker: 'select, insert' })}
  grant update (key, text, people, erased_at) on audit_text to clazz_app;
  create function audit_texts_stay() returns trigger language plpgsql as $$
    begin
      if new.text is not null or new.digest <> old.digest then
        raise exception 'texts of the audit trail are never changed, only erased';
      end if;
      return new;
    end $$;
  create trigger texts_stay before update on audit_text for each row execute function audit_texts_stay();

  create table audit_anchor (
    org_id uuid primary key,
    entries bigint not null,
    hash_before text,
    hash text not null,
    at timestamptz(3) not null default now(),
    broken_seq bigint,
    broken_why text
  );
  ${tenantTable('clazz', 'audit_anchor', { app: 'select' })}
  grant update (hash_before) on audit_anchor to clazz_app;

  create table audit_former (
    org_id uuid not null,
    seq bigint not null,
    hash text not null,
    primary key (org_id, seq)
  );
  ${tenantTable('clazz', 'audit_former', { app: 'select, delete' })}
  alter table clazz_audit_log disable trigger entries_stay;

  -- Texts in rows that are otherwise never changed.
  grant update (note, reason) on mark_revision to clazz_app;
  grant update (reason) on hour_entry to clazz_app;
  create index mark_revision_texts on mark_revision (org_id, student_id) where note is not null or reason is not null;
`;

/**
 * SQL: the person of an entry whose changes do not name one: the student of an enrolment or leave, the teacher of a
 * lesson.
 */
const about = (entity: string, person: string): string =>
  `when l.entity = '${entity}' and l.entity_id ~ '^[0-9a-f-]{36}$'
   then (select e.${person} from ${entity} as e where e.org_id = l.org_id and e.id = l.entity_id::uuid)`;
const ENTRIES = `
  select (to_jsonb(l) || jsonb_build_object('occurred_at',
      to_char(l.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::text as entry,
    case ${about('enrolment', 'student_id')} ${about('leave', 'student_id')} ${about('lesson', 'teacher_id')} end as about
  from clazz_audit_log as l where l.org_id = ? and l.seq > ? order by l.seq limit ${PAGE}`;
const REWRITE = `
  update clazz_audit_log as l
  set reason = n.reason, changes = n.changes, texts = n.texts, prev_hash = n.prev_hash, hash = n.hash
  from json_populate_recordset(null::clazz_audit_log, ?) as n where l.org_id = n.org_id and l.seq = n.seq`;
const insertInto = (table: string): string =>
  `insert into ${table} select * from json_populate_recordset(null::${table}, ?)`;

/**
 * Removes texts from the logs as well. Lesson events lose the reason of a cancellation. Audit records that are in the
 * audit log keep only their number.
 */
const LOGS = `
  update log_entry set data = regexp_replace(data::text, '"cancel_reason":"([^"\\\\]|\\\\.)*"', '"cancel_reason":null', 'g')::json
  where log = 'domain' and data::text like '%"cancel_reason":"%';
  update log_entry as e set data = null from log_numbered as n
  where n.seq = e.seq and n.log = 'audit' and n.no <= (
    select min(no) from follower_position where follower = 'audit' and log = 'clazz.audit' and epoch = (
      select epoch from log_head where log = 'audit'));
`;

const CLOSE = `
  alter table clazz_audit_log enable trigger entries_stay, add check (reason is null);
`;

const FormerEntry = AuditEntry.omit({ texts: true }).extend({ clazz_id: ID.nullable() });

/** An entry in its former form, and the people it is about that its changes do not name. */
interface Former {
  entry: ChainEntry;
  about: string[];
}
const toFormer = (row: Record<string, unknown>): Former => ({
  entry: { ...FormerEntry.parse(JSON.parse(String(row['entry']))), texts: null },
  about: typeof row['about'] === 'string' ? [row['about']] : [],
});

/** The entries in their new form, from a head on. */
const toNewForm = (head: ChainHead, page: readonly Former[]) => {
  let { hash: prev_hash } = head;
  return page.map(({ entry: { hash: before, ...content }, about: more }) => {
    const people = [...new Set([...peopleOfEntry(content), ...more])];
    const { entry, texts } = detachTexts({ ...content, prev_hash }, people);
    const { org_id, seq } = entry;
    prev_hash = hashOf(entry);
    return {
      entry: { ...entry, hash: prev_hash },
      texts: toTextRows(org_id, texts, seq),
      former: { org_id, seq, hash: before },
    };
  });
};

type Run = Parameters<Parameters<typeof computedMigration>[2]>[0];

const convertChain = async (run: Run, org_id: string): Promise<void> => {
  let before: ChainHead = { entries: 0, hash: GENESIS };
  let now = before;
  let broken: ChainBreak | undefined;
  for (;;) {
    const page = (await run(ENTRIES, [org_id, now.entries])).map(toFormer);
    const last = page.at(-1)?.entry;
    if (last === undefined) break;
    const entries = page.map(({ entry }) => entry);
    broken ??= checkChain(before, entries).broken;
    before = { entries: last.seq, hash: last.hash };
    const next = toNewForm(now, page);
    now = { entries: last.seq, hash: next.at(-1)?.entry.hash ?? now.hash };
    await run(REWRITE, [JSON.stringify(next.map(({ entry }) => entry))]);
    await run(insertInto('audit_text'), [JSON.stringify(next.flatMap(({ texts }) => texts))]);
    await run(insertInto('audit_former'), [JSON.stringify(next.map(({ former }) => former))]);
  }
  const [head] = await run('select entries, hash from audit_head where org_id = ?', [org_id]);
  if (broken === undefined && (Number(head?.['entries']) !== before.entries || head?.['hash'] !== before.hash)) {
    broken = { seq: before.entries + 1, id: null, why: 'the chain does not end in its head' };
  }
  await run('update audit_head set entries = ?, hash = ? where org_id = ?', [now.entries, now.hash, org_id]);
  await run(
    `insert into audit_anchor (org_id, entries, hash_before, hash, broken_seq, broken_why) values (?, ?, ?, ?, ?, ?)`,
    [org_id, now.entries, before.hash, now.hash, broken?.seq ?? null, broken?.why ?? null],
  );
};

/**
 * Converts entries with texts to entries with digests, once.
 * The former chain is checked, and its hashes are kept. So `verify` can still compare each entry with its former hash,
 * and accepts exported heads of the former chain. A chain that was broken stays broken.
 */
export const moveTextsBesideChain = computedMigration('109_texts_beside_the_chain', TABLES, async (run) => {
  const orgs = await run('select org_id from audit_head where entries > 0 order by org_id');
  for (const { org_id } of orgs) await convertChain(run, String(org_id));
  await run(LOGS);
  await run(CLOSE);
});
