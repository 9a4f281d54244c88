import { hourCalls, ledgerCalls, leaveCalls, lessonCalls, memberCalls, policyCalls } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { codeOf, expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import { clazzWith, lessonAt } from '../../../tools/proofs/test/clazz.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';

const clock = clockAt('2050-03-01T00:00:00Z');
let fixture: Fixture;
const { supervisor, student } = peopleOf(() => fixture);
const mum = () => fixture.as({ role: 'GUARDIAN', sub: 'mum' });
const dad = () => fixture.as({ role: 'GUARDIAN', sub: 'dad' });
/** A teacher who is also the guardian of a student. */
const tess = () => fixture.as({ role: ['TEACHER', 'GUARDIAN'], sub: 'tess' });
/** A student who is also the guardian of a younger one. */
const big = () => fixture.as({ role: ['STUDENT', 'GUARDIAN'], sub: 'big' });

const link = (student_id: string, ...guardians: { user_id: string; relation?: string; money: boolean }[]) =>
  supervisor().ok(memberCalls.putGuardians, { path: { user_id: student_id }, body: { guardians } });

let [music, chess, math] = ['', '', ''];
const NAMES = {
  kim: 'STUDENT',
  lea: 'STUDENT',
  big: 'STUDENT',
  nil: 'STUDENT',
  mum: 'GUARDIAN',
  dad: 'GUARDIAN',
  tess: 'TEACHER',
} as const;

beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'], clock: clock.now });
  const members = Object.entries(NAMES).map(([user_id, role]) => ({ user_id, role, display_name: `The ${user_id}` }));
  await supervisor().ok(memberCalls.putMembers, { body: { members } });
  await link(
    'kim',
    { user_id: 'mum', money: true },
    { user_id: 'dad', money: false },
    { user_id: 'tess', money: true },
  );
  await link('lea', { user_id: 'mum', money: false }, { user_id: 'big', money: false });
  music = await clazzWith(supervisor(), ['kim', 'big'], { name: 'Music' });
  chess = await clazzWith(supervisor(), ['lea', 'nil'], { name: 'Chess', lead_teacher_id: 'tim' });
  math = await clazzWith(supervisor(), ['nil'], { name: 'Math', lead_teacher_id: 'tess' });
});
afterAll(() => fixture?.stop());

/** The status and error code of each path, as the caller reads it. */
const codesOf = async (api: Api, ...paths: `/${string}`[]): Promise<string[]> => {
  const answers = await Promise.all(paths.map((path) => api.get(path)));
  return answers.map(codeOf);
};
const JSON_TYPE = { 'content-type': 'application/json' };
const NOT_FOUND = '404 not_found';

