import { parseArgs } from 'node:util';
import type { z } from 'zod';

/** Reads `--name value` for each name of a shape; throws a message to show. */
export const readArguments = <T extends z.ZodObject>(shape: T, args: readonly string[]): z.output<T> | 'help' => {
  const named = Object.keys(shape.shape).map((name) => [name, { type: 'string' as const }]);
  const options = { ...Object.fromEntries(named), help: { type: 'boolean' as const } };
  const values: Record<string, unknown> = parseArgs({ args: [...args], options }).values;
  if (values['help'] === true) return 'help';
  const parsed = shape.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new TypeError(parsed.error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join('\n'));
};
