import { createHash, createHmac, randomUUID } from 'node:crypto';
import {
  auditCalls,
  courseCalls,
  courseSectionCalls,
  dakaCalls,
  jihuaCalls,
  leaveCalls,
  lessonCalls,
  lianxiCalls,
  memberCalls,
  piyueCalls,
  rollCallCalls,
  statsCalls,
} from '@teaching/contracts';
import type { AuditEntry, ShownAuditEntry } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../tools/proofs/test/canonical-json.ts';
import { clazzWith, lessonAt } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';

let fixture: Fixture;
const { supervisor, teacher, student, stranger } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

/** The UTC date `days` days from now. */
const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const SECRET = 'Secretive';
let secretCount = 0;
/** A unique text that `tablesWith` finds in every table. */
const secret = (): string => `${SECRET} ${(secretCount += 1)}`;

const erase = (user_id: string) =>
  supervisor().ok(memberCalls.eraseMember, { path: { user_id }, body: { reason: 'asked for it' } });
const auditEntriesOf = async (id: string): Promise<ShownAuditEntry[]> =>
  (await supervisor().ok(auditCalls.listClazzAuditEntries, { path: { id }, query: { limit: '100' } })).items;
const verify = () => supervisor().ok(auditCalls.verifyAuditLog);

/** The hash of an entry, computed only from its answer as the API reference describes it. */
const hashFromAnswer = ({ hash: _out, texts, clazz_ids, clazz_id, ...shown }: ShownAuditEntry): string => {
  const { clazz_name: _clazz, clazz_names: _clazzes, actor_name: _actor, ...entry } = shown;
  const hashed: Record<string, unknown> = { ...structuredClone(entry), clazz_id: clazz_ids === null ? clazz_id : null };
  if (clazz_ids !== null) hashed['clazz_ids'] = clazz_ids;
  for (const { path } of texts ?? []) {
    const steps = path
      .slice(1)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = steps.pop() ?? '';
    const holder = steps.reduce<Record<string, unknown>>((at, step) => at[step] as Record<string, unknown>, hashed);
    holder[last] = null;
  }
  if (texts !== null) hashed['texts'] = texts.map(({ path, digest }) => ({ path, digest }));
  return createHash('sha256').update(canonicalJson(hashed)).digest('hex');
};
const textAt = (entry: AuditEntry, path: string): unknown =>
  path
    .slice(1)
    .split('/')
    .reduce<unknown>((at, step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      return typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined;
    }, entry);

/** The tables of all services with a row that contains the text. Rows of `idempotency_key` expire and do not count. */
const tablesWith = async (text: string): Promise<string[]> => {
  const tables = await fixture.sql<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema in ('clazz', 'course', 'stats', 'package') and table_type = 'BASE TABLE'
       and table_name <> 'idempotency_key'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await fixture.sql<{ n: number }>(
      `select count(*)::int as n from ${name} as t where t::text like '%' || $1 || '%'`,
      [text],
    );
    if ((row?.n ?? 0) > 0) found.push(name);
  }
  return found;
};

/** A class with a student for whom every free text field has a value. */
const schoolOf = async (person: string, other: string) => {
  const id = await clazzWith(supervisor(), [person, other], {
    lead_teacher_id: `lead-of-${person}`,
  });
  await supervisor().ok(memberCalls.putMembers, {
    body: {
      members: [
        { user_id: person, role: 'STUDENT', display_name: secret(), external_id: secret() },
        { user_id: other, role: 'STUDENT', display_name: 'Other' },
      ],
    },
  });
  const past = await lessonAt(supervisor(), id, new Date(Date.now() - 3 * 3_600_000).toISOString());
  const next = await lessonAt(supervisor(), id, new Date(Date.now() + 72 * 3_600_000).toISOString());
  const marks = (note: string) => [
    { student_id: person, mark: 'present' as const, note },
    { student_id: other, mark: 'late' as const, note: 'of the other' },
  ];
  await supervisor().ok(rollCallCalls.submitRollCall, {
    path: { lesson_id: past.id },
    body: { marks: marks(secret()) },
  });
  await supervisor().ok(rollCallCalls.submitRollCall, {
    path: { lesson_id: past.id },
    body: { marks: marks(secret()).slice(0, 1), reason: secret() },
  });
  const { items } = await supervisor().ok(leaveCalls.requestLeave, {
    body: { student_id: person, lesson_id: next.id, reason: secret() },
  });
  const leave_id = items[0]?.id ?? '';
  await supervisor().ok(leaveCalls.approveLeave, { path: { id: leave_id }, body: { reason: secret() } });
  return { id, past, leave_id };
};

