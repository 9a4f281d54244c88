import { expect, it } from 'vitest';
import { z } from 'zod';
import { inputMessage } from './input-message.ts';

const Fields = z.object({
  text: z.string().min(1).max(3).optional(),
  long: z.string().min(2).optional(),
  count: z.int().min(1).max(9).optional(),
  list: z.array(z.string()).min(1).max(1).optional(),
  kind: z.enum(['a', 'b']).optional(),
  only: z.literal('a').optional(),
  id: z.guid().optional(),
  own: z.string('is not a name').optional(),
});

it.each([
  [{ text: '' }, 'must not be empty'],
  [{ text: 'abcd' }, 'must have at most 3 characters'],
  [{ text: 1 }, 'must be a string'],
  [{ long: 'a' }, 'must have at least 2 characters'],
  [{ count: 0 }, 'must be at least 1'],
  [{ count: 10 }, 'must be at most 9'],
  [{ count: 1.5 }, 'must be a whole number'],
  [{ list: [] }, 'must not be empty'],
  [{ list: ['a', 'b'] }, 'must have at most 1 entry'],
  [{ kind: 'c' }, 'must be one of a, b'],
  [{ only: 'b' }, 'must be a'],
  [{ id: 'x' }, 'must be a UUID'],
  [{ own: 1 }, 'is not a name'],
])('%j is refused with: %s', (value, message) => {
  expect(Fields.safeParse(value, { error: inputMessage }).error?.issues[0]?.message).toBe(message);
});

it('names a missing field as required', () => {
  const { error } = z.object({ title: z.string() }).safeParse({}, { error: inputMessage });
  expect(error?.issues[0]?.message).toBe('is required');
});
