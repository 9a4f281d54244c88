import { z } from 'zod';
import { UsageError } from './exit.ts';

const flagOf = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const lineOf = ({ path: [name = ''], message }: z.core.$ZodIssue): string => `${flagOf(String(name))} ${message}`;

/** Parses arguments by a schema. Throws a UsageError that names every problem. */
export const parseOptions = <T extends z.ZodObject>(schema: T, given: unknown): z.output<T> => {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new UsageError(result.error.issues.map(lineOf).join('\n'));
};

/** Collects an option that may be repeated. */
export const collectOption = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** A whole number within bounds. */
export const count = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .refine((given) => given >= min && given <= max, { error: rule, abort: true });
};

export const flag = () => z.boolean().default(false);