describe('texts of the audit log', () => {
  it('are stored outside the chain, which has their digests, and an answer suffices to verify its hashes', async () => {
    const { id } = await schoolOf('anna', 'otto');
    const entries = await auditEntriesOf(id);
    const texts = entries.flatMap((entry) =>
      (entry.texts ?? []).map((ref) => ({ ...ref, text: textAt(entry, ref.path) })),
    );
    expect(texts.length).toBeGreaterThanOrEqual(6);
    for (const { text, key, digest } of texts) {
      expect(
        createHmac('sha256', Buffer.from(key ?? '', 'hex'))
          .update(String(text))
          .digest('hex'),
      ).toBe(digest);
    }
    for (const entry of entries) expect(hashFromAnswer(entry)).toBe(entry.hash);
    const chain = await fixture.sql('select 1 from clazz.clazz_audit_log as l where l::text like $1', [`%${SECRET}%`]);
    const log = await fixture.sql("select 1 from clazz.log_entry as l where log = 'audit' and l::text like $1", [
      `%${SECRET}%`,
    ]);
    expect([chain, log]).toEqual([[], []]);
  });

  it('break the chain if they are changed, or missing without an erasure', async () => {
    const before = await verify();
    expect(before.ok).toBe(true);
    const [storedText] = await fixture.sql<{ digest: string; text: string }>(
      `select digest, text from clazz.audit_text where org_id = $1 and text is not null limit 1`,
      [fixture.org],
    );
    const tamper = async (sql: string, value: unknown) => {
      await fixture.sql('alter table clazz.audit_text disable trigger user');
      await fixture.sql(sql, [storedText?.digest, value]);
      await fixture.sql('alter table clazz.audit_text enable trigger user');
    };
    await expect(fixture.sql("update clazz.audit_text set text = 'other'")).rejects.toThrow('never changed');
    await tamper('update clazz.audit_text set text = $2 where digest = $1', 'other');
    expect((await verify()).first_broken?.why).toMatch('does not match its digest');
    await tamper('update clazz.audit_text set text = $2 where digest = $1', storedText?.text);
    await tamper('update clazz.audit_text set org_id = $2::uuid where digest = $1', randomUUID());
    expect((await verify()).first_broken?.why).toMatch('missing');
    await tamper('update clazz.audit_text set org_id = $2::uuid where digest = $1', fixture.org);
    expect((await verify()).ok).toBe(true);
  });
});

