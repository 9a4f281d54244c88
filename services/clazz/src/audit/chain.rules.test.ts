import { describe, expect, it } from 'vitest';
import { appendToChain, type ChainEntry, checkChain, GENESIS } from './chain.rules.ts';
import { writeAuditCsv } from './audit-csv.ts';

const START = { entries: 0, hash: GENESIS };
const entry = (id: string, after: unknown = id) => ({
  id,
  org_id: 'o',
  clazz_id: 'c',
  clazz_ids: null,
  texts: null,
  action: 'update' as const,
  entity: 'clazz' as const,
  entity_id: 'c',
  actor_id: 'a',
  actor_roles: ['TEACHER' as const],
  occurred_at: '2030-01-01T00:00:00.000Z',
  request_id: 'r',
  trace_id: 't',
  ip: null,
  reason: null,
  changes: { name: { before: null, after } },
});
const chain = (): ChainEntry[] => appendToChain(START, [entry('1'), entry('2'), entry('3')]);

describe('The hash chain', () => {
  it('is valid when it was appended in parts and is read in another key order', () => {
    const whole = chain();
    const [first, ...rest] = whole;
    const parts = appendToChain({ entries: 1, hash: first?.hash ?? '' }, [entry('2'), entry('3')]);
    expect(parts).toEqual(rest);
    const reordered = whole.map((row) => Object.fromEntries(Object.entries(row).toReversed()) as typeof row);
    expect(checkChain(START, reordered)).toEqual({ head: { entries: 3, hash: whole[2]?.hash } });
  });

  it('has the same hashes for entries without the later fields', () => {
    const hashes = chain().map((row) => row.hash);
    expect(hashes).toEqual([
      '8207e40adc857289667a82775793c76a947ec00d546387f499065ac6fb67bdd2',
      'e057db90bf99b51736a70b4b683831e8a7a81625bd92cfba399afe3923a5b8bd',
      '946d06d3fb189dff8916a1af485753953bc97629ac75e2837fbd4a549fc03220',
    ]);
  });

  it('covers the classes of a list', () => {
    const list = { ...entry('l'), clazz_id: null, clazz_ids: ['c', 'd'] };
    const [row] = appendToChain(START, [list]);
    expect(checkChain(START, [row!]).broken).toBeUndefined();
    expect(checkChain(START, [{ ...row!, clazz_ids: ['c'] }]).broken?.seq).toBe(1);
    expect(checkChain(START, [{ ...row!, clazz_ids: null }]).broken?.seq).toBe(1);
    expect(checkChain(START, [{ ...row!, clazz_id: 'c' }]).broken?.seq).toBe(1);
  });

  it.each([
    ['a changed value', (rows: ChainEntry[]) => rows.with(1, { ...rows[1]!, actor_id: 'b' }), 2, /content/],
    ['a removed entry', (rows: ChainEntry[]) => rows.toSpliced(1, 1), 3, /missing/],
    [
      'a replaced entry',
      (rows: ChainEntry[]) => rows.with(1, appendToChain({ entries: 1, hash: GENESIS }, [entry('x')])[0]!),
      2,
      /continue/,
    ],
    [
      'a replaced entry with a matching hash',
      (rows: ChainEntry[]) => rows.with(1, appendToChain({ entries: 1, hash: rows[0]!.hash }, [entry('x')])[0]!),
      3,
      /continue/,
    ],
  ])('is broken by %s', (_name, tamper, seq, why) => {
    const { broken } = checkChain(START, tamper(chain()));
    expect(broken?.seq).toBe(seq);
    expect(broken?.why).toMatch(why);
  });
});

describe('The CSV export of the audit log', () => {
  const NAMES = { clazz_name: 'Class', clazz_names: null, actor_name: null };
  it('escapes formulas, quotes special characters, and has a header in the first part only', () => {
    const [row] = appendToChain(START, [
      { ...entry('1', '=1+1'), reason: '=HYPERLINK("http://x")', actor_id: '+7', entity_id: '-1' },
    ]);
    const [head, line, ...rest] = writeAuditCsv([{ ...row!, clazz_id: 'c', texts: null, ...NAMES }], {
      isFirst: true,
    }).split('\r\n');
    expect(head).toMatch(/^seq,occurred_at,actor_id,/);
    expect(line).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(line).toContain(",'+7,");
    expect(line).toContain(",'-1,");
    expect(rest).toEqual(['']);
    expect(
      writeAuditCsv([{ ...row!, clazz_id: 'c', texts: null, ...NAMES }], { isFirst: false }).split('\r\n'),
    ).toEqual([line, '']);
  });
});
