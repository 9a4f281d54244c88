import { parseArgs } from 'node:util';
import type { z } from 'zod';

/** Of a shape: given without a value. */
const isFlag = (it: z.ZodType): boolean => it.safeParse(true).data === true;

/** Reads `--name value` for each name of a shape, and `--name` where the value is yes or no; throws a message to show. */
export const readArguments = <T extends z.ZodObject>(shape: T, args: readonly string[]): z.output<T> | 'help' => {
  const fields: Record<string, z.ZodType> = shape.shape;
  const named = Object.entries(fields).map(([name, it]) => [
    name,
    { type: isFlag(it) ? ('boolean' as const) : ('string' as const) },
  ]);
  const options = { ...Object.fromEntries(named), help: { type: 'boolean' as const } };
  const values: Record<string, unknown> = parseArgs({ args: [...args], options }).values;
  if (values['help'] === true) return 'help';
  const parsed = shape.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new TypeError(parsed.error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join('\n'));
};
