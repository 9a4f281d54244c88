import { expect, it } from 'vitest';
import { z } from 'zod';
import { allCalls } from './registry.ts';

const bodyOf = (body: z.ZodType): z.ZodType => (body instanceof z.ZodOptional ? (body.unwrap() as z.ZodType) : body);

it('accepts student_id in each call that a guardian makes for a child', () => {
  const wrong = allCalls.flatMap(({ id, child, who, path, query, body }) => {
    if (child === null) return [];
    const inner = bodyOf(body);
    const fields = { ...path.shape, ...query.shape, ...(inner instanceof z.ZodObject ? inner.shape : {}) };
    return Array.isArray(who) && who.includes('GUARDIAN') && 'student_id' in fields ? [] : [id];
  });
  expect(wrong).toEqual([]);
});

it('lets a guardian write only for a child', () => {
  const wrong = allCalls.filter(
    ({ writes, child, who }) => writes && child === null && Array.isArray(who) && who.includes('GUARDIAN'),
  );
  expect(wrong.map(({ id }) => id)).toEqual([]);
});
