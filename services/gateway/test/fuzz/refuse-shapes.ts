import { type AnyCall, allCalls, ROLES } from '@teaching/contracts';
import { expect } from 'vitest';
import type { Fixture } from '../../../../tools/proofs/test/fixture.ts';
import { urlOf } from '../../../../tools/proofs/test/any-request.ts';
import { membersOf } from '../contract-requests.ts';

const ID = '01900000-0000-7000-8000-000000000001';
const KEYS = '~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.';

/** Creates a JSON text of at most `bytes` bytes. */
type Shape = (bytes: number) => string;

const lists =
  (levels: number): Shape =>
  (bytes) => {
    const count = Math.min(levels, Math.floor(bytes / 2));
    return '['.repeat(count) + ']'.repeat(count);
  };
/** Objects and lists nested in turn. */
const objects =
  (levels: number): Shape =>
  (bytes) => {
    const count = Math.min(levels / 2, Math.floor(bytes / 8));
    return '{"a":['.repeat(count) + ']}'.repeat(count);
  };
const entries =
  (most: number): Shape =>
  (bytes) =>
    `[${Array.from({ length: Math.min(most, Math.floor(bytes / 3)) }, () => '[]').join(',')}]`;
/** Different keys of three characters; in a JSON pointer `~` needs two. */
const keyAt = (n: number): string =>
  [0, 1, 2].map((place) => KEYS[Math.floor(n / KEYS.length ** place) % KEYS.length]).join('');
const members =
  (most: number): Shape =>
  (bytes) =>
    `{${Array.from({ length: Math.min(most, Math.floor(bytes / 8)) }, (_, n) => `"${keyAt(n)}":1`).join(',')}}`;
const longKey: Shape = (bytes) => `{"${'~'.repeat(Math.max(bytes - 6, 1))}":1}`;

/** Each is the whole body at some of the routes. */
const WHOLE = [lists(100_000), objects(100_000), entries(10_001), members(10_001), members(Infinity), longKey];
/** Each is the value of every field at some of the routes. */
const IN_FIELDS = [objects(100_000), objects(2_500), lists(100_000)];

const oneOf = (shapes: readonly Shape[], at: number): Shape => shapes[at % shapes.length] ?? longKey;

/** A body with this value in each field that the call knows, and in an unknown field. */
const inFields = (call: AnyCall, shape: Shape): string => {
  const fields = [...Object.keys(membersOf(call.body)), 'unheard_of'];
  const value = shape(Math.floor(call.max_body / fields.length) - 40);
  return `{${fields.map((field) => `${JSON.stringify(field)}:${value}`).join(',')}}`;
};

const withBody = allCalls.filter(({ http, who }) => http !== null && http.method !== 'GET' && who !== 'anyone');

/** Sends JSON of unusual shapes to every route with a body. Each is refused as invalid, with the path of the fault. */
export const refuseShapes = async (fixture: Fixture): Promise<void> => {
  const wrong: string[] = [];
  for (const [at, call] of withBody.entries()) {
    const role = ROLES.find((one) => call.who.includes(one)) ?? 'SUPERVISOR';
    const path = Object.fromEntries(Object.keys(call.path.shape).map((name) => [name, ID]));
    const place = urlOf(call, { path });
    for (const body of [oneOf(WHOLE, at)(call.max_body - 2), inFields(call, oneOf(IN_FIELDS, at))]) {
      const answer = await fixture
        .as({ role })
        .send(place.method, `/${place.path}`, body, { 'content-type': 'application/json' });
      const { code, errors = [] } = answer.body as { code?: string; errors?: { path: string }[] };
      const isNamed = errors.some(({ path: named }) => named.startsWith('/body'));
      if (answer.status !== 400 || code !== 'invalid_request' || !isNamed)
        wrong.push(`${call.id} ${body.slice(0, 60)}: ${answer.status} ${code ?? ''}`);
    }
  }
  expect(wrong).toEqual([]);
};
