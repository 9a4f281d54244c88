import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fields } from './fields.ts';

const Fields = fields({
  title: { input: z.string(), output: z.string() },
  note: { input: z.string(), output: z.string(), default: '' },
  limit: { input: z.int(), output: z.int().nullable().meta({ description: 'Most of it' }), default: null },
  zone: { input: z.enum(['UTC', 'Asia/Shanghai']), output: z.string(), default: undefined, filter: 'Zones' },
});
const before = { title: 'T', note: 'N', limit: 3, zone: 'Asia/Shanghai' };

describe('The fields of a record', () => {
  it('get their defaults when a new record omits them or sends null', () => {
    expect(Fields.filled({ title: 'T' }, { zone: 'UTC' })).toEqual({ title: 'T', note: '', limit: null, zone: 'UTC' });
    expect(Fields.filled({ title: 'T', note: null, zone: null }, { zone: 'UTC' })).toEqual({
      title: 'T',
      note: '',
      limit: null,
      zone: 'UTC',
    });
    expect(Fields.filled({ ...before, zone: 'UTC' }, { zone: 'Europe/Berlin' })).toEqual({ ...before, zone: 'UTC' });
  });

  it('keep their values when a change omits them, and get their defaults for null', () => {
    expect(Fields.patched(before, { title: 'U' }, { zone: 'UTC' })).toEqual({ ...before, title: 'U' });
    expect(Fields.patched(before, { note: null, limit: null, zone: null }, { zone: 'UTC' })).toEqual({
      title: 'T',
      note: '',
      limit: null,
      zone: 'UTC',
    });
  });

  it('may have null as a default that the service provides', () => {
    const open = fields({ ends_on: { input: z.string(), output: z.string().nullable(), default: undefined } });
    expect(open.filled({}, { ends_on: null })).toEqual({ ends_on: null });
    expect(open.patched({ ends_on: '2026-01-01' }, { ends_on: null }, { ends_on: null })).toEqual({ ends_on: null });
  });

  it('are required in a new record if they have no default, and optional in a change', () => {
    expect(
      z
        .strictObject(Fields.create)
        .safeParse({})
        .error?.issues.map((issue) => issue.path),
    ).toEqual([['title']]);
    expect(z.strictObject(Fields.patch).safeParse({}).success).toBe(true);
    expect(z.strictObject(Fields.patch).safeParse({ title: null }).success).toBe(false);
  });

  it('have the same description in requests and responses', () => {
    expect([Fields.create.limit.description, Fields.patch.limit.description]).toEqual(['Most of it', 'Most of it']);
    expect(Fields.create.note.description).toBeUndefined();
  });

  it('become list filters, by one value or several, if they declare a filter', () => {
    const query = z.strictObject(Fields.filters);
    expect(query.parse({})).toEqual({});
    expect(query.parse({ zone: 'UTC,Asia/Shanghai' })).toEqual({ zone: ['UTC', 'Asia/Shanghai'] });
    for (const wrong of [{ zone: 'Mars' }, { title: 'T' }]) expect(query.safeParse(wrong).success).toBe(false);
    expect(Fields.filters.zone.description).toBe('Zones');
  });
});
