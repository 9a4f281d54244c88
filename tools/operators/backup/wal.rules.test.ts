import { expect, it } from 'vitest';
import { historyName, lsnOf, lsnText, nameOf, numberAt, segmentOf, timelineOfHistory, wayTo } from './wal.rules.ts';

const MIB = 2 ** 20;

it.each([
  ['0/1000028', 0x1000028n],
  ['16/B374D848', 0x16b374d848n],
  ['FFFFFFFF/FFFFFFFF', 2n ** 64n - 1n],
])('reads %s as a position in the log and writes it like Postgres', (text, value) => {
  expect(lsnOf(text)).toBe(value);
  expect(lsnText(lsnOf(text))).toBe(text);
});

it.each(['', '0', '0/', '/0', '0/123456789', 'G/0', '0/0 '])('refuses %j as a position', (text) => {
  expect(() => lsnOf(text)).toThrow('no position');
});

it('names the segment of a position like Postgres', () => {
  // pg_walfile_name('0/3000028'), ('1/0'), and with segments of 64 MiB ('1/8000000').
  expect(nameOf({ timeline: 1, no: numberAt(lsnOf('0/3000028'), 16 * MIB) }, 16 * MIB)).toBe(
    '000000010000000000000003',
  );
  expect(nameOf({ timeline: 2, no: numberAt(lsnOf('1/0'), 16 * MIB) }, 16 * MIB)).toBe('000000020000000100000000');
  expect(nameOf({ timeline: 1, no: numberAt(lsnOf('1/8000000'), 64 * MIB) }, 64 * MIB)).toBe(
    '000000010000000100000002',
  );
});

it('reads the name of a segment, and no other name', () => {
  expect(segmentOf('0000000A00000001000000FF', 16 * MIB)).toEqual({ timeline: 10, no: 511 });
  for (const other of ['0000000A00000001000000FF.partial', '00000002.history', '0000000a00000001000000ff', 'x'])
    expect(segmentOf(other, 16 * MIB)).toBeUndefined();
  expect(timelineOfHistory('0000000A.history')).toBe(10);
  expect(timelineOfHistory('0000000A.history.half')).toBeUndefined();
  expect(historyName(10)).toBe('0000000A.history');
});

it('reads from a history the earlier timelines and where each ended', () => {
  const history = '1\t0/3000000\tno recovery target specified\n\n2\t0/5000028\tbefore 2026-11-21 10:00:00+00\n';
  expect(wayTo(3, history)).toEqual([
    { timeline: 1, until: 0x3000000n },
    { timeline: 2, until: 0x5000028n },
    { timeline: 3, until: undefined },
  ]);
  expect(wayTo(1, '')).toEqual([{ timeline: 1, until: undefined }]);
});
