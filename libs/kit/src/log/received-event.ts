import { Envelope, type EventData, type EventDef } from '@teaching/contracts';
import { compiledSchema } from '../base/compiled-schema.ts';

/** A received event. Its data is validated when a handler asks for it. */
export interface ReceivedEvent<D = unknown> extends Envelope {
  data: D;
}

/** Received events with validated data. The received event stays unchanged, since a dead letter stores all of it. */
const validated = new WeakMap<ReceivedEvent, ReceivedEvent>();

const validate = <E extends EventDef>(received: ReceivedEvent, event: E): ReceivedEvent<EventData<E>> => {
  let valid = validated.get(received);
  if (valid === undefined) {
    valid = { ...received, data: compiledSchema(event.data).parse(received.data) };
    validated.set(received, valid);
  }
  return valid as ReceivedEvent<EventData<E>>;
};

/** The events of one type in a batch, in order, with validated data. */
export const eventsOf = <E extends EventDef>(
  batch: readonly ReceivedEvent[],
  event: E,
): ReceivedEvent<EventData<E>>[] =>
  batch.filter((received) => received.type === event.type).map((received) => validate(received, event));

/** Creates a received event. Its data is validated when a handler asks for it, or earlier by `validateAhead`. */
export const receivedEvent = (envelope: Envelope): ReceivedEvent => ({ ...envelope, data: envelope.data });

/**
 * Validates the data of an event in advance. Invalid data fails when the event is applied, and it becomes a dead letter
 * there.
 */
export const validateAhead = (one: ReceivedEvent, event: EventDef): void => {
  const data = compiledSchema(event.data).safeParse(one.data);
  if (data.success) validated.set(one, { ...one, data: data.data });
};

/** Parses an envelope from a message; `undefined` if it is none. */
export const readEnvelope = (bytes: Uint8Array): ReceivedEvent | undefined => {
  try {
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    const envelope = compiledSchema(Envelope).safeParse(JSON.parse(json));
    return envelope.success ? receivedEvent(envelope.data) : undefined;
  } catch {
    return undefined;
  }
};
