import { type AnyCall, call, commaSeparated, enrolmentCalls, memberCalls, Problem, STAFF } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseInput } from './parse-input.ts';

const UPPER = '01900000-0000-7000-8000-00000000000A';
const CALL = call({
  id: 'a.thing.do',
  summary: 'Does something',
  roles: STAFF,
  access: 'all',
  writes: true,
  path: { id: z.string().length(2) },
  query: { limit: z.coerce.number().max(5).optional() },
  body: z.strictObject({ title: z.string(), 'a/b~c': z.array(z.object({ n: z.int() })).optional() }),
  output: z.null(),
});
const parse = (body: string | Uint8Array, path: Record<string, string> = { id: 'ab' }, query?: string) =>
  parseInput(CALL, { path, query }, Buffer.from(body));
const problemsOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.extra.errors?.map(({ path, message }) => `${path} ${message}`);
  }
};

describe('The input of a call', () => {
  it('is parsed by the schemas of path, query and body', () => {
    expect(parse('{"title":"x"}', { id: 'ab' }, 'limit=3')).toEqual({
      path: { id: 'ab' },
      query: { limit: 3 },
      body: { title: 'x' },
    });
  });

  it('is refused with all problems of path, query and body at once', () => {
    const found = problemsOf(() => parse('{"a/b~c":[{"n":1},{"n":"x"}],"more":1}', { id: 'abc' }, 'limit=9&x=1&x=2'));
    expect((found as string[]).map((line) => line.split(' ')[0])).toEqual([
      '/query/x',
      '/path/id',
      '/query/limit',
      '/query/x',
      '/body/title',
      '/body/a~1b~0c/1/n',
      '/body/more',
    ]);
  });

  it.each<[string, AnyCall, Record<string, string>, unknown, string[]]>([
    [
      'guardians',
      memberCalls.putGuardians,
      { user_id: 'kim' },
      { guardians: [{ user_id: 'lee', money: true }, { user_id: 'kim', money: 'x' }, 5], more: 1 },
      [
        '/body/guardians/1/money must be true or false',
        '/body/guardians/2 must be an object',
        '/body/more is not a known field',
        '/body/guardians/1/user_id is the student itself',
      ],
    ],
    [
      'a class in another spelling',
      enrolmentCalls.transferEnrolment,
      { id: UPPER, student_id: '.' },
      { to_clazz_id: UPPER.toLowerCase(), reason: 1 },
      [
        '/path/student_id must be 1 to 128 printable characters without space or /, and not . or ..',
        '/body/reason must be a string',
        '/body/to_clazz_id is the same class',
      ],
    ],
    [
      'not if the path is wrong',
      memberCalls.putGuardians,
      { user_id: '.' },
      { guardians: [{ user_id: '.', money: true }] },
      [
        '/path/user_id must be 1 to 128 printable characters without space or /, and not . or ..',
        '/body/guardians/0/user_id must be 1 to 128 printable characters without space or /, and not . or ..',
      ],
    ],
  ])('is refused by rules over path and body beside other problems: %s', (_what, of, path, body, problems) => {
    expect(problemsOf(() => parseInput(of, { path }, Buffer.from(JSON.stringify(body))))).toEqual(problems);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['that is not JSON', '{', '/body is not valid JSON'],
    ['that is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), '/body is not valid UTF-8'],
  ])('is refused with a body %s', (_what, body, problem) => {
    expect(problemsOf(() => parse(body))).toEqual([problem]);
  });

  it('is refused with each problem once, also if several values of a filter have it', () => {
    const filter = call({
      id: 'a.thing.list',
      summary: 'Lists things',
      roles: STAFF,
      access: 'all',
      writes: false,
      query: { role: commaSeparated(z.enum(['a', 'b'])) },
      output: z.null(),
    });
    expect(problemsOf(() => parseInput(filter, { query: 'role=x,y,z' }, Buffer.from('')))).toEqual([
      '/query/role must be one of a, b',
    ]);
  });

  it('is refused if the query is not UTF-8, and may contain a single percent sign', () => {
    expect(problemsOf(() => parse('{"title":"x"}', { id: 'ab' }, 'limit=%ff'))).toContain('/query is not valid UTF-8');
    expect(problemsOf(() => parse('{"title":"x"}', { id: 'ab' }, 'y=100%'))).toEqual(['/query/y is not a known field']);
  });

  it('may have fields that are named like inherited properties of objects', () => {
    const paths = problemsOf(() => parse('{"title":"x"}', { id: 'ab' }, '__proto__=1&constructor=2&__proto__=3'));
    expect(paths).toEqual([
      '/query/__proto__ is given twice',
      '/query/__proto__ is not a known field',
      '/query/constructor is not a known field',
    ]);
  });
});
