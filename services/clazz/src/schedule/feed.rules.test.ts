import ICAL from 'ical.js';
import nodeIcal from 'node-ical';
import { describe, expect, it } from 'vitest';
import { etagOf, httpDate, isUnchanged, toCalendar } from './feed.rules.ts';

const lesson = {
  id: 'l-1',
  clazz_name: '高等数学'.repeat(30),
  starts_at: '2030-01-01T10:00:00.000Z',
  ends_at: '2030-01-01T11:00:00.000Z',
  room: 'A; B, C\nD',
  topic: null,
  homework: null,
  status: 'scheduled' as const,
  version: 3,
  created_at: '2029-01-01T00:00:00.000Z',
  updated_at: '2029-01-02T00:00:00.000Z',
  cancel_reason: null,
};

describe('A calendar feed', () => {
  it('folds lines at 75 octets with CRLF, also in Chinese', () => {
    const lines = toCalendar([lesson], null).split('\r\n');
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
    expect(lines.at(-1)).toBe('');
    expect(lines.join('').includes('\n')).toBe(false);
  });

  it('marks a cancelled lesson, keeps its UID, and counts its changes', () => {
    const text = toCalendar([{ ...lesson, status: 'cancelled' }], null);
    expect(text).toContain('STATUS:CANCELLED');
    expect(text).toContain('UID:l-1@lessons');
    expect(text).toContain('SEQUENCE:2');
  });

  it('describes a lesson by topic, homework and reason of cancellation, one line each', () => {
    const texts = { topic: 'Circles', homework: 'Page 12', cancel_reason: 'ill' };
    expect(toCalendar([{ ...lesson, ...texts }], null)).toContain(String.raw`DESCRIPTION:Circles\nPage 12\nill`);
    expect(toCalendar([{ ...lesson, homework: 'Page 12' }], null)).toContain('DESCRIPTION:Page 12');
    expect(toCalendar([lesson], null)).not.toContain('DESCRIPTION');
  });

  it('has the name of the child of a guardian', () => {
    const nameOf = (child: string | null) => /^X-WR-CALNAME:(.*)\r$/m.exec(toCalendar([lesson], child))?.[1];
    expect([nameOf(null), nameOf('Mia Berg')]).toEqual(['Lessons', 'Mia Berg · Lessons']);
    expect(nameOf('Berg, M;\\')).toBe(String.raw`Berg\, M\;\\ · Lessons`);
  });

  it('is the same for two readers and keeps to the grammar, also with control characters of older texts', () => {
    const every = String.fromCodePoint(...Array.from({ length: 0xa0 }, (_, code) => code));
    const hostile = `a${every}b\r\nc\rd\u2028e\u2029f;,:\\"\u{1f600}END:VEVENT`;
    const shown = `a\t\n\n${every.slice(0x20, 0x7f)}\nb\nc\nd\ne\nf;,:\\"\u{1f600}END:VEVENT`;
    const text = toCalendar(
      [
        { ...lesson, clazz_name: hostile, room: hostile, topic: hostile, homework: null, cancel_reason: hostile },
        { ...lesson, id: 'l-2', clazz_name: 'next' },
      ],
      hostile,
    );
    // RFC 5545 §3.1: a line is a name, parameters, and a value without control characters other than tab.
    const lines = text.replaceAll('\r\n ', '').split(/(?<=\r\n)/);
    for (const line of lines) expect(line).toMatch(/^[A-Z-]+(;[A-Z-]+=[^\p{Cc}"]*)*:[^\p{Cc}]*(\t[^\p{Cc}]*)*\r\n$/u);
    const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((it) => new ICAL.Event(it));
    expect(events.map(({ summary }) => summary)).toEqual([shown, 'next']);
    const entries = Object.values(nodeIcal.sync.parseICS(text)).filter((it) => it?.type === 'VEVENT');
    expect(entries.map(({ summary }) => summary)).toEqual([shown, 'next']);
    for (const [first] of [events, entries]) {
      expect(first).toMatchObject({ location: shown, description: `${shown}\n${shown}` });
    }
  });

  it('is unchanged for a client with its ETag or, without an ETag, its date', () => {
    const changed_at = '2030-01-01T10:00:00.000Z';
    const etag = etagOf('stamp');
    const isSame = (if_none_match?: string, if_modified_since?: string): boolean =>
      isUnchanged({ if_none_match, if_modified_since }, etag, changed_at);
    expect(etagOf('other')).not.toBe(etag);
    expect(isSame(`"x", W/${etag}`)).toBe(true);
    expect(isSame('"x"')).toBe(false);
    expect(isSame()).toBe(false);
    const [same, before] = [httpDate(changed_at), httpDate('2030-01-01T09:59:59.000Z')];
    expect(isSame(undefined, same)).toBe(true);
    expect(isSame(undefined, before)).toBe(false);
    expect(isSame(undefined, 'yesterday')).toBe(false);
    expect(isSame('"x"', same)).toBe(false);
    expect(isUnchanged({ if_none_match: undefined, if_modified_since: same }, etag, null)).toBe(false);
  });
});