describe('a guardian', () => {
  it('requests leave for a child, books and undoes the make-up, and is recorded as the actor', async () => {
    const missed = await lessonAt(supervisor(), music, '2050-03-10T10:00:00Z');
    const host = await lessonAt(supervisor(), chess, '2050-03-12T10:00:00Z');
    const requestLeave = (student_id?: string) =>
      mum().post('/clazz/leave', { student_id, lesson_id: missed.id, reason: 'ill' });
    expect(codeOf(await requestLeave())).toBe('400 invalid_request');
    expect((await requestLeave()).body.errors).toMatchObject([{ path: '/body/student_id' }]);
    expect(codeOf(await requestLeave('nil'))).toBe(NOT_FOUND);
    expect(codeOf(await requestLeave('lea'))).toBe(NOT_FOUND);
    const leave = expectOk(await requestLeave('kim'), 201).items[0];
    expect(leave).toMatchObject({ student_id: 'kim', requested_by: 'mum', status: 'pending' });
    const path = { id: leave?.id ?? '' };
    await supervisor().ok(leaveCalls.approveLeave, { path });
    const options = await mum().ok(leaveCalls.listMakeUpOptions, { path });
    expect(options.items.map(({ id }) => id)).toEqual([host.id]);
    const booked = await mum().ok(leaveCalls.bookMakeUp, { path, body: { lesson_id: host.id } });
    expect(booked.make_up).toMatchObject({ status: 'used', lesson_id: host.id });
    expect(
      codeOf(await mum().send('DELETE', `/clazz/leave/${path.id}/make-up`, '{"student_id":"lea"}', JSON_TYPE)),
    ).toBe(NOT_FOUND);
    await mum().ok(leaveCalls.undoMakeUp, { path });
    const cancelled = await mum().ok(leaveCalls.cancelLeave, { path, body: { student_id: 'kim' } });
    expect(cancelled).toMatchObject({ status: 'cancelled', cancelled_by: 'mum' });
    const { items } = expectOk(await supervisor().get('/clazz/audit-log?entity=leave&actor_id=mum'));
    expect(items.map(({ action, actor_roles }) => [action, ...actor_roles])).toContainEqual(['create', 'GUARDIAN']);
    expect(expectOk(await supervisor().get('/clazz/audit-log?entity=leave&actor_id=kim')).items).toEqual([]);
  });

  it('of siblings in two classes reads records of both by id, and lists of one child per request', async () => {
    const [of_kim, of_lea, of_nil] = await Promise.all([
      lessonAt(supervisor(), music, '2050-04-10T10:00:00Z'),
      lessonAt(supervisor(), chess, '2050-04-10T10:00:00Z'),
      lessonAt(supervisor(), math, '2050-04-10T12:00:00Z'),
    ]);
    const lesson = ({ id }: { id: string }) => `/clazz/lesson/${id}` as const;
    expect(
      await codesOf(mum(), lesson(of_kim), lesson(of_lea), lesson(of_nil), `${lesson(of_lea)}?student_id=kim`),
    ).toEqual(['200', '200', NOT_FOUND, NOT_FOUND]);
    expect(await codesOf(mum(), `/clazz/${music}`, `/clazz/${chess}`, `/clazz/${math}/lesson`)).toEqual([
      '200',
      '200',
      NOT_FOUND,
    ]);
    const week = 'from=2050-04-01T00:00:00Z&to=2050-05-01T00:00:00Z';
    const lessonsOf = async (id: string, list: 'lesson' | 'lesson/my' = 'lesson') =>
      expectOk(await mum().get(`/clazz/${list}?${week}&student_id=${id}` as '/clazz/lesson')).items.map((it) => it.id);
    expect([await lessonsOf('kim'), await lessonsOf('lea')]).toEqual([[of_kim.id], [of_lea.id]]);
    expect(await lessonsOf('lea', 'lesson/my')).toEqual([of_lea.id]);
    expect(
      await codesOf(
        mum(),
        '/clazz/lesson',
        '/clazz/lesson?student_id=nil',
        '/clazz?student_id=kim,lea',
        '/clazz/leave',
      ),
    ).toEqual(['400 invalid_request', NOT_FOUND, '400 invalid_request', '400 invalid_request']);
    expect(await codesOf(mum(), '/clazz?student_id=kim,nil')).toEqual([NOT_FOUND]);
  });

  it('has a separate calendar feed for each child, until the link is removed', async () => {
    const feedOf = async (api: Api, student_id?: string): Promise<`/${string}`> =>
      `/${expectOk(await api.post('/clazz/calendar/feed', { student_id }), 201).url}`;
    const [own, hers, of_lea, his] = [
      await feedOf(student('kim')),
      await feedOf(mum(), 'kim'),
      await feedOf(mum(), 'lea'),
      await feedOf(dad(), 'kim'),
    ];
    const anonymous = fixture.raw();
    expect(await codesOf(anonymous, own, hers, of_lea, his)).toEqual(['200', '200', '200', '200']);
    for (const [feed, name] of [
      [own, 'Lessons'],
      [hers, 'The kim · Lessons'],
      [of_lea, 'The lea · Lessons'],
    ] as const)
      expect((await anonymous.get(feed)).body).toContain(`\r\nX-WR-CALNAME:${name}\r\n`);
    expect((await anonymous.get(hers)).body).toContain('Music');
    expect((await anonymous.get(of_lea)).body).toContain('Chess');
    expect((await anonymous.get(of_lea)).body).not.toContain('Music');
    const newer = await feedOf(mum(), 'kim');
    expect(await codesOf(anonymous, own, hers, of_lea, his, newer)).toEqual(['200', NOT_FOUND, '200', '200', '200']);
    expect(codeOf(await student('kim').post('/clazz/calendar/feed', { student_id: 'lea' }))).toBe('403 forbidden');
    expect(codeOf(await supervisor().post('/clazz/calendar/feed', { student_id: 'lea' }))).toBe('403 forbidden');
    expect(codeOf(await mum().post('/clazz/calendar/feed'))).toBe('400 invalid_request');
    expect(codeOf(await mum().post('/clazz/calendar/feed', { student_id: 'nil' }))).toBe(NOT_FOUND);
    await link('lea', { user_id: 'big', money: false });
    expect(await codesOf(anonymous, of_lea, newer)).toEqual([NOT_FOUND, '200']);
    expect(await codesOf(mum(), '/clazz/lesson?student_id=lea', `/clazz/${chess}`)).toEqual([NOT_FOUND, NOT_FOUND]);
    await link('lea', { user_id: 'mum', money: false }, { user_id: 'big', money: false });
    expect(await codesOf(anonymous, of_lea)).toEqual([NOT_FOUND]);
    expect(await codesOf(mum(), `/clazz/${chess}`)).toEqual(['200']);
    expect((await dad().send('DELETE', '/clazz/calendar/feed', '{"student_id":"kim"}', JSON_TYPE)).status).toBe(204);
    expect(await codesOf(anonymous, own, newer, his)).toEqual(['200', '200', NOT_FOUND]);
  });

  it('gets a replayed answer only for their own Idempotency-Key', async () => {
    const { id } = await lessonAt(supervisor(), music, '2050-05-10T10:00:00Z');
    const requestLeave = (api: Api) =>
      api.post('/clazz/leave', { student_id: 'kim', lesson_id: id, reason: 'x' }, { 'idempotency-key': 'k' });
    const first = expectOk(await requestLeave(mum()), 201);
    expect(expectOk(await requestLeave(mum()), 201)).toEqual(first);
    expect(codeOf(await requestLeave(dad()))).toBe('409 leave_exists');
    expect(codeOf(await requestLeave(student('kim')))).toBe('409 leave_exists');
    expect(await codesOf(dad(), `/clazz/leave/${first.items[0]?.id}`)).toEqual(['200']);
  });
});

