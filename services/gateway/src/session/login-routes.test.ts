import { describe, expect, it } from 'vitest';
import { returnPathOf } from './login-routes.ts';

describe('The page after a login', () => {
  it.each(['/', '/today', '/timetable?week=3&who=a%20b', '/class/1#students', '/人/1'])(
    'is the requested page: %s',
    (path) => expect(decodeURI(returnPathOf(path))).toBe(decodeURI(path)),
  );

  it.each([
    undefined,
    '',
    ['/today', '/other'],
    'today',
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/.//evil.example',
    '/today/..//evil.example',
    '/auth/login',
    '/auth',
    '/today/../auth/logout',
    '/api/v1/me',
    `/${'x'.repeat(2_000)}`,
    `/${'人'.repeat(200)}`,
  ])('is the first page instead of %j', (given) => expect(returnPathOf(given)).toBe('/'));

  it('contains only characters that are valid in a header', () =>
    expect(returnPathOf('/a\r\nset-cookie: x=y')).toMatch(/^[\x21-\x7e]+$/));
});
