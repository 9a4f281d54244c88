import { clazzEvents, lessonCalls } from '@teaching/contracts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codesOf, expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { singleElement } from '../../../tools/proofs/test/single-element.ts';
import { postLesson } from './enrol-helpers.ts';
import { MONDAY, startSchool, type School } from './test-school.ts';

let fixture: Fixture;
let school: School;
beforeAll(async () => {
  ({ fixture, school } = await startSchool(clockAt(MONDAY)));
});
afterAll(() => fixture?.stop());

let made = 0;
const uniqueName = (): string => `Room ${(made += 1)}`;
const newRoom = async (capacity: number | null = null, name = uniqueName()) =>
  expectOk(await school.supervisor.post('/clazz/room', { name, capacity }), 201);
/** The start of a free hour, far in the future and different each time. */
const freeHour = (): string => school.inHours(1_000 + 2 * (made += 1));
const lessonAt = (clazz_id: string, starts_at: string, room: string) =>
  postLesson(school.supervisor, clazz_id, starts_at, { room, teacher_id: `t-${(made += 1)}` });
const lessonIn = (clazz_id: string, room: string) => lessonAt(clazz_id, freeHour(), room);

describe('rooms', () => {
  it('get a name once, however it is written and however many writers ask for it at once', async () => {
    const spellings = ['École', 'E\u0301COLE', 'école', 'Ｅ\u0301ｃｏｌｅ'];
    const answers = await Promise.all(spellings.map((name) => school.supervisor.post('/clazz/room', { name })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    expectOk(await school.supervisor.post('/clazz/room', { name: 'Ecole' }), 201);
    for (const { status, body } of answers) {
      if (status === 201) expectOk(await school.supervisor.delete(`/clazz/room/${body.id}`), 204);
    }
  });

  it('are written by supervisors, and read by staff in the order of their unique names', async () => {
    const { supervisor, teacher } = school;
    const created = await newRoom(12, 'Aula');
    expect(created).toMatchObject({ name: 'Aula', capacity: 12, note: null, version: 1 });
    expect(expectOk(await teacher.get(`/clazz/room/${created.id}`))).toEqual(created);
    expectRefusal(await supervisor.post('/clazz/room', { name: 'Aula' }), 409, 'duplicate');
    for (const name of ['AULA', 'Ａula'])
      expectRefusal(await supervisor.post('/clazz/room', { name }), 409, 'duplicate');
    expectRefusal(await supervisor.post('/clazz/room', { name: 'A, B' }), 400, 'invalid_request');
    expectRefusal(await teacher.post('/clazz/room', { name: 'Mine' }), 403, 'forbidden');
    expectRefusal(await school.student('a-student').get('/clazz/room'), 403, 'forbidden');
    const path = `/clazz/room/${created.id}`;
    const changed = await supervisor.patch(path, { note: 'key at the desk', capacity: null }, { 'if-match': '"1"' });
    expect(expectOk(changed)).toMatchObject({ name: 'Aula', capacity: null, note: 'key at the desk', version: 2 });
    expect(changed.headers.get('etag')).toBe('"2"');
    expectRefusal(await supervisor.patch(path, { note: null }, { 'if-match': '"1"' }), 412, 'version_mismatch');
    const other = await newRoom(3, 'Attic');
    for (const name of ['Aula', 'aula'])
      expectRefusal(await supervisor.patch(`/clazz/room/${other.id}`, { name }), 409, 'duplicate');
    expectOk(await supervisor.patch(`/clazz/room/${other.id}`, { name: 'ATTIC' }));
    expectOk(await supervisor.patch(`/clazz/room/${other.id}`, { name: 'Attic' }));
    expect(expectOk(await teacher.get('/clazz/room?keyword=a&limit=2')).items.map((row) => row.name)).toEqual([
      'Attic',
      'Aula',
    ]);
    expectRefusal(await supervisor.delete(path, { 'if-match': '"1"' }), 412, 'version_mismatch');
    expect((await supervisor.delete(path)).status).toBe(204);
    expectRefusal(await supervisor.get(path), 404, 'not_found');
    const events = await fixture.events('clazz', clazzEvents.roomChanged);
    const roomEvents = events.filter(({ data }) => data.room.id === created.id);
    expect(roomEvents.map(({ data }) => data.change)).toEqual(['created', 'updated', 'deleted']);
    expect(JSON.stringify(roomEvents)).not.toContain('desk');
    const auditEntries = async () =>
      expectOk(await supervisor.get(`/clazz/audit-log?entity=room&entity_id=${created.id}`)).items;
    await expect
      .poll(async () => (await auditEntries()).map((entry) => entry.action))
      .toEqual(['delete', 'update', 'create']);
    expect((await auditEntries())[1]?.changes).toMatchObject({ note: { before: null, after: 'key at the desk' } });
  });

  it('are listed as free if no lesson overlaps the range and the capacity suffices', async () => {
    const clazz_id = await school.classOf([]);
    const [small, large, boundless] = [await newRoom(2), await newRoom(20), await newRoom()];
    const names = [small.name, large.name, boundless.name];
    const lesson = expectOk(await lessonIn(clazz_id, large.name), 201);
    const free = async (from: string, to: string, more = ''): Promise<string[]> => {
      const { items } = expectOk(await school.teacher.get(`/clazz/room/free?from=${from}&to=${to}&limit=100${more}`));
      return items.map((row) => row.name).filter((name) => names.includes(name));
    };
    const { starts_at, ends_at } = lesson;
    expect(await free(starts_at, ends_at)).toEqual([small.name, boundless.name]);
    expect(await free(ends_at, new Date(Date.parse(ends_at) + 1).toISOString())).toHaveLength(3);
    expect(await free(new Date(Date.parse(starts_at) - 1).toISOString(), starts_at)).toHaveLength(3);
    expect(await free(starts_at, ends_at, '&min_capacity=3')).toEqual([boundless.name]);
    expectOk(await school.supervisor.post(`/clazz/lesson/${lesson.id}/cancel`));
    expect(await free(starts_at, ends_at, '&min_capacity=3')).toEqual([large.name, boundless.name]);
    expectRefusal(await school.teacher.get(`/clazz/room/free?from=${ends_at}&to=${ends_at}`), 400, 'invalid_request');
    expectRefusal(await school.teacher.get('/clazz/room/free'), 400, 'invalid_request');
  });

  it('keep their name in lessons when they are deleted', async () => {
    const clazz_id = await school.classOf([]);
    const room = await newRoom(1);
    const lesson = expectOk(await lessonIn(clazz_id, room.name), 201);
    expect((await school.supervisor.delete(`/clazz/room/${room.id}`)).status).toBe(204);
    expect(expectOk(await school.supervisor.get(`/clazz/lesson/${lesson.id}`))).toMatchObject(lesson);
  });
});

const rename = (id: string, name: string, more: object = {}) =>
  school.supervisor.patch(`/clazz/room/${id}`, { name, ...more });
const lessonOf = async (id: string) => expectOk(await school.supervisor.get(`/clazz/lesson/${id}`));

describe('a renamed room', () => {
  it('is renamed in lessons that have not ended, also in cancelled ones and those of closed classes', async () => {
    const [active, closed] = [await school.classOf([]), await school.classOf([])];
    const [room, to] = [await newRoom(), uniqueName()];
    const at = async (clazz_id: string, starts_at: string) =>
      expectOk(
        await postLesson(school.supervisor, clazz_id, starts_at, { room: room.name, teacher_id: `t-${(made += 1)}` }),
        201,
      );
    const past = await at(active, school.inHours(-1.5));
    const running = await at(active, school.inHours(-0.5));
    const planned = await at(active, freeHour());
    const cancelled = await at(active, freeHour());
    const ofClosed = await at(closed, freeHour());
    expectOk(await school.supervisor.post(`/clazz/lesson/${cancelled.id}/cancel`));
    expectOk(await school.supervisor.post(`/clazz/${closed}/complete`));
    expectOk(await rename(room.id, to));
    expect(await lessonOf(past.id)).toEqual(past);
    for (const { id, version } of [running, planned]) {
      expect(await lessonOf(id)).toMatchObject({ room: to, version: version + 1 });
    }
    for (const { id, version } of [cancelled, ofClosed]) {
      expect(await lessonOf(id)).toMatchObject({ room: to, version: version + 2, status: 'cancelled' });
    }
    const { starts_at: from, ends_at } = planned;
    const free = expectOk(await school.teacher.get(`/clazz/room/free?from=${from}&to=${ends_at}&limit=100`)).items;
    expect(free.map((row) => row.id)).not.toContain(room.id);
    const second = await postLesson(school.supervisor, active, from, { room: to, teacher_id: `t-${(made += 1)}` });
    expectRefusal(second, 409, 'schedule_conflict');
    const changed = (await fixture.events('clazz', clazzEvents.lessonChanged)).flatMap(({ data }) => data.lessons);
    expect(changed.findLast((row) => row.id === planned.id)).toMatchObject({ room: to, version: planned.version + 1 });
    const entries = async () =>
      expectOk(await school.supervisor.get(`/clazz/audit-log?entity=lesson&entity_id=${planned.id}&action=update`))
        .items;
    await expect
      .poll(async () => (await entries()).map((entry) => entry.changes))
      .toMatchObject([{ room: { before: room.name, after: to } }]);
  });

  it('is refused a name whose lessons overlap its own, and names the clashes', async () => {
    const clazz_id = await school.classOf([]);
    const [room, tent] = [await newRoom(), uniqueName()];
    const starts_at = freeHour();
    const lessonAt = async (name: string, more: object = {}) =>
      expectOk(
        await postLesson(school.supervisor, clazz_id, starts_at, {
          room: name,
          teacher_id: `t-${(made += 1)}`,
          ...more,
        }),
        201,
      );
    const own = await lessonAt(room.name);
    await lessonAt(room.name, { override: true, reason: 'two halves' });
    const other = await lessonAt(tent);
    const { conflicts } = expectRefusal(await rename(room.id, tent), 409, 'schedule_conflict');
    expect(conflicts).toMatchObject([{ lesson_id: other.id, clazz_id, room: tent, teacher_id: null }]);
    expect(await lessonOf(own.id)).toMatchObject({ room: room.name, version: own.version });
    expect(expectOk(await school.supervisor.get(`/clazz/room/${room.id}`))).toMatchObject(room);
    expectOk(await school.supervisor.post(`/clazz/lesson/${other.id}/cancel`));
    expectOk(await rename(room.id, tent));
    expect(await lessonOf(own.id)).toMatchObject({ room: tent });
    expectRefusal(
      await school.supervisor.post(`/clazz/lesson/${other.id}/restore`, { reason: 'on again' }),
      409,
      'schedule_conflict',
    );
  });

  it('changes its spelling in lessons', async () => {
    const clazz_id = await school.classOf([]);
    const room = await newRoom(null, 'the barn');
    const lesson = expectOk(await lessonIn(clazz_id, room.name), 201);
    expectOk(await rename(room.id, 'The Barn'));
    expect(await lessonOf(lesson.id)).toMatchObject({ room: 'The Barn' });
  });

  it('never has two lessons at a time while lessons are created and moved in parallel', async () => {
    const classes = [await school.classOf([]), await school.classOf([]), await school.classOf([])];
    for (let round = 0; round < 6; round += 1) {
      const [room, to] = [await newRoom(), uniqueName()];
      const starts_at = freeHour();
      const post = (index: number, name: string, at = starts_at) =>
        postLesson(school.supervisor, classes[index] ?? '', at, { room: name, teacher_id: `t-${(made += 1)}` });
      const known = expectOk(await post(0, room.name, freeHour()), 201);
      const [renamed, inOld, inNew, moved] = await Promise.all([
        rename(room.id, to),
        post(1, room.name),
        post(2, to),
        school.supervisor.patch(`/clazz/lesson/${known.id}`, { starts_at }),
      ]);
      const accepted = ['200', '201', '409 schedule_conflict'];
      expect(codesOf([renamed, inOld, inNew, moved]).filter((code) => !accepted.includes(code))).toEqual([]);
      const wanted = renamed.status === 200 ? to : room.name;
      expect(await lessonOf(known.id)).toMatchObject({ room: wanted });
      const { items } = await school.supervisor.ok(lessonCalls.listLessons, {
        query: { room: wanted, from: starts_at, to: new Date(Date.parse(starts_at) + 1).toISOString() },
      });
      expect(items.length).toBeLessThan(2);
    }
  });

  it('is not used by a lesson under its old name while the policy lists rooms', async () => {
    const classes: string[] = [];
    for (let n = 0; n < 6; n += 1) classes.push(await school.classOf([]));
    await school.setPolicy({ rooms: 'listed' });
    for (let round = 0; round < 4; round += 1) {
      const [room, to] = [await newRoom(), uniqueName()];
      const create = (clazz_id: string) => lessonIn(clazz_id, room.name);
      const [before, renamed, after] = await Promise.all([
        Promise.all(classes.slice(0, 3).map(create)),
        rename(room.id, to),
        Promise.all(classes.slice(3).map(create)),
      ]);
      expectOk(renamed);
      for (const answer of [...before, ...after].filter(({ status }) => status !== 404)) {
        expect(await lessonOf(expectOk(answer, 201).id)).toMatchObject({ room: to });
      }
    }
    await school.setPolicy({});
  });
});

let spelled = 0;
/** Two spellings of one new name: as the room is created, and another one. */
const twoSpellings = (): [string, string] => [`Saal Ä ${(spelled += 1)}`, `ｓａａｌ ä ${spelled}`];

describe('a lesson whose text spells a listed room otherwise', () => {
  const DAILY = {
    starts_on: '2033-01-01',
    start_time: '09:00',
    duration_minutes: 60,
    zone: 'UTC',
    rrule: 'FREQ=DAILY',
  };

  it('has the spelling of the list when it is created, created in a series, changed or moved', async () => {
    const clazz_id = await school.classOf([]);
    const [name, other] = twoSpellings();
    const before = expectOk(await lessonAt(clazz_id, school.inHours(-2), other), 201);
    await newRoom(null, name);
    const kept = await school.supervisor.patch(`/clazz/lesson/${before.id}`, { topic: 'Bees' });
    expect(expectOk(kept)).toMatchObject({ room: other, topic: 'Bees' });
    const lesson = expectOk(await lessonIn(clazz_id, other), 201);
    expect(lesson.room).toBe(name);
    const path = `/clazz/lesson/${lesson.id}`;
    expect(expectOk(await school.supervisor.patch(path, { room: other.toUpperCase() }))).toMatchObject({
      room: name,
      version: lesson.version,
      changed_lessons: 0,
    });
    for (const [text, room] of [
      ['a tent', 'a tent'],
      [other, name],
    ])
      expect(expectOk(await school.supervisor.patch(path, { room: text }))).toMatchObject({ room });
    const series = { ...DAILY, count: 2, room: other, teacher_id: `t-${(made += 1)}` };
    const { items } = expectOk(await school.supervisor.post(`/clazz/${clazz_id}/lesson/series`, series), 201);
    expect(items.map(({ room }) => room)).toEqual([name, name]);
    const moved = await school.supervisor.patch(`/clazz/lesson/${before.id}`, { starts_at: freeHour() });
    expect(expectOk(moved).room).toBe(name);
  });

  it('clashes with lessons of the room, also in checks and previews', async () => {
    const [first, second] = [await school.classOf([]), await school.classOf([])];
    const [name, other] = twoSpellings();
    await newRoom(null, name);
    const { id, starts_at, ends_at } = expectOk(await lessonAt(first, '2033-01-01T09:00:00.000Z', name), 201);
    const clash = { conflicts: [{ lesson_id: id, room: name }] };
    expect(expectRefusal(await lessonAt(second, starts_at, other), 409, 'schedule_conflict')).toMatchObject(clash);
    const elsewhere = expectOk(await lessonAt(second, starts_at, 'a tent'), 201);
    const moved = await school.supervisor.patch(`/clazz/lesson/${elsewhere.id}`, { room: other });
    expect(expectRefusal(moved, 409, 'schedule_conflict')).toMatchObject(clash);
    const check = (more: object) =>
      school.supervisor.post(`/clazz/${second}/lesson/check`, { starts_at, ends_at, room: other, ...more });
    expect(expectOk(await check({ teacher_id: `t-${(made += 1)}` }))).toMatchObject(clash);
    expect(expectOk(await check({ lesson_id: elsewhere.id }))).toMatchObject(clash);
    const series = { ...DAILY, count: 1, room: other, teacher_id: `t-${(made += 1)}` };
    const path = `/clazz/${second}/lesson/series` as const;
    expect(expectRefusal(await school.supervisor.post(path, series), 409, 'schedule_conflict')).toMatchObject(clash);
    const { occurrences } = expectOk(await school.supervisor.post(`${path}/preview`, series));
    expect(occurrences).toMatchObject([clash]);
  });

  it('must fit into the room', async () => {
    const clazz_id = await school.classOf(school.students(2), { capacity: 9 });
    const [name, other] = twoSpellings();
    await newRoom(1, name);
    const problem = expectRefusal(await lessonIn(clazz_id, other), 409, 'room_too_small');
    expect(problem).toMatchObject({ room: name, capacity: 1, taken: 2 });
  });

  it('is cancelled by a closure of the room in any spelling', async () => {
    const clazz_id = await school.classOf([]);
    const [name, other] = twoSpellings();
    await newRoom(null, name);
    const { id, starts_at: from, ends_at: to } = expectOk(await lessonIn(clazz_id, name), 201);
    const closure = { from, to, room: other, reason: 'painting' };
    const { items } = expectOk(await school.supervisor.post('/clazz/closure', closure));
    expect(items).toMatchObject([{ id, room: name }]);
  });

  it('gets the spelling of a room that is created or renamed, unless it has ended', async () => {
    const clazz_id = await school.classOf([]);
    const [name, other] = twoSpellings();
    const ended = expectOk(await lessonAt(clazz_id, school.inHours(-2), other), 201);
    const planned = expectOk(await lessonAt(clazz_id, freeHour(), other), 201);
    const cancelled = expectOk(await lessonAt(clazz_id, freeHour(), other.toUpperCase()), 201);
    expectOk(await school.supervisor.post(`/clazz/lesson/${cancelled.id}/cancel`));
    const room = await newRoom(null, name);
    expect(await lessonOf(ended.id)).toEqual(ended);
    expect(await lessonOf(planned.id)).toMatchObject({ room: name, version: 2 });
    expect(await lessonOf(cancelled.id)).toMatchObject({ room: name, version: 3, status: 'cancelled' });
    const events = (await fixture.events('clazz', clazzEvents.lessonChanged)).flatMap(({ data }) => data.lessons);
    expect(events.findLast((row) => row.id === planned.id)).toMatchObject({ room: name, version: 2 });
    const entries = async () =>
      expectOk(await school.supervisor.get(`/clazz/audit-log?entity=lesson&entity_id=${planned.id}&action=update`))
        .items;
    await expect
      .poll(async () => (await entries()).map((entry) => entry.changes))
      .toMatchObject([{ room: { before: other, after: name } }]);
    const [renamed, text] = twoSpellings();
    const unlisted = expectOk(await lessonAt(clazz_id, freeHour(), text), 201);
    expectOk(await rename(room.id, renamed));
    for (const { id } of [planned, cancelled, unlisted]) expect((await lessonOf(id)).room).toBe(renamed);
    expectOk(await rename(room.id, renamed.toUpperCase()));
    for (const { id } of [planned, cancelled, unlisted]) {
      expect((await lessonOf(id)).room).toBe(renamed.toUpperCase());
    }
  });

  it('prevents a room that is renamed or created if it would overlap another lesson of the room', async () => {
    const [first, second] = [await school.classOf([]), await school.classOf([])];
    const [name, other] = twoSpellings();
    const room = await newRoom();
    const starts_at = freeHour();
    const own = expectOk(await lessonAt(first, starts_at, room.name), 201);
    const unlisted = expectOk(await lessonAt(second, starts_at, other), 201);
    const { conflicts } = expectRefusal(await rename(room.id, name), 409, 'schedule_conflict');
    expect(conflicts).toMatchObject([{ lesson_id: unlisted.id, room: other }]);
    const third = expectOk(await lessonAt(first, starts_at, other.toUpperCase()), 201);
    const refused = expectRefusal(await school.supervisor.post('/clazz/room', { name }), 409, 'schedule_conflict');
    expect(refused['conflicts']).toHaveLength(2);
    expectOk(await school.supervisor.post(`/clazz/lesson/${third.id}/cancel`));
    await newRoom(null, name);
    expect((await lessonOf(unlisted.id)).room).toBe(name);
    expect(await lessonOf(own.id)).toEqual(own);
  });

  it('must fit into a room that is created or renamed', async () => {
    const clazz_id = await school.classOf(school.students(3), { capacity: 9 });
    const [name, other] = twoSpellings();
    const lesson = expectOk(await lessonIn(clazz_id, other), 201);
    const small = { lesson_ids: [lesson.id], room: name, capacity: 1, taken: 3 };
    const created = await school.supervisor.post('/clazz/room', { name, capacity: 1 });
    expect(expectRefusal(created, 409, 'room_too_small')).toMatchObject(small);
    const renamed = await rename((await newRoom(1)).id, name);
    expect(expectRefusal(renamed, 409, 'room_too_small')).toMatchObject(small);
    expect(await lessonOf(lesson.id)).toEqual(lesson);
  });

  it('gets the spelling of the list while its room is created in parallel', async () => {
    const [own, planned] = [await school.classOf([]), await school.classOf([])];
    const classes: string[] = [];
    for (let n = 0; n < 6; n += 1) classes.push(await school.classOf([]));
    for (let round = 0; round < 6; round += 1) {
      const [name, other] = twoSpellings();
      const known = expectOk(await lessonIn(own, 'a tent'), 201);
      const teacher_id = `t-${(made += 1)}`;
      const series = { ...DAILY, starts_on: `2034-01-0${round + 1}`, count: 1, room: other, teacher_id };
      const [created, changed, scheduled, ...posted] = await Promise.all([
        school.supervisor.post('/clazz/room', { name }),
        school.supervisor.patch(`/clazz/lesson/${known.id}`, { room: other }),
        school.supervisor.post(`/clazz/${planned}/lesson/series`, series),
        ...classes.map((clazz_id, n) => lessonIn(clazz_id, n % 2 === 0 ? other : other.toUpperCase())),
      ]);
      expectOk(created, 201);
      expectOk(changed);
      const ids = posted.map((answer) => expectOk(answer, 201).id);
      ids.push(known.id, ...expectOk(scheduled, 201).items.map(({ id }) => id));
      for (const id of ids) expect(await lessonOf(id)).toMatchObject({ room: name });
    }
  });

  it('never overlaps another lesson of its room while the room is created or renamed in parallel', async () => {
    const classes = [await school.classOf([]), await school.classOf([]), await school.classOf([])];
    for (let round = 0; round < 6; round += 1) {
      const [name, other] = twoSpellings();
      const room = round % 2 === 0 ? undefined : await newRoom();
      const starts_at = freeHour();
      const [named, ...posted] = await Promise.all([
        room === undefined ? school.supervisor.post('/clazz/room', { name }) : rename(room.id, name),
        ...[name, other, other.toUpperCase()].map((text, n) => lessonAt(classes[n] ?? '', starts_at, text)),
      ]);
      const accepted = ['200', '201', '409 schedule_conflict'];
      expect(codesOf([named, ...posted]).filter((code) => !accepted.includes(code))).toEqual([]);
      const stored = posted.flatMap((answer) => (answer.status === 201 ? [answer.body.id] : []));
      if (named.status === 409) expect(stored.length).toBeGreaterThan(1);
      else {
        const [only] = stored;
        expect(stored).toHaveLength(1);
        expect(await lessonOf(only ?? '')).toMatchObject({ room: name });
      }
    }
  });
});

describe('the capacity of a room', () => {
  it('limits lessons that are created, created in a series, moved to the room or restored', async () => {
    const clazz_id = await school.classOf(school.students(3), { capacity: 9 });
    const [small, large] = [await newRoom(2), await newRoom(3)];
    const problem = expectRefusal(await lessonIn(clazz_id, small.name), 409, 'room_too_small');
    expect(problem).toMatchObject({ room: small.name, capacity: 2, taken: 3 });
    const rule = {
      starts_on: '2031-01-01',
      start_time: '09:00',
      duration_minutes: 60,
      zone: 'UTC',
      rrule: 'FREQ=DAILY',
    };
    const series = { ...rule, count: 2, room: small.name, teacher_id: 'a-series' };
    expectRefusal(await school.supervisor.post(`/clazz/${clazz_id}/lesson/series`, series), 409, 'room_too_small');
    const lesson = expectOk(await lessonIn(clazz_id, large.name), 201);
    const path = `/clazz/lesson/${lesson.id}`;
    expectRefusal(await school.supervisor.patch(path, { room: small.name }), 409, 'room_too_small');
    expectOk(await school.supervisor.patch(path, { room: 'a tent' }));
    expectOk(await school.supervisor.patch(path, { room: large.name }));
    expectOk(await school.supervisor.post(`${path}/cancel`));
    expectOk(await school.supervisor.patch(`/clazz/room/${large.id}`, { capacity: 1 }));
    expectRefusal(await school.supervisor.post(`${path}/restore`, { reason: 'on again' }), 409, 'room_too_small');
    expectOk(await school.supervisor.patch(`/clazz/room/${large.id}`, { capacity: 3 }));
    expectOk(await school.supervisor.post(`${path}/restore`, { reason: 'on again' }));
  });

  it('prevents lessons of a reopened class from being restored, and names them', async () => {
    const clazz_id = await school.classOf(school.students(2), { capacity: 9 });
    const [small, large] = [await newRoom(2), await newRoom(3)];
    const inSmall = expectOk(await lessonIn(clazz_id, small.name), 201);
    const inLarge = expectOk(await lessonIn(clazz_id, large.name), 201);
    const path = `/clazz/${clazz_id}` as const;
    expectOk(await school.supervisor.post(`${path}/complete`));
    expectOk(await school.supervisor.patch(`/clazz/room/${small.id}`, { capacity: 1 }));
    const { restored_lessons, not_restored } = expectOk(
      await school.supervisor.post(`${path}/reopen`, { reason: 'x' }),
    );
    expect(restored_lessons).toEqual([inLarge.id]);
    expect(not_restored).toMatchObject([{ lesson_id: inSmall.id, why: 'clash', reason: 'room_too_small' }]);
  });

  it('limits enrolments, which are refused or wait until the capacity suffices', async () => {
    const [ann, ben, cem, dan] = school.students(4) as [string, string, string, string];
    const clazz_id = await school.classOf([ann], { capacity: 9 });
    const elsewhere = await school.classOf([cem]);
    const room = await newRoom(2);
    const lesson = expectOk(await lessonIn(clazz_id, room.name), 201);
    const enrol = (student_ids: string[], waitlist = false) =>
      school.supervisor.post(`/clazz/${clazz_id}/student`, { student_ids, waitlist });
    expectRefusal(await enrol([ben, dan]), 409, 'room_too_small');
    const joined = expectOk(await enrol([ben, dan], true), 201);
    expect(joined.items.map((row) => row.status)).toEqual(['active', 'waiting']);
    const move = { to_clazz_id: clazz_id };
    expectRefusal(
      await school.supervisor.post(`/clazz/${elsewhere}/student/${cem}/transfer`, move),
      409,
      'room_too_small',
    );
    const statusOf = async (student: string): Promise<string | undefined> =>
      expectOk(await school.supervisor.get(`/clazz/${clazz_id}/student?limit=100`)).items.find(
        (row) => row.student_id === student,
      )?.status;
    expect(await statusOf(dan)).toBe('waiting');
    expectOk(await school.supervisor.patch(`/clazz/room/${room.id}`, { capacity: 3 }));
    expect(await statusOf(dan)).toBe('active');
    expectOk(await enrol([cem], true), 201);
    expect(await statusOf(cem)).toBe('waiting');
    expectOk(await school.supervisor.patch(`/clazz/lesson/${lesson.id}`, { room: null }));
    expect(await statusOf(cem)).toBe('active');
  });

  it('limits guests like the capacity of the class, and the smaller of both is shown', async () => {
    const [ann, ben] = school.students(2) as [string, string];
    const own = await school.classOf([ann], { course_id: null });
    const host = await school.classOf([ben], { capacity: 9 });
    const room = await newRoom(1);
    const missed = await school.lesson(own, 48);
    const full = expectOk(await lessonAt(host, school.inHours(72), room.name), 201);
    const leave = singleElement(
      expectOk(await school.student(ann).post('/clazz/leave', { lesson_id: missed.id, reason: 'x' }), 201).items,
    );
    expectOk(await school.supervisor.post(`/clazz/leave/${leave.id}/approve`));
    const makeUp = () => school.student(ann).post(`/clazz/leave/${leave.id}/make-up`, { lesson_id: full.id });
    const options = async () =>
      expectOk(await school.student(ann).get(`/clazz/leave/${leave.id}/make-up/options?limit=100`)).items.filter(
        (row) => row.id === full.id,
      );
    const shown = async () =>
      singleElement((await school.supervisor.ok(lessonCalls.listLessons, { query: { clazz_id: host } })).items);
    expectRefusal(await makeUp(), 409, 'clazz_full');
    expect(await options()).toEqual([]);
    expect(await shown()).toMatchObject({ enrolled: 1, capacity: 1, free: 0 });
    expectOk(await school.supervisor.patch(`/clazz/room/${room.id}`, { capacity: 2 }));
    expect(await options()).toMatchObject([{ capacity: 2, free: 1 }]);
    expectOk(await makeUp());
    expect(await shown()).toMatchObject({ enrolled: 1, guests: 1, capacity: 2, free: 0 });
    expectRefusal(await school.supervisor.patch(`/clazz/room/${room.id}`, { capacity: 1 }), 409, 'room_too_small');
    expectOk(await school.supervisor.patch(`/clazz/room/${room.id}`, { capacity: 20 }));
    expect(await shown()).toMatchObject({ capacity: 9, free: 7 });
  });
});

describe('a capacity below what future lessons need', () => {
  const withStudents = (count: number) => school.classOf(school.students(count), { capacity: 9 });

  it('is refused for a new or changed room, and names all these lessons', async () => {
    const [three, two, one] = [await withStudents(3), await withStudents(2), await withStudents(1)];
    const name = uniqueName();
    const lessons = [];
    for (const clazz_id of [two, three, one]) lessons.push(expectOk(await lessonIn(clazz_id, name), 201));
    const [ofTwo, ofThree] = lessons;
    const create = (capacity: number | null) => school.supervisor.post('/clazz/room', { name, capacity });
    expect(expectRefusal(await create(1), 409, 'room_too_small')).toMatchObject({
      lesson_ids: [ofTwo?.id, ofThree?.id],
      room: name,
      capacity: 1,
      taken: 3,
    });
    const room = expectOk(await create(null), 201);
    const change = (fields: object) => school.supervisor.patch(`/clazz/room/${room.id}`, fields);
    expect(expectRefusal(await change({ capacity: 2 }), 409, 'room_too_small')).toMatchObject({
      lesson_ids: [ofThree?.id],
    });
    expectOk(await change({ capacity: 3 }));
    const to = uniqueName();
    expect(expectRefusal(await change({ name: to, capacity: 2 }), 409, 'room_too_small')).toMatchObject({
      lesson_ids: [ofThree?.id],
      room: to,
    });
    expect(expectOk(await school.supervisor.get(`/clazz/room/${room.id}`))).toMatchObject({ name, capacity: 3 });
    expectOk(await school.supervisor.post(`/clazz/lesson/${ofThree?.id}/cancel`));
    expectOk(await change({ name: to, capacity: 2 }));
  });

  it('is refused with a new name that lessons already have', async () => {
    const clazz_id = await withStudents(3);
    const [room, tent] = [await newRoom(2), uniqueName()];
    const lesson = expectOk(await lessonIn(clazz_id, tent), 201);
    expect(expectRefusal(await rename(room.id, tent), 409, 'room_too_small')).toMatchObject({
      lesson_ids: [lesson.id],
      capacity: 2,
      taken: 3,
    });
    expectOk(await rename(room.id, tent, { capacity: 3 }));
  });

  it('allows lessons that have begun', async () => {
    const clazz_id = await withStudents(2);
    const room = await newRoom();
    const fields = { room: room.name, teacher_id: `t-${(made += 1)}` };
    expectOk(await postLesson(school.supervisor, clazz_id, school.inHours(-0.5), fields), 201);
    expectOk(await school.supervisor.patch(`/clazz/room/${room.id}`, { capacity: 1 }));
  });

  it('is never stored while students enrol and lessons are created in parallel', async () => {
    for (let round = 0; round < 4; round += 1) {
      const clazz_id = await withStudents(1);
      const other = await withStudents(3);
      const room = await newRoom(8);
      expectOk(await lessonIn(clazz_id, room.name), 201);
      const shrink = (capacity: number) => school.supervisor.patch(`/clazz/room/${room.id}`, { capacity });
      const enrol = () => school.supervisor.post(`/clazz/${clazz_id}/student`, { student_ids: school.students(1) });
      await Promise.all([shrink(4), enrol(), shrink(2), enrol(), lessonIn(other, room.name), shrink(1), enrol()]);
      const { capacity } = expectOk(await school.supervisor.get(`/clazz/room/${room.id}`));
      const { items } = await school.supervisor.ok(lessonCalls.listLessons, { query: { room: room.name } });
      expect(items.map((row) => row.enrolled).filter((enrolled) => enrolled > (capacity ?? 0))).toEqual([]);
    }
  });

  it('is checked after a student who is being enrolled has a seat', async () => {
    const clazz_id = await withStudents(1);
    const room = await newRoom(2);
    expectOk(await lessonIn(clazz_id, room.name), 201);
    const bucket = (party: string) => `'schedule ' || abs(hashtext(${party}) % 64)`;
    const [student] = await fixture.sql<{ id: string }>(
      `select id from unnest($1::text[]) as id where ${bucket("'s ' || id")} <> ${bucket("'r ' || lower($2)")}`,
      [school.students(9), room.name],
    );
    if (student === undefined) throw new Error('every student shares a lock with the room');
    const holder = new pg.Client({ connectionString: fixture.adminUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query(`select clazz.own_turn($1::uuid, ${bucket("'s ' || $2")})`, [fixture.org, student.id]);
    const waiting = async () => {
      const sql = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      return (await fixture.sql(sql)).length;
    };
    const enrolled = school.supervisor.post(`/clazz/${clazz_id}/student`, { student_ids: [student.id] });
    await expect.poll(waiting).toBe(1);
    let isAnswered = false;
    const shrunk = school.supervisor.patch(`/clazz/room/${room.id}`, { capacity: 1 }).finally(() => {
      isAnswered = true;
    });
    await expect.poll(async () => isAnswered || (await waiting()) === 2).toBe(true);
    await holder.end();
    expectOk(await enrolled, 201);
    expectRefusal(await shrunk, 409, 'room_too_small');
  });

  it('gives the seats of a room that is renamed and enlarged to waiting students', async () => {
    const [ann, ben] = school.students(2) as [string, string];
    const clazz_id = await school.classOf([ann], { capacity: 9 });
    const room = await newRoom(1);
    expectOk(await lessonIn(clazz_id, room.name), 201);
    const wait = { student_ids: [ben], waitlist: true };
    expectOk(await school.supervisor.post(`/clazz/${clazz_id}/student`, wait), 201);
    const statuses = async () =>
      expectOk(await school.supervisor.get(`/clazz/${clazz_id}/student`)).items.map((row) => row.status);
    expectOk(await rename(room.id, uniqueName()));
    expect(await statuses()).toContain('waiting');
    expectOk(await rename(room.id, uniqueName(), { capacity: 2 }));
    expect(await statuses()).toEqual(['active', 'active']);
  });
});

describe('the policy `rooms: listed`', () => {
  it('refuses a lesson in a room that is not listed', async () => {
    const clazz_id = await school.classOf([]);
    const room = await newRoom();
    const before = expectOk(await lessonIn(clazz_id, 'the garden'), 201);
    await school.setPolicy({ rooms: 'listed' });
    const unlisted = { errors: [{ path: '/body/room' }] };
    expect(expectRefusal(await lessonIn(clazz_id, 'the garden'), 404, 'not_found')).toMatchObject(unlisted);
    const rule = {
      starts_on: '2032-01-01',
      start_time: '09:00',
      duration_minutes: 60,
      zone: 'UTC',
      rrule: 'FREQ=DAILY',
    };
    const series = { ...rule, count: 1, room: 'the garden', teacher_id: 'b-series' };
    for (const path of ['series', 'series/preview']) {
      expect(
        expectRefusal(await school.supervisor.post(`/clazz/${clazz_id}/lesson/${path}`, series), 404, 'not_found'),
      ).toMatchObject(unlisted);
    }
    const lesson = expectOk(await lessonIn(clazz_id, room.name), 201);
    const path = `/clazz/lesson/${lesson.id}`;
    expect(expectRefusal(await school.supervisor.patch(path, { room: 'a barn' }), 404, 'not_found')).toMatchObject(
      unlisted,
    );
    expectOk(await school.supervisor.patch(path, { room: null }));
    // A lesson that already has an unlisted room keeps it when other fields change.
    expectOk(await school.supervisor.patch(`/clazz/lesson/${before.id}`, { room: 'the garden', topic: 'Bees' }));
    await school.setPolicy({});
  });

  it('accepts a lesson that spells a listed room otherwise', async () => {
    const clazz_id = await school.classOf([]);
    const [name, other] = twoSpellings();
    await newRoom(null, name);
    await school.setPolicy({ rooms: 'listed' });
    const lesson = expectOk(await lessonIn(clazz_id, other), 201);
    expect(lesson.room).toBe(name);
    expectOk(await school.supervisor.patch(`/clazz/lesson/${lesson.id}`, { room: other }));
    await school.setPolicy({});
  });
});