describe('a guardian with another role', () => {
  it('acts as a teacher where that role suffices, and otherwise for the child', async () => {
    const own = await lessonAt(supervisor(), math, '2050-06-10T10:00:00Z');
    const { id } = await lessonAt(supervisor(), music, '2050-06-11T10:00:00Z');
    expect(await codesOf(tess(), `/clazz/lesson/${own.id}`, '/clazz/lesson', '/clazz/hour/account/nil')).toEqual([
      '200',
      '200',
      '200',
    ]);
    expect(await codesOf(tess(), '/clazz/hour/account/kim', '/clazz/hour/account/lea')).toEqual(['200', NOT_FOUND]);
    const body = { student_id: 'kim', lesson_id: id, reason: 'trip' };
    const requestLeave = () => tess().ok(leaveCalls.requestLeave, { body }, { 'idempotency-key': 'tess' });
    const requested = await requestLeave();
    expect(await requestLeave()).toEqual(requested);
    expect(requested.items).toMatchObject([{ student_id: 'kim', requested_by: 'tess' }]);
    const path = { lesson_id: own.id };
    expect(await tess().ok(lessonCalls.getLesson, { path })).toMatchObject({ id: own.id });
  });

  it('as an older sibling reads own records, or those of the sibling that the request names', async () => {
    const ids = async (path: '/clazz' | `/clazz?${string}`) =>
      expectOk(await big().get(path)).items.map(({ id }) => id);
    expect(await ids('/clazz')).toEqual([music]);
    expect(await ids('/clazz?student_id=lea')).toEqual([chess]);
    expect(await codesOf(big(), `/clazz/${chess}`, `/clazz/${music}`, `/clazz/${music}?student_id=lea`)).toEqual([
      '200',
      '200',
      NOT_FOUND,
    ]);
    expect(await codesOf(big(), '/clazz?student_id=kim', `/clazz/${math}`)).toEqual([NOT_FOUND, NOT_FOUND]);
    expect(await codesOf(student('big'), '/clazz?student_id=lea', `/clazz/${chess}?student_id=lea`)).toEqual([
      '403 forbidden',
      NOT_FOUND,
    ]);
  });
});

