import { allEvents, Change, hintsOf, isHinted } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exampleOf } from '../docs/json-schema.ts';

const told = allEvents.filter(({ log, replaced_by }) => log === 'domain' && replaced_by === null);
/** What nobody has to ask again for. */
const SILENT = [
  'clazz.relation.changed.v1',
  ...['clazz', 'course', 'package'].map((name) => `${name}.log.restored.v1`),
];

const CLAZZ = '01900000-0000-7000-8000-000000000001';

describe('an event', () => {
  it('hints at something, unless it is known to hint at nothing', () => {
    expect(told.filter(({ type }) => !isHinted(type)).map(({ type }) => type)).toEqual(SILENT);
  });

  it('that is no longer told, or for the trail, hints at nothing', () => {
    const others = allEvents.filter((event) => !told.includes(event));
    expect(others.filter(({ type }) => isHinted(type))).toEqual([]);
  });

  it.each(told.filter(({ type }) => isHinted(type)).map((event) => [event.type, event] as const))(
    '%s hints at changes as the contract says, by its data alone',
    (type, { data }) => {
      const made = JSON.stringify(exampleOf(z.toJSONSchema(data, { unrepresentable: 'any' })));
      // Where the schema says "text" only.
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
