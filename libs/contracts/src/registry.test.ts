import { describe, expect, it } from 'vitest';
import { allCalls, operations } from './registry.ts';

/** The verbs of operation ids. Add a verb only if none of these fits. */
const VERBS = new Set(
  `activate adjust approve book cancel check claim compare complete copy create deactivate delete enrol erase explain extend
   get grant list mark preview publish put quote refund reject release reopen reorder request restore resume sign stream
   submit substitute suspend sync transfer undo unpublish update verify withdraw`.split(/\s+/),
);
const OPERATION_ID = /^([a-z]+)([A-Z][a-z0-9]*)+$/;
const ids = Object.keys(operations);

/** The verb of an operation id that is a verb and its object; undefined for any other name. */
const verbOf = (id: string): string | undefined => OPERATION_ID.exec(id)?.[1];

describe('Operation ids', () => {
  it('consist of a known verb and its object in lowerCamelCase', () => {
    expect(ids.length).toBeGreaterThan(100);
    expect(ids.filter((id) => !VERBS.has(verbOf(id) ?? ''))).toEqual([]);
  });

  it('use every known verb', () => {
    const used = new Set(ids.map(verbOf));
    expect([...VERBS].filter((verb) => !used.has(verb))).toEqual([]);
  });

  it('have a verb that matches the HTTP method of a plain read, change or deletion', () => {
    const METHODS: Readonly<Record<string, string>> = { get: 'GET', list: 'GET', update: 'PATCH', delete: 'DELETE' };
    const wrong = Object.entries(operations).filter(([id, { http }]) => {
      const method = METHODS[verbOf(id) ?? ''];
      return method !== undefined && method !== http?.method;
    });
    expect(wrong.map(([id]) => id)).toEqual([]);
  });

  it.each(['package_package_create', 'packagePackageCreate', 'create', 'CreatePackage'])(
    'do not look like %s',
    (name) => {
      expect(VERBS.has(verbOf(name) ?? '')).toBe(false);
    },
  );
});

/** Reads of the class service that show no data of a class, or show the audit log itself. All others are `audited`. */
const NOT_AUDITED = [
  'clazz.audit.head',
  'clazz.audit.list',
  'clazz.audit.list_org',
  'clazz.audit.verify',
  'clazz.calendar.get_state',
  'clazz.holiday.get',
  'clazz.lesson.check',
  'clazz.me.get',
  'clazz.member.get',
  'clazz.member.list',
  'clazz.member.list_guardians',
  'clazz.policy.get',
  'clazz.refusal.list',
  'clazz.room.get',
  'clazz.room.list',
  'clazz.room.list_free',
  'clazz.series.preview',
];

describe('Reads of the class service', () => {
  it('create an audit entry unless they show no data of a class', () => {
    const reads = allCalls.filter(
      ({ service, http, writes }) => service === 'clazz' && http?.path !== undefined && !writes,
    );
    expect(
      reads
        .filter(({ audited }) => !audited)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(NOT_AUDITED);
  });
});
