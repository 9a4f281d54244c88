import { z } from 'zod';
import type { LiveValue } from '../base/live-value.ts';
import { VariableSource, type ParsedText } from './variable-source.ts';

const secret = new WeakSet<z.core.$ZodType>();

/**
 * A variable that holds a secret, or a certificate that is exchanged like one. It may also be set as the name of a
 * file, `<NAME>_FILE`, which is read again when it changes. So its value is a function to call at each use. `inner`
 * parses the text.
 */
export const secretVariable = <T>(inner: z.ZodType<T, string>): z.ZodType<LiveValue<T>, VariableSource> => {
  const what = inner.description === undefined ? '' : `: ${inner.description}`;
  const parse = (text: string): ParsedText<T> => {
    const result = inner.safeParse(text);
    return result.success ? { value: result.data } : { wrong: result.error.issues[0]?.message ?? 'is wrong' };
  };
  const schema = z
    .custom<VariableSource>((given) => given instanceof VariableSource, { error: `is not set${what}` })
    .transform((given, context): LiveValue<T> => {
      const first = parse(given.text);
      if ('value' in first) return given.live(first.value, parse);
      context.addIssue(first.wrong + given.suffix);
      return z.NEVER;
    });
  secret.add(schema);
  return schema;
};

/** Whether a variable was declared with `secretVariable`, also as an optional one. */
export const isSecret = (schema: z.core.$ZodType): boolean =>
  secret.has(schema) || (schema instanceof z.ZodOptional && isSecret(schema.unwrap()));
