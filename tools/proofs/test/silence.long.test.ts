import { connect } from '@nats-io/transport-node';
import { afterAll, assert, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import {
  type AnyCall,
  allCalls,
  allEvents,
  clazzEvents,
  courseGroupCalls,
  type EventDef,
  memberCalls,
} from '../../../libs/contracts/src/index.ts';
import { createLogger, record } from '../../../libs/kit/src/index.ts';
import { withSpan } from '../../../libs/kit/src/telemetry/trace.ts';
import { requestTo } from '../../../services/gateway/test/contract-requests.ts';
import { retryWhileBusy } from './expect-answers.ts';
import { waitUntilCaughtUp } from './wait-caught-up.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { type HeaderValues, sender } from './http.ts';
import { oneOfEach } from './one-of-each.ts';
import { type AnyTestRequest, urlOf } from './any-request.ts';
import { type RecordedOutput, recordOutput } from './silence/channels.ts';
import { markedRequest, markedHeaders, Markers, type MarkedField, wrongRequest } from './silence/markers.ts';
import { POLL_OPTIONS } from './poll-options.ts';

/** Calls that end or delete a record come after the calls that need it. */
const ENDING =
  /remove|cancel|complete|erase|deactivate|withdraw|suspend|reject|transfer|reopen|restore|closure|substitution/;
const routed = allCalls
  .filter((call) => call.http !== null)
  .toSorted((one, other) => Number(ENDING.test(one.id)) - Number(ENDING.test(other.id)));

const markers = new Markers();
let fixture: Fixture;
let recorded: RecordedOutput;
let boss: string;
const statuses: number[] = [];

const send = async (
  method: string,
  path: string,
  body: string | undefined,
  headers: HeaderValues = {},
  authorization: string | undefined = boss,
): Promise<number> => {
  const type: HeaderValues = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await sender(fixture.address, authorization)(method, path, body, { ...type, ...headers });
  recorded.recordAnswer(answer);
  return answer.status;
};
const ask = (call: AnyCall, input: AnyTestRequest, headers: HeaderValues = {}): Promise<number> => {
  const { method, path } = urlOf(call, input);
  return send(method, `/${path}`, input.body === undefined ? undefined : JSON.stringify(input.body), headers);
};
const inBody = (call: string, field = 'title'): string => markers.for({ call, part: 'body', field });

/** Requests that violate HTTP or the API. */
const sendMalformed = async (): Promise<void> => {
  const json = { 'content-type': 'application/json' };
  for (const body of [
    inBody('no JSON'),
    `{"title": ${inBody('half')}`,
    `{"title":"${inBody('half')}`,
    `["${inBody('list')}"]`,
  ])
    expect(await send('POST', '/ws/course', body)).toBe(400);
  expect(await send('GET', `//${inBody('no path')}`, undefined)).toBe(404);
  expect(await send('GET', `//%zz${inBody('no path')}`, undefined)).toBe(400);
  expect(await send('DELETE', `/ws/course?x=${inBody('no query')}`, undefined)).toBe(405);
  expect(await send('POST', '/ws/course', '{}', { 'content-type': `text/${inBody('type')}` })).toBe(415);
  for (const token of [inBody('token'), `e30.${inBody('token')}.e30`, `${boss.slice(7, -4)}${inBody('token')}`])
    expect(await send('POST', '/ws/course', '{}', json, `Bearer ${token}`)).toBe(401);
  expect(await send('GET', '/ws/course', undefined, {}, `Basic ${inBody('basic')}`)).toBe(401);
};

/** Unforeseen faults: Postgres errors that contain values, and a missing database privilege or broker. */
const causeFaults = async (): Promise<void> => {
  const create = (text: string) => send('POST', '/ws/course', JSON.stringify({ title: `${text} ${inBody(text)}` }));
  await fixture.sql(`
    alter table course.course add check (title !~ 'refused row');
    alter table course.course add check (title !~ 'no number' or title::int > 0);
    create function clazz.fails() returns trigger language plpgsql as $$ begin perform new.display_name::date; return new; end $$;
    create trigger fails before insert or update on stats.member for each row execute function clazz.fails();
    grant usage on schema clazz to stats_worker`);
  // Postgres itself logs no rows of tables with policies, so this error contains one explicitly.
  await fixture.sql(`
    create function course.tells() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using detail = new.name; end $$;
    create trigger tells before insert on course.course_group for each row execute function course.tells()`);
  expect(await ask(courseGroupCalls.createCourseGroup, { body: { name: inBody('detail', 'name') } })).toBe(500);
  expect(await create('refused row')).toBe(500);
  expect(await create('no number')).toBe(400);
  const members = [
    {
      user_id: 'bob',
      role: 'STUDENT',
      display_name: markers.for({ call: 'fault', part: 'body', field: 'display_name' }),
    },
  ];
  expect(await ask(memberCalls.putMembers, { body: { members } })).toBe(200);
  await vi.waitFor(async () => assert((await fixture.sql('select from stats.dead_letter')).length > 0), POLL_OPTIONS);
  await fixture.nats.stop();
  expect(await create('no broker')).toBeOneOf([503, 504]);
  await fixture.nats.restart();
  await retryWhileBusy(() => fixture.as({ role: 'SUPERVISOR' }).get('/ws/course'));
  await fixture.sql('revoke insert on course.course from course_app');
  expect(await create('no right')).toBe(500);
  await fixture.sql('grant insert on course.course to course_app');
};

beforeAll(async () => {
  recorded = await recordOutput();
  fixture = await startFixture({ env: recorded.env });
  boss = `Bearer ${fixture.token({ role: ['SUPERVISOR', 'TEACHER', 'STUDENT'], sub: 'ann' })}`;
  const records = await oneOfEach(fixture);
  const accepted = ['if-match', 'if-none-match', 'x-consistency-token'];
  for (const call of routed) {
    statuses.push(
      await ask(
        call,
        markedRequest(markers, call, requestTo(call, records)),
        markedHeaders(markers, call.id, accepted),
      ),
    );
    await ask(call, wrongRequest(markers, call), markedHeaders(markers, call.id));
  }
  await waitUntilCaughtUp(fixture);
  await sendMalformed();
  await causeFaults();
}, 120_000);
afterAll(async () => {
  await fixture?.stop();
  recorded?.stop();
});

/** All recorded output by channel. */
const everything = (): Record<string, string> => {
  const { streams: _streams, ...servers } = recorded.servers(fixture);
  const { logs, problems, telemetry } = recorded;
  return { logs: logs.join('\n'), problems: problems.join('\n'), telemetry: telemetry.join('\n'), ...servers };
};
const namesOf = (places: readonly MarkedField[]): string[] =>
  places.map(({ call, part, field }) => `${call} ${part} ${field}`).toSorted();

/** Names of people. Only the directory's own event may contain them; other personal fields occur in no event. */
const NAMES = new Set(['display_name']);
const isPersonal = (field: string): boolean =>
  Object.keys(memberCalls.updateMember.body.shape).includes(field) ||
  /(^|_)(reason|note|comment|content|answers?|relation|feedback|called_by)$/.test(field);
const NAME_EVENT = clazzEvents.memberChanged.type;
/** Texts with the name of a personal field that are about no person: the note on an item of a plan. */
const OF_RECORDS: ReadonlySet<string> = new Set(['course.jihua.create note', 'course.jihua.update note']);

interface EventData {
  type: string;
  data: string;
}
const loggedEvents = (): Promise<EventData[]> =>
  fixture.sql<{ type: string; data: string }>(
    ['clazz', 'course', 'package']
      .map((of) => `select type, coalesce(data::text, '') as data from ${of}.log_entry`)
      .join(' union all '),
  );
/** Names of the fields of an event by its contract. */
const fieldsOf = (event: EventDef): Set<string> => {
  const schema = JSON.stringify(z.toJSONSchema(event.data, { unrepresentable: 'any' }));
  return new Set([...schema.matchAll(/"(\w+)":\{/g)].flatMap(([, name]) => name ?? []));
};
/** Whether an event may contain the text of this field. Audit events may contain changes of any body field. */
const mayContain = (type: string, { call, part, field }: MarkedField): boolean => {
  const event = allEvents.find((one) => one.type === type);
  if (event === undefined || part === 'header') return false;
  if (isPersonal(field) && !OF_RECORDS.has(`${call} ${field}`)) return type === NAME_EVENT && NAMES.has(field);
  return event.log === 'audit' ? part === 'body' || field.endsWith('_id') : fieldsOf(event).has(field);
};

describe('A marker in every field of every request', () => {
  it('reaches its call: at least 70 % of the requests succeed, and none fails with 5xx', () => {
    expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(statuses.length * 0.7);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });

  it('is found in each channel when it was written there', async () => {
    const [inLog, inSpan, inMetric, inProblem, inPostgres, inBroker] = [
      'log',
      'span',
      'metric',
      'problem',
      'postgres',
      'broker',
    ].map((field) => markers.for({ call: 'control', part: 'body', field }));
    createLogger('test', 'info').info({ it: inLog }, 'control');
    await withSpan('control', { attributes: { it: inSpan ?? '' } }, async () => {});
    record.refused(inMetric ?? '');
    recorded.problems.push(inProblem ?? '');
    await fixture.sql(`do $$ begin raise log '${inPostgres}'; end $$`);
    await connect({ servers: fixture.nats.url, user: inBroker ?? '', pass: 'wrong', reconnect: false }).catch(() => {});
    const controls = () =>
      Object.fromEntries(
        Object.entries(everything()).map(([channel, text]) => [
          channel,
          markers
            .in(text)
            .filter(({ call }) => call === 'control')
            .map(({ field }) => field),
        ]),
      );
    await expect.poll(controls, POLL_OPTIONS).toEqual({
      logs: ['log'],
      problems: ['problem'],
      telemetry: expect.toSatisfy((fields: string[]) => fields.toSorted().join() === 'metric,span'),
      postgres: ['postgres'],
      broker: ['broker'],
    });
  });

  it('occurs in no log line, span, metric label, problem document or server log', () => {
    for (const [channel, text] of Object.entries(everything()))
      expect(namesOf(markers.in(text).filter(({ call }) => call !== 'control')), channel).toEqual([]);
  });

  it('occurs only in events whose contract has its field, and personal text only as names in directory events', async () => {
    const others: string[] = [];
    const places: MarkedField[] = [];
    for (const { type, data } of await loggedEvents())
      for (const place of markers.in(data)) {
        places.push(place);
        if (!mayContain(type, place)) others.push(`${type}: ${namesOf([place]).join()}`);
      }
    expect(others).toEqual([]);
    expect(places.length).toBeGreaterThan(20);
    const inStreams = markers.in(recorded.servers(fixture).streams);
    // A stream keeps text for some days after it was erased from the log.
    expect(namesOf(inStreams.filter((place) => !places.includes(place) && !NAMES.has(place.field)))).toEqual([]);
    expect(inStreams.length).toBeGreaterThan(20);
  });

  it('occurs in audit entries only where it may stay permanently; erasable texts are stored beside them', async () => {
    const auditEntries = await fixture.sql<{ it: string }>('select a::text as it from clazz.clazz_audit_log as a');
    const texts = await fixture.sql<{ it: string }>(
      'select t.text as it from clazz.audit_text as t where text is not null',
    );
    const found = (rows: { it: string }[]) => markers.in(rows.map(({ it }) => it).join('\n'));
    expect(namesOf(found(auditEntries).filter(({ field }) => isPersonal(field)))).toEqual([]);
    expect(found(auditEntries).length).toBeGreaterThan(3);
    expect(found(texts).filter(({ field }) => isPersonal(field)).length).toBeGreaterThan(3);
  });
});

it('no secret occurs in any output: tokens, passwords, keys, addresses with a password', async () => {
  const { secrets } = inject('stack');
  const values =
    JSON.stringify(secrets)
      .match(/"[^"]{20,}"/g)
      ?.map((text) => text.slice(1, -1)) ?? [];
  expect(values.length).toBeGreaterThan(15);
  const { streams } = recorded.servers(fixture);
  for (const [channel, text] of Object.entries({ ...everything(), streams })) {
    for (const secret of [...values, boss.slice(7), boss.slice(-40)])
      expect(text.includes(secret), channel).toBe(false);
    expect(text, channel).not.toMatch(/\w+:\/\/[^\s/"]+:[^\s/"]+@|eyJ[\w-]+\.eyJ/);
  }
});
