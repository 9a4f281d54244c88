import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Clazz,
  clazzEvents,
  ClazzFields,
  courseEvents,
  type ENTRY_KINDS,
  type EventData,
  type EventDef,
  type Lesson,
  LessonFields,
  type Mark,
} from '@teaching/contracts';
import { createPool } from '../../../libs/kit/src/db/pool.ts';
import { inWorkerTransaction, type WorkerDeps } from '../../../libs/kit/src/log/worker-transaction.ts';
import { createLogger, type ReceivedEvent } from '../../../libs/kit/src/index.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { projectBatch } from '../src/generations/statistics-follower.ts';
import { STATISTICS_TABLES, readTables } from './rebuild-statistics.ts';

let fixture: Fixture;
let deps: WorkerDeps;
let pool: ReturnType<typeof createPool>;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'stats'] });
  pool = createPool(fixture.envFor('stats')['WORKER_DATABASE_URL'] ?? '', 2, 'test', createLogger('test', 'silent'));
  deps = { pool, clock: () => new Date(), onEvents: () => {} };
});
afterAll(async () => {
  await pool?.end();
  await fixture?.stop();
});

const AT = '2026-11-20T10:00:00.000Z';
const LATER = '2026-11-27T10:00:00.000Z';
const id = (): string => crypto.randomUUID();

/** An event as a follower receives it. */
const event = <E extends EventDef>({ type, service }: E, seq: number, data: EventData<E>): ReceivedEvent => ({
  specversion: '1.0',
  id: id(),
  source: `/${service}`,
  type,
  subject: 'aggregate',
  time: AT,
  datacontenttype: 'application/json',
  orgid: fixture.org,
  txid: id(),
  actor: 'teacher-1',
  requestid: id(),
  sequence: String(seq).padStart(16, '0'),
  data,
});

const lessonOf = (clazz_id: string, fields: Partial<Lesson>): Lesson => ({
  id: id(),
  org_id: fixture.org,
  clazz_id,
  series_id: null,
  ...LessonFields.withDefaults(
    { starts_at: AT, ends_at: AT.replace('T10', 'T11') },
    { zone: 'UTC', teacher_id: 'teacher-1' },
  ),
  status: 'scheduled',
  cancelled_by: null,
  cancel_reason: null,
  reason_public: false,
  version: 1,
  created_at: AT,
  updated_at: AT,
  ...fields,
});
const clazzOf = (clazz_id: string, name: string, version: number): Clazz => ({
  id: clazz_id,
  org_id: fixture.org,
  ...ClazzFields.withDefaults({ name, lead_teacher_id: 'teacher-1' }, {}),
  assistant_ids: [],
  status: 'active',
  completed_at: null,
  version,
  created_at: AT,
  updated_at: AT,
});
const markOf = (student_id: string, mark: Mark | null, revision: number) => ({
  student_id,
  mark,
  revision,
  marked_by: 'teacher-1',
  marked_at: AT,
  charged_hours: mark === null ? '0.00' : '1.00',
});

type Enrolments = EventData<typeof clazzEvents.enrolmentChanged>['enrolments'];
type Accounts = EventData<typeof clazzEvents.accountsMoved>['accounts'];

