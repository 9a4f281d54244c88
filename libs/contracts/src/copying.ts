import { z } from 'zod';
import { optional, text } from './scalars.ts';

/** The body of a copy call. Without a title the copy has the title of the original. */
export const Copying = z.strictObject({ title: optional(text(200)) }).optional();
