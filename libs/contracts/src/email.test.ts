import { describe, expect, it } from 'vitest';
import { memberCalls } from './clazz/member.calls.ts';
import { isEmailAddress } from './email.ts';

const long = (of: string, length: number): string => of.repeat(length);

describe('An e-mail address', () => {
  it.each([
    'ann@example.com',
    'Ann.Lee+school@mail.example.co.uk',
    "o'neil_2@example.org",
    'a@b.cd',
    '用户@例子.公司',
    'müller@schöne-straße.de',
    'δοκιμή@παράδειγμα.δοκιμή',
    'अजय@डाटा.भारत',
    'ann@xn--fsqu00a.xn--55qx5d',
    `${long('a', 64)}@example.com`,
    `${long('用', 21)}@example.com`,
    `a@${long(`${long('b', 61)}.`, 4)}com`,
  ])('may be %s', (address) => expect(isEmailAddress(address)).toBe(true));

  it.each([
    '',
    'ann',
    '@example.com',
    'ann@',
    'ann@@example.com',
    'ann@home@example.com',
    'ann..lee@example.com',
    '.ann@example.com',
    'ann.@example.com',
    'ann lee@example.com',
    'ann@exam ple.com',
    'ann\u0007@example.com',
    'ann\u0085@example.com',
    'ann\u200b@example.com',
    'ann@example\u200b.com',
    'ann\n@example.com',
    'ann@example..com',
    'ann@.example.com',
    'ann@example.com.',
    'ann@-example.com',
    'ann@example-.com',
    'ann@example',
    'ann@exam_ple.com',
    'ann@1.2.3.4',
    'ann@[1.2.3.4]',
    'ann@example.com/path',
    'ann@example.com:25',
    'ann@%65xample.com',
    'Ann <ann@example.com>',
    'ann@example.com, bo@example.com',
    `${long('a', 65)}@example.com`,
    `${long('用', 22)}@example.com`,
    `a@${long('b', 64)}.com`,
    `${long('a', 60)}@${long(`${long('b', 61)}.`, 3)}bbbbb.com`,
  ])('is not %j', (address) => expect(isEmailAddress(address)).toBe(false));

  it.each([
    ['', 'too_small'],
    ['ann\u0007@example.com', 'custom'],
    [`${long('a', 400)}@example.com`, 'too_big'],
    ['ann', 'custom'],
  ])('that is no valid text has that problem only: %j', (email, code) => {
    const { issues = [] } = memberCalls.updateMember.body.safeParse({ email }).error ?? {};
    expect(issues.map((issue) => issue.code)).toEqual([code]);
  });

  it('does not disable rules over several fields', () => {
    const given = { user_id: 'a', role: 'TEACHER', display_name: 'a,b', email: '' };
    const { issues = [] } = memberCalls.putMembers.body.safeParse({ members: [given] }).error ?? {};
    expect(issues.map(({ path }) => path.at(-1)).toSorted()).toEqual(['display_name', 'email']);
  });

  it('is stored in NFC, and a stored text that is none can still be read', () => {
    const { body, output } = memberCalls.updateMember;
    expect(body.parse({ email: ' mu\u0308ller@example.com ' })).toEqual({ email: 'müller@example.com' });
    expect(body.safeParse({ email: 'ann' }).error?.issues.map(({ path }) => path)).toEqual([['email']]);
    expect(output.shape.email.parse('call the mother first')).toBe('call the mother first');
  });
});
