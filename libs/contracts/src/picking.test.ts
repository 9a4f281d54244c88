import { expect, it } from 'vitest';
import { z } from 'zod';
import { picking } from './picking.ts';

it('picks the fields that the schema declares and no others', () => {
  const shown = picking(z.object({ title: z.string(), note: z.string().nullable() }));
  expect(shown({ note: null, title: 'T', secret: 'x' })).toEqual({ title: 'T', note: null });
});
