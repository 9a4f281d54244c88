import { describe, expect, it } from 'vitest';
import { hashOfSecret, makeSecret, orgOf } from './feed-secret.rules.ts';
import { etagOf, isUnchanged, toCalendar } from './feed.rules.ts';

const ORG = '0197aaaa-bbbb-7ccc-8ddd-eeeeffff0000';
const lesson = {
  id: 'l-1',
  clazz_name: '高等数学'.repeat(30),
  starts_at: '2030-01-01T10:00:00.000Z',
  ends_at: '2030-01-01T11:00:00.000Z',
  room: 'A; B, C\nD',
  status: 'scheduled' as const,
  version: 3,
  created_at: '2029-01-01T00:00:00.000Z',
  updated_at: '2029-01-02T00:00:00.000Z',
  cancel_reason: null,
};

describe('a calendar', () => {
  it('is folded at 75 octets with CRLF, also in Chinese', () => {
    const lines = toCalendar([lesson]).split('\r\n');
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
    expect(lines.at(-1)).toBe('');
    expect(lines.join('').includes('\n')).toBe(false);
  });

  it('marks a cancelled lesson, keeps its UID, and counts its changes', () => {
    const text = toCalendar([{ ...lesson, status: 'cancelled' }]);
    expect(text).toContain('STATUS:CANCELLED');
    expect(text).toContain('UID:l-1@lessons');
    expect(text).toContain('SEQUENCE:2');
  });

  it('has the same tag for the same lessons only', () => {
    const etag = etagOf(toCalendar([lesson]));
    expect(etagOf(toCalendar([lesson]))).toBe(etag);
    expect(etagOf(toCalendar([{ ...lesson, version: 4 }]))).not.toBe(etag);
    expect(isUnchanged(`"x", W/${etag}`, etag)).toBe(true);
    expect(isUnchanged('"x"', etag)).toBe(false);
    expect(isUnchanged(undefined, etag)).toBe(false);
  });
});

describe('the secret of a feed', () => {
  const secret = makeSecret(ORG, Buffer.alloc(24, 7));
  it('names its org and nothing else', () => {
    expect(orgOf(secret)).toBe(ORG);
    expect(secret.length).toBeGreaterThanOrEqual(22);
    expect(hashOfSecret(secret)).not.toContain(secret);
  });
  it.each(['', 'short', `${secret}A`, secret.slice(1), `${secret}=`])('is not %j', (text) => {
    expect(orgOf(text)).toBeUndefined();
  });
});
