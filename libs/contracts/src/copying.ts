import { z } from 'zod';
import { optional, text } from './scalars.ts';

/** What may be said of a copy; without a title it has that of the original. */
export const Copying = z.strictObject({ title: optional(text(200)) }).optional();