describe('the price of hours', () => {
  const PAID = { price_minor: 9_000, currency: 'EUR' };
  const HIDDEN = { price_minor: null, currency: null };
  let entry_id = '';
  beforeAll(async () => {
    await supervisor().ok(hourCalls.grantHours, { body: { student_id: 'kim', hours: 10, ...PAID } });
    const { items } = await supervisor().ok(ledgerCalls.listHourEntries, {
      query: { student_id: 'kim', kind: 'grant' },
    });
    entry_id = items[0]?.id ?? '';
  });
  /** The price of a student's hours as the caller sees it: in lots, in the ledger, and in receipts as JSON and HTML. */
  const seenBy = async (api: Api, student_id = 'kim') => {
    const path = { student_id };
    const { balance, lots } = await api.ok(hourCalls.getHourAccount, { path });
    const entries = await api.ok(hourCalls.listStudentHourEntries, { path });
    const receipts = await Promise.all(
      [undefined, 'text/html'].map((accept) =>
        api.send('GET', `/clazz/hour/entry/${entry_id}/receipt`, undefined, accept === undefined ? {} : { accept }),
      ),
    );
    const price = ({ price_minor, currency }: { price_minor: number | null; currency: string | null }) => ({
      price_minor,
      currency,
    });
    expect(balance).toBe('10.00');
    return [...lots.map(price), ...entries.items.map(price), ...receipts.map(codeOf)];
  };
  const SHOWN = [PAID, PAID, '200', '200'];
  const NOT_SHOWN = [HIDDEN, HIDDEN, NOT_FOUND, NOT_FOUND];

  it('is shown to guardians whose link allows it; all guardians see the balance', async () => {
    expect(await seenBy(mum())).toEqual(SHOWN);
    expect(await seenBy(dad())).toEqual(NOT_SHOWN);
    expect(await codesOf(mum(), '/clazz/hour/account/nil', '/clazz/hour/entry/nil')).toEqual([NOT_FOUND, NOT_FOUND]);
    expect(await codesOf(big(), `/clazz/hour/entry/${entry_id}/receipt`)).toEqual([NOT_FOUND]);
    expect(await seenBy(tess())).toEqual(SHOWN);
  });

  it('is shown to students by policy: always, from age 18 in the organization’s zone, or never', async () => {
    const policy = (student_money?: 'always' | 'adults' | 'never') =>
      supervisor().ok(policyCalls.putPolicy, { body: { zone: 'Asia/Shanghai', student_money } });
    const born = (birthday: string | null) => supervisor().patch('/ws/member/kim', { birthday });
    expect(await policy()).toMatchObject({ student_money: 'always' });
    expect(await seenBy(student('kim'))).toEqual(SHOWN);
    await policy('never');
    expect(await seenBy(student('kim'))).toEqual(NOT_SHOWN);
    expect(await seenBy(mum())).toEqual(SHOWN);
    expect(await seenBy(supervisor())).toEqual(SHOWN);
    await policy('adults');
    expect(await seenBy(student('kim'))).toEqual(NOT_SHOWN);
    // It is also 2050-03-01 in Shanghai.
    expectOk(await born('2032-03-02'));
    expect(await seenBy(student('kim'))).toEqual(NOT_SHOWN);
    expectOk(await born('2032-03-01'));
    expect(await seenBy(student('kim'))).toEqual(SHOWN);
    expectOk(await born('2032-03-02'));
    expect(await clock.later(16 * HOUR_MS, () => seenBy(student('kim')))).toEqual(SHOWN);
    await policy('always');
  });
});