describe('erasing a person', () => {
  it('removes the name and the texts from all services and nothing else, and the chain verifies', async () => {
    const { id, past, leave_id } = await schoolOf('berta', 'olga');
    const before = await auditEntriesOf(id);
    const figures = () =>
      supervisor().ok(statsCalls.getClazzStats, { path: { id }, query: { from: day(-30), to: day(30) } });
    await expect.poll(async () => (await figures()).totals, POLL_OPTIONS).toMatchObject({ present: 1, late: 1 });
    const figuresBefore = await figures();
    const answer = await erase('berta');
    expect(answer).toMatchObject({ user_id: 'berta', name: true });
    expect(answer.texts).toBeGreaterThanOrEqual(8);
    await erase('anna');
    // The statistics erase the name when the event reaches them.
    await expect.poll(() => tablesWith(SECRET), POLL_OPTIONS).toEqual([]);
    expect((await figures()).totals).toEqual(figuresBefore.totals);
    const after = await auditEntriesOf(id);
    expect(JSON.stringify(after)).not.toContain(SECRET);
    expect(JSON.stringify(after)).toContain('of the other');
    const hashes = new Map(after.map((entry) => [entry.seq, entry.hash]));
    for (const { seq, hash } of before) if (hashes.has(seq)) expect(hashes.get(seq)).toBe(hash);
    for (const entry of after) expect(hashFromAnswer(entry)).toBe(entry.hash);
    expect(await verify()).toMatchObject({ ok: true, complete: true, dead_letters: 0 });
    expect(after.find((entry) => entry.entity_id === 'berta' && entry.action === 'update')).toMatchObject({
      reason: 'asked for it',
      changes: { texts: { after: 0 } },
    });
    const { marks } = await supervisor().ok(rollCallCalls.getRollCall, { path: { lesson_id: past.id } });
    expect(marks).toMatchObject([
      { student_id: 'berta', mark: 'present', note: null },
      { student_id: 'olga', mark: 'late', note: 'of the other' },
    ]);
    const leaves = await supervisor().ok(leaveCalls.listLeaves, { query: { student_id: 'berta' } });
    expect(leaves.items).toMatchObject([{ id: leave_id, status: 'approved', reason: '' }]);
    expect((await supervisor().ok(memberCalls.listMembers, { query: { keyword: 'berta' } })).items).toEqual([]);
    expect((await supervisor().ok(memberCalls.listMembers, { query: { keyword: 'olga' } })).items).toHaveLength(1);
  });

  it('changes nothing when repeated, and is allowed only to supervisors of the person’s organization', async () => {
    const { entries } = await verify();
    expect(await erase('berta')).toEqual({ user_id: 'berta', name: false, texts: 0 });
    expect(await erase('nobody')).toEqual({ user_id: 'nobody', name: false, texts: 0 });
    expect((await verify()).entries).toBe(entries);
    const erasure = { path: { user_id: 'olga' }, body: { reason: 'mine' } };
    await expect(teacher().ok(memberCalls.eraseMember, erasure)).rejects.toThrow('403');
    expect(await stranger().ok(memberCalls.eraseMember, erasure)).toEqual({ user_id: 'olga', name: false, texts: 0 });
    expect((await supervisor().ok(memberCalls.listMembers, { query: { keyword: 'olga' } })).items).toHaveLength(1);
  });

  it('is permanent: rebuilt statistics contain the same members, without the erased name', async () => {
    await schoolOf('clara', 'oskar');
    const names = () =>
      fixture.sql(
        'select user_id, display_name from stats.member where gen = (select max(gen) from stats.generation) order by 1',
      );
    await expect.poll(names, POLL_OPTIONS).toContainEqual(expect.objectContaining({ user_id: 'clara' }));
    await erase('clara');
    await expect.poll(names, POLL_OPTIONS).toContainEqual({ user_id: 'clara', display_name: '' });
    const live = await names();
    const { rebuildStatistics } = await import('../../stats/test/rebuild-statistics.ts');
    await rebuildStatistics(fixture);
    expect(await names()).toEqual(live);
    expect(await tablesWith(SECRET)).toEqual([]);
  });

  it('removes all texts of a parallel transaction, or none of them', async () => {
    const { past } = await schoolOf('dora', 'ole');
    const note = (text: string) =>
      supervisor().ok(rollCallCalls.submitRollCall, {
        path: { lesson_id: past.id },
        body: { marks: [{ student_id: 'dora', mark: 'late', note: text }], reason: text },
      });
    const putName = (display_name: string) =>
      supervisor().ok(memberCalls.putMembers, {
        body: { members: [{ user_id: 'dora', role: 'STUDENT', display_name }] },
      });
    for (let round = 0; round < 6; round += 1) {
      const [written, displayName] = [secret(), secret()];
      await Promise.all([note(written), erase('dora'), putName(displayName)]);
      const rows = await fixture.sql<{ note: string | null; reason: string | null }>(
        'select note, reason from clazz.mark_revision where org_id = $1 and student_id = $2 order by revision desc limit 1',
        [fixture.org, 'dora'],
      );
      const auditTexts = await fixture.sql('select text from clazz.audit_text where text = $1', [written]);
      expect(auditTexts).toHaveLength(rows[0]?.note === null ? 0 : 2);
      const directory = await fixture.sql<{ display_name: string }>(
        'select display_name from clazz.member where org_id = $1 and user_id = $2',
        [fixture.org, 'dora'],
      );
      const shown = async () => {
        const [row] = await fixture.sql<{ display_name: string }>(
          `select display_name from stats.member where org_id = $1 and user_id = 'dora'
             and gen = (select gen from stats.generation where state = 'current')`,
          [fixture.org],
        );
        return row?.display_name;
      };
      await expect.poll(shown, POLL_OPTIONS).toBe(directory[0]?.display_name ?? '');
    }
    await erase('dora');
    await expect.poll(() => tablesWith(SECRET), POLL_OPTIONS).toEqual([]);
    expect(await verify()).toMatchObject({ ok: true, complete: true, dead_letters: 0 });
  });

  it('of a teacher removes the cancel reasons of their lessons, and keeps notes about students', async () => {
    const { id } = await schoolOf('emil', 'orla');
    const [cancelReason, lead] = [secret(), 'lead-of-emil'];
    const cancelled = await lessonAt(supervisor(), id, new Date(Date.now() + 48 * 3_600_000).toISOString());
    await supervisor().ok(lessonCalls.cancelLesson, {
      path: { lesson_id: cancelled.id },
      query: {},
      body: { reason: cancelReason },
    });
    const entry = (await auditEntriesOf(id)).find((one) => one.entity_id === cancelled.id && one.action === 'update');
    expect(entry).toMatchObject({
      reason: cancelReason,
      changes: { cancel_reason: { before: null, after: cancelReason } },
    });
    expect((await tablesWith(cancelReason)).toSorted()).toEqual(['clazz.audit_text', 'clazz.lesson']);
    await erase(lead);
    expect(await tablesWith(cancelReason)).toEqual([]);
    expect((await tablesWith(SECRET)).toSorted()).toContain('clazz.mark_revision');
    expect((await verify()).ok).toBe(true);
    await erase('emil');
    await expect.poll(() => tablesWith(SECRET), POLL_OPTIONS).toEqual([]);
  });

  it('removes the texts of attempts, marks and check-ins, and keeps scores', async () => {
    const course = await teacher().ok(courseCalls.createCourse, { body: { title: 'Essays', status: 'active' } });
    const section = await teacher().ok(courseSectionCalls.createCourseSection, {
      path: { course_id: course.id },
      body: { title: 'One' },
    });
    const content = { questions: [{ id: 'q', kind: 'free_text', prompt: 'why?', points: 10 } as const] };
    const exercise = await teacher().ok(lianxiCalls.createLianxi, {
      body: { title: 'Essay', course_section_id: section.id, content, student_ids: ['fritz'] },
    });
    const attempt = await student('fritz').ok(lianxiCalls.submitLianxi, {
      path: { id: exercise.id },
      body: { answers: { q: secret() } },
    });
    await teacher().ok(piyueCalls.claimSubmission, { path: { submission_id: attempt.id } });
    const rubric = [{ criterion: 'style', points: '3', comment: secret() }];
    await teacher().ok(piyueCalls.markSubmission, {
      path: { submission_id: attempt.id },
      body: { score: '7', comment: secret(), rubric },
    });
    const plan = await teacher().ok(jihuaCalls.createJihua, {
      body: { title: 'Plan', starts_on: day(-1), ends_on: day(5), zone: 'UTC', student_ids: ['fritz'] },
    });
    await student('fritz').ok(dakaCalls.putDaka, { body: { jihua_id: plan.id, content: { text: secret() } } });
    expect((await erase('fritz')).texts).toBe(3);
    expect(await tablesWith(SECRET)).toEqual([]);
    const { items } = await teacher().ok(lianxiCalls.listSubmissions, { path: { id: exercise.id }, query: {} });
    expect(items).toMatchObject([
      { answers: {}, score: '7.00', comment: null, rubric: [{ criterion: 'style', points: '3.00' }] },
    ]);
  });
});
