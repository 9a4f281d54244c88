import { allEvents, Change, hintsOf, isHinted } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exampleOf } from '../docs/json-schema.ts';

const published = allEvents.filter(({ log, replaced_by }) => log === 'domain' && replaced_by === null);
/** Events that change nothing a client reads. */
const SILENT = [
  'clazz.relation.changed.v1',
  ...['clazz', 'course', 'package'].map((name) => `${name}.log.restored.v1`),
];

const CLAZZ = '01900000-0000-7000-8000-000000000001';

describe('An event', () => {
  it('produces a hint, unless it is listed as silent', () => {
    expect(published.filter(({ type }) => !isHinted(type)).map(({ type }) => type)).toEqual(SILENT);
  });

  it('produces no hint when it is replaced or belongs to the audit log', () => {
    const others = allEvents.filter((event) => !published.includes(event));
    expect(others.filter(({ type }) => isHinted(type))).toEqual([]);
  });

  it.each(published.filter(({ type }) => isHinted(type)).map((event) => [event.type, event] as const))(
    '%s produces hints that match the contract and use only its data',
    (type, { data }) => {
      const made = JSON.stringify(exampleOf(z.toJSONSchema(data, { unrepresentable: 'any' })));
      // Needed where the schema says only "text".
      const example = data.parse(JSON.parse(made.replaceAll('"clazz_id":"clazz_id"', `"clazz_id":"${CLAZZ}"`)));
      const hints = hintsOf(type, example);
      expect(hints.length).toBeGreaterThan(0);
      for (const hint of hints) {
        const { ids, clazz_id, user_ids } = Change.parse(hint);
        const named = [...ids, ...user_ids, ...(clazz_id === null ? [] : [clazz_id])];
        expect(named.length).toBeGreaterThan(0);
        expect(named.filter((id) => !JSON.stringify(example).includes(id))).toEqual([]);
      }
    },
  );
});
