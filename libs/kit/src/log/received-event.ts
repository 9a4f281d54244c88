import { Envelope, type EventData, type EventDef } from '@teaching/contracts';
import { compiledSchema } from '../base/compiled-schema.ts';

/** One received event: the envelope, whose data is checked when a handler asks for it. */
export interface ReceivedEvent<D = unknown> extends Envelope {
  data: D;
}

/** Received events with their data checked. What was received stays as it was: a dead letter keeps all of it. */
const checked = new WeakMap<ReceivedEvent, ReceivedEvent>();

const check = <E extends EventDef>(received: ReceivedEvent, event: E): ReceivedEvent<EventData<E>> => {
  let sound = checked.get(received);
  if (sound === undefined) {
    sound = { ...received, data: compiledSchema(event.data).parse(received.data) };
    checked.set(received, sound);
  }
  return sound as ReceivedEvent<EventData<E>>;
};

/** The events of one kind in a batch, in order, with checked data. */
export const eventsOf = <E extends EventDef>(
  batch: readonly ReceivedEvent[],
  event: E,
): ReceivedEvent<EventData<E>>[] =>
  batch.filter((received) => received.type === event.type).map((received) => check(received, event));

/** An envelope as received; its data is checked when it is asked for, and by `validateAhead` before. */
export const receivedEvent = (envelope: Envelope): ReceivedEvent => ({ ...envelope, data: envelope.data });

/** Checks the data of an event before its turn; what does not pass fails when it is applied, and becomes a dead letter there. */
export const validateAhead = (one: ReceivedEvent, event: EventDef): void => {
  const data = compiledSchema(event.data).safeParse(one.data);
  if (data.success) checked.set(one, { ...one, data: data.data });
};

/** Reads an envelope off the bus; `undefined` when the message is not one. */
export const readEnvelope = (bytes: Uint8Array): ReceivedEvent | undefined => {
  try {
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    const envelope = compiledSchema(Envelope).safeParse(JSON.parse(json));
    return envelope.success ? receivedEvent(envelope.data) : undefined;
  } catch {
    return undefined;
  }
};
