import type { Msg } from '@nats-io/transport-node';
import { z } from 'zod';

const Refusal = z.object({ error: z.object({ description: z.string() }) });

/** Parses an answer of the JetStream API. Throws the broker's description of an error. */
export const parseAnswer = <T extends z.ZodType>(schema: T, message: Msg): z.output<T> => {
  const answer: unknown = message.json();
  const refusal = Refusal.safeParse(answer);
  if (refusal.success) throw new Error(refusal.data.error.description);
  return schema.parse(answer);
};