/** Events of two classes, with every kind of change of lessons, marks, enrolments, hours and leave. */
const history = (): ReceivedEvent[] => {
  const [a, b] = [id(), id()];
  const enrolment = (
    clazz_id: string,
    student_id: string,
    since: string,
    until: string | null,
  ): Enrolments[number] => ({
    id: `${clazz_id.slice(0, -4)}${student_id === 'ann' ? '0001' : '0002'}`,
    clazz_id,
    student_id,
    status: until === null ? 'active' : 'withdrawn',
    since,
    until,
    periods: [{ since, until }],
  });
  const [held, moved, deleted, cancelled] = [lessonOf(a, {}), lessonOf(a, {}), lessonOf(b, {}), lessonOf(b, {})];
  const lot = { id: id(), kind: 'paid', granted: '10.00', expires_at: null };
  const entry = (kind: (typeof ENTRY_KINDS)[number], amount: string) => ({
    id: id(),
    kind,
    lot_id: lot.id,
    amount,
    lesson_id: null,
    clazz_id: null,
    created_at: AT,
  });
  const leave = { id: id(), clazz_id: a, lesson_id: held.id, student_id: 'ben', in_time: true, requested_at: AT };
  const marking = { submission_id: id(), lianxi_id: id(), student_id: 'ann', submitted_at: AT };
  const ann = { user_id: 'ann', role: 'STUDENT' as const, roles: ['STUDENT' as const], status: 'active' as const };
  let seq = 0;
  const next = <E extends EventDef>(def: E, data: EventData<E>): ReceivedEvent => event(def, (seq += 1), data);
  const common = { clazz_id: a, marked_by: 'teacher-1', marked_at: AT };
  const second = ({ marked_by: _by, marked_at: _at, ...mark }: ReturnType<typeof markOf>) => mark;
  const gift = { id: id(), kind: 'gift', granted: '5.00', expires_at: LATER };
  const accountsMoved = (accounts: Accounts, lesson_id: string | null = null): ReceivedEvent =>
    next(clazzEvents.accountsMoved, { created_at: AT, lesson_id, clazz_id: lesson_id && a, accounts });
  const withoutContext = ({
    lesson_id: _lesson,
    clazz_id: _clazz,
    created_at: _at,
    ...rest
  }: ReturnType<typeof entry>) => rest;
  return [
    next(clazzEvents.enrolmentChanged, {
      clazz_id: a,
      enrolments: [enrolment(a, 'ann', '2026-01-01T00:00:00.000Z', null)],
    }),
    next(clazzEvents.enrolmentChanged, {
      clazz_id: a,
      enrolments: [enrolment(a, 'ben', '2026-01-01T00:00:00.000Z', null)],
    }),
    next(clazzEvents.enrolmentChanged, {
      clazz_id: b,
      enrolments: [enrolment(b, 'ann', '2026-01-01T00:00:00.000Z', null)],
    }),
    next(clazzEvents.lessonChanged, { clazz_id: a, lessons: [held, moved] }),
    next(clazzEvents.lessonChanged, { clazz_id: b, lessons: [deleted, cancelled] }),
    next(clazzEvents.rollCallRecorded, {
      clazz_id: a,
      lesson: { ...held, status: 'held', version: 2 },
      marks: [markOf('ann', 'present', 1), markOf('ben', 'absent', 1), markOf('guest', 'makeup', 1)],
    }),
    next(clazzEvents.rollCallRecorded, {
      clazz_id: a,
      lesson: { ...moved, status: 'held', version: 2 },
      marks: [markOf('ann', 'late', 1)],
    }),
    // A lesson with marks moves to another day and another teacher.
    next(clazzEvents.lessonChanged, {
      clazz_id: a,
      lessons: [{ ...moved, status: 'held', starts_at: LATER, ends_at: LATER, teacher_id: 'teacher-2', version: 3 }],
    }),
    next(clazzEvents.rollCallRecorded, {
      clazz_id: a,
      lesson: { ...held, status: 'held', version: 2 },
      marks: [markOf('ben', 'leave', 2)],
    }),
    next(clazzEvents.rollCallRecorded, {
      clazz_id: b,
      lesson: { ...cancelled, status: 'held', version: 2 },
      marks: [markOf('ann', 'present', 1)],
    }),
    next(clazzEvents.lessonChanged, { clazz_id: b, lessons: [{ ...cancelled, status: 'cancelled', version: 3 }] }),
    next(clazzEvents.lessonDeleted, { clazz_id: b, lesson_ids: [deleted.id] }),
    next(clazzEvents.enrolmentChanged, {
      clazz_id: a,
      enrolments: [enrolment(a, 'ben', '2026-01-01T00:00:00.000Z', AT)],
    }),
    next(clazzEvents.hoursMoved, {
      student_id: 'ann',
      balance: '10.00',
      entries: [entry('grant', '10.00')],
      lots: [{ ...lot, remaining: '10.00' }],
    }),
    next(clazzEvents.hoursMoved, {
      student_id: 'ann',
      balance: '9.00',
      entries: [entry('consume', '-1.00')],
      lots: [{ ...lot, remaining: '9.00' }],
    }),
    // Events contain only the entries of ben's account, without sums.
    next(clazzEvents.hoursMoved, {
      student_id: 'ben',
      balance: '4.00',
      entries: [entry('grant', '5.00'), entry('consume', '-2.00'), entry('reverse', '1.00')],
      lots: [{ ...lot, id: gift.id, remaining: '4.00', expires_at: LATER }],
    }),
    // From here on the newer events: marks of two lessons, one mark revised twice, and accounts with their sums.
    next(clazzEvents.rollCallsRecorded, {
      ...common,
      lessons: [
        {
          lesson: { ...held, status: 'held', version: 2 },
          marks: [second(markOf('cho', 'absent', 1)), second(markOf('cho', 'late', 2))],
        },
        {
          lesson: { ...moved, status: 'held', starts_at: LATER, ends_at: LATER, teacher_id: 'teacher-2', version: 3 },
          marks: [second(markOf('cho', 'present', 1))],
        },
      ],
    }),
    accountsMoved(
      [
        {
          student_id: 'ann',
          balance: '7.50',
          granted: '10.00',
          consumed: '2.50',
          entries: [withoutContext(entry('consume', '-1.50'))],
          lots: [{ ...lot, remaining: '7.50' }],
        },
        {
          student_id: 'cho',
          balance: '4.00',
          granted: '5.00',
          consumed: '1.00',
          entries: [
            withoutContext(entry('grant', '5.00')),
            { ...withoutContext(entry('consume', '-1.00')), lesson_id: moved.id },
          ],
          lots: [{ ...gift, id: id(), remaining: '4.00' }],
        },
      ],
      held.id,
    ),
    accountsMoved([
      {
        student_id: 'cho',
        balance: '14.00',
        granted: '15.00',
        consumed: '1.00',
        entries: [withoutContext(entry('grant', '10.00'))],
        lots: [],
      },
    ]),
    next(clazzEvents.leaveChanged, {
      clazz_id: a,
      leaves: [{ ...leave, status: 'approved', decided_by: 'teacher-1', decided_at: AT }],
    }),
    next(clazzEvents.leaveChanged, {
      clazz_id: a,
      leaves: [{ ...leave, status: 'rejected', decided_by: 'teacher-2', decided_at: LATER }],
    }),
    // The later event has the lower version. The offset in the log decides, not the version.
    next(clazzEvents.clazzChanged, { change: 'updated', clazz: clazzOf(a, 'first name', 5) }),
    next(clazzEvents.clazzChanged, { change: 'updated', clazz: clazzOf(a, 'second name', 4) }),
    next(courseEvents.membersChanged, { members: [{ user_id: 'ann', role: 'STUDENT', display_name: 'A' }] }),
    next(courseEvents.membersChanged, { members: [{ user_id: 'ann', role: 'STUDENT', display_name: 'An' }] }),
    next(clazzEvents.memberChanged, { members: [{ ...ann, display_name: 'Anne' }] }),
    next(clazzEvents.memberChanged, { members: [{ ...ann, display_name: 'Ann' }] }),
    next(courseEvents.submissionMarked, { ...marking, marker_id: 'teacher-1', marked_at: AT, revision: 1 }),
    next(courseEvents.submissionMarked, { ...marking, marker_id: 'teacher-2', marked_at: LATER, revision: 2 }),
  ];
};

