import { expect, it } from 'vitest';
import { loggedIn } from './logged.ts';

const line = (message: string, detail?: string): string =>
  JSON.stringify({ user: 'clazz_app', session_id: '6a.1', message, ...(detail === undefined ? {} : { detail }) });

it('knows a prepared statement with its parameters', () => {
  expect(
    loggedIn(line('execute abc: select $1,\n  $2, $3', "Parameters: $1 = 'it''s', $2 = NULL, $3 = '{a,b}'")),
  ).toEqual({
    role: 'clazz_app',
    session: '6a.1',
    name: 'abc',
    text: 'select $1,\n  $2, $3',
    values: ["it's", null, '{a,b}'],
  });
});

it('takes nothing in a value for a parameter of its own', () => {
  const { values } =
    loggedIn(line('execute <unnamed>: select $1', "Parameters: $1 = 'a, $2 = ''b'', $3 = NULL'")) ?? {};
  expect(values).toEqual(["a, $2 = 'b', $3 = NULL"]);
});

it.each([
  ['statement: begin', '', 'begin'],
  ['execute <unnamed>: commit', '', 'commit'],
  ['execute a: b: c', 'a', 'b: c'],
])('knows what is sent by %j', (message, name, text) => {
  expect(loggedIn(line(message))).toMatchObject({ name, text, values: [] });
});

it('passes over what is no statement', () => {
  expect(loggedIn(line('duration: 1200 ms'))).toBeUndefined();
});
