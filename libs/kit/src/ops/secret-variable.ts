import { z } from 'zod';
import type { LiveValue } from '../base/live-value.ts';
import { VariableSource, type ParsedText } from './variable-source.ts';

const secret = new WeakSet<z.core.$ZodType>();

/**
 * A variable that holds a secret, or a certificate that is exchanged like one. It may also be given as the name of a file,
 * `<NAME>_FILE`, which is read again when it changes: the value is asked for where it is used. `inner` knows its form.
 */
export const secretVariable = <T>(inner: z.ZodType<T, string>): z.ZodType<LiveValue<T>, VariableSource> => {
  const what = inner.description === undefined ? '' : `: ${inner.description}`;
  const understand = (text: string): ParsedText<T> => {
    const result = inner.safeParse(text);
    return result.success ? { value: result.data } : { wrong: result.error.issues[0]?.message ?? 'is wrong' };
  };
  const schema = z
    .custom<VariableSource>((given) => given instanceof VariableSource, { error: `is not set${what}` })
    .transform((given, context): LiveValue<T> => {
      const first = understand(given.text);
      if ('value' in first) return given.live(first.value, understand);
      context.addIssue(first.wrong + given.where);
      return z.NEVER;
    });
  secret.add(schema);
  return schema;
};

/** Whether a variable was declared so, perhaps as one that may be left out. */
export const isSecret = (schema: z.core.$ZodType): boolean =>
  secret.has(schema) || (schema instanceof z.ZodOptional && isSecret(schema.unwrap()));