const shuffled = <T>(list: readonly T[], seed: number): T[] => {
  let state = seed;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return list
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
};

const clear = (): Promise<unknown> =>
  fixture.sql(`truncate ${STATISTICS_TABLES.map((table) => `stats.${table}`).join(', ')}`);

/** All rows of the statistics after these batches of events. */
const rowsAfter = async (batches: readonly ReceivedEvent[][]): Promise<Record<string, unknown>> => {
  await clear();
  for (const batch of batches) await inWorkerTransaction(deps, (tx) => projectBatch(batch)(tx, 1));
  return readTables(fixture, fixture.org);
};

describe('The order of events', () => {
  it('does not change the statistics, nor do batches or repeated events', async () => {
    const events = history();
    const expected = await rowsAfter(events.map((one) => [one]));
    const marked = (at: string, fields: object) => ({ row: expect.objectContaining({ at, ...fields }) });
    const [first, second] = ['2026-11-20T10:00:00+00:00', '2026-11-27T10:00:00+00:00'];
    expect(expected['mark']).toHaveLength(7);
    expect(expected['mark']).toEqual(
      expect.arrayContaining([
        marked(first, { student_id: 'ann', mark: 'present', counts: true }),
        marked(second, { student_id: 'ann', mark: 'late', counts: true }),
        // The mark of the cancelled lesson does not count, but its charge remains until it is reversed.
        marked(first, { student_id: 'ann', mark: 'present', counts: false, charged_hours: 1 }),
        marked(first, { student_id: 'ben', mark: 'leave', counts: true }),
        marked(first, { student_id: 'guest', mark: 'makeup', counts: true }),
        marked(first, { student_id: 'cho', mark: 'late', revision: 2 }),
        marked(second, { student_id: 'cho', mark: 'present', revision: 1 }),
      ]),
    );
    const account = (student_id: string, granted: number, consumed: number, balance: number, seq: unknown) => ({
      row: expect.objectContaining({ student_id, granted, consumed, balance, seq }),
    });
    expect(expected['account']).toEqual(
      expect.arrayContaining([
        account('ann', 10, 2.5, 7.5, expect.any(Number)),
        account('ben', 5, 1, 4, 0),
        account('cho', 15, 1, 14, expect.any(Number)),
      ]),
    );
    expect(expected['org_account']).toEqual([
      { row: expect.objectContaining({ granted: 30, consumed: 4.5, balance: 25.5 }) },
    ]);
    // The charge of a lesson is stored with its mark. From events of accounts only the other entries are stored.
    const kinds = (expected['entry'] as { row: { student_id: string; kind: string } }[])
      .map(({ row }) => row)
      .filter(({ student_id }) => student_id === 'cho')
      .map(({ kind }) => kind);
    expect(kinds).toEqual(['grant', 'grant']);
    expect(expected['entry']).toHaveLength(7);
    expect(expected['clazz']).toEqual([{ row: expect.objectContaining({ name: 'second name' }) }]);
    expect(expected['member']).toEqual([{ row: expect.objectContaining({ display_name: 'Ann' }) }]);
    expect(expected['marking']).toEqual([{ row: expect.objectContaining({ marker_id: 'teacher-1', revision: 1 }) }]);
    expect(await rowsAfter([events])).toEqual(expected);
    for (let seed = 1; seed <= 12; seed += 1) {
      const mixed = shuffled([...events, ...events], seed);
      const size = 1 + (seed % 5);
      const batches = Array.from({ length: Math.ceil(mixed.length / size) }, (_, n) =>
        mixed.slice(n * size, (n + 1) * size),
      );
      expect(await rowsAfter(batches), `seed ${seed}`).toEqual(expected);
    }
  });
});
