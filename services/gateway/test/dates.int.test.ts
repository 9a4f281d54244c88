import { randomUUID } from 'node:crypto';
import { type AnyCall, allCalls, ROLES } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSchema, type Json, listAt, type Schema } from '../../../tools/developers/contracts/schema.ts';
import { schemaOf } from '../../../tools/developers/contracts/record.ts';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { type OneOfEach, oneOfEach } from '../../../tools/proofs/test/one-of-each.ts';
import type { AnyTestRequest } from '../../../tools/proofs/test/any-request.ts';
import { parametersOf, requestTo } from './contract-requests.ts';

/** A path in a request to a date or an instant, such as `['body', 'holidays', '0', 'date']`. */
interface Place {
  call: AnyCall;
  at: string[];
  hasTime: boolean;
}
type Values = Record<string, unknown>;

const FORMATS: readonly unknown[] = ['date', 'date-time'];
const placesIn = (call: AnyCall, schema: Json | undefined, at: string[]): Place[] => {
  if (!isSchema(schema)) return [];
  if (FORMATS.includes(schema['format'])) return [{ call, at, hasTime: schema['format'] === 'date-time' }];
  const members: Schema = isSchema(schema['properties']) ? schema['properties'] : {};
  return [
    ...Object.entries(members).flatMap(([name, member]) => placesIn(call, member, [...at, name])),
    ...placesIn(call, schema['items'], [...at, '0']),
    ...listAt(schema, 'anyOf').flatMap((option) => placesIn(call, option, at)),
  ];
};

/** Every such path of every request, found in the contracts. */
const places = allCalls.flatMap((call) =>
  call.http === null || call.roles === 'anyone'
    ? []
    : [
        ...placesIn(call, schemaOf(call.query, 'input'), ['query']),
        ...placesIn(call, schemaOf(call.body, 'input'), ['body']),
      ],
);

/** A value with `value` at this path, and the content of `base` elsewhere. */
const withAt = (base: unknown, [name, ...deeper]: readonly string[], value: string): unknown => {
  if (name === undefined) return value;
  if (name === '0') return [withAt(undefined, deeper, value)];
  const members: Values = typeof base === 'object' && base !== null ? { ...base } : {};
  return { ...members, [name]: withAt(members[name], deeper, value) };
};
const asked = (base: AnyTestRequest, { at }: Place, value: string): AnyTestRequest => ({
  ...base,
  ...(withAt(base, at, value) as AnyTestRequest),
});

let fixture: Fixture;
let our: OneOfEach;
let api: Api;
beforeAll(async () => {
  fixture = await startFixture();
  our = await oneOfEach(fixture);
  api = fixture.as({ role: [...ROLES], sub: 'somebody' });
});
afterAll(() => fixture?.stop());

/** Ids that no record has; a version is a number. */
const somewhere = ({ call }: Place): AnyTestRequest => ({
  path: Object.fromEntries(
    parametersOf(call).map((name) => [name, name.endsWith('_id') || name === 'id' ? randomUUID() : '1']),
  ),
});
const days = (place: Place, ...dates: string[]): string[] =>
  dates.map((date) => (place.hasTime ? `${date}T12:00:00Z` : date));
const describePlace = ({ call, at }: Place, value: string): string => `${call.id} /${at.join('/')} ${value}`;

describe('A date or an instant of any route', () => {
  it('is accepted in the years 1970 to 2999; others are refused with the name of the field', async () => {
    expect(places.length).toBeGreaterThan(35);
    const wrong: string[] = [];
    for (const place of places) {
      const outside = days(place, '0000-01-01', '0001-01-01', '1969-12-31', '3000-01-01', '9999-12-31');
      const late = place.hasTime ? ['2999-12-31T23:00:00-02:00', '1970-01-01T01:00:00+02:00'] : [];
      for (const value of [...outside, ...late]) {
        const { code, errors } = await api.refused(place.call, asked(somewhere(place), place, value));
        const isNamed = errors.some(
          ({ path, message }) => path === `/${place.at.join('/')}` && message.includes('2999'),
        );
        if (code !== 'invalid_request' || !isNamed) wrong.push(describePlace(place, value));
      }
    }
    expect(wrong).toEqual([]);
  });

  it('is named once if it is malformed', async () => {
    const wrong: string[] = [];
    for (const place of places) {
      const { errors } = await api.refused(place.call, asked(somewhere(place), place, 'x'));
      const named = errors.filter(({ path }) => path === `/${place.at.join('/')}`);
      if (named.length !== 1) wrong.push(describePlace(place, named.map(({ message }) => message).join()));
    }
    expect(wrong).toEqual([]);
  });

  it('causes no server error at either end of the range', async () => {
    const refused: string[] = [];
    for (const place of places) {
      for (const value of days(place, '1970-01-01', '2999-12-31')) {
        const { path = {}, query = {}, body } = asked(requestTo(place.call, our), place, value);
        // Throws when a service fails.
        const outcome = await api.outcome(place.call, { path, query, body });
        const errors = outcome.code === 'invalid_request' ? outcome.problem.errors : [];
        if (errors.some((it) => it.message.includes('2999'))) refused.push(describePlace(place, value));
      }
    }
    expect(refused).toEqual([]);
  });
});
