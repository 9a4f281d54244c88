import { Envelope, type EventData, type EventDef } from '@teaching/contracts';
import { compiled } from '../compiled.ts';

/** One received event: the envelope, whose data is checked when a handler asks for it. */
export interface Received<D = unknown> extends Envelope {
  data: D;
}

/** Received events with their data checked. What was received stays as it was: a dead letter keeps all of it. */
const checked = new WeakMap<Received, Received>();

const check = <E extends EventDef>(received: Received, event: E): Received<EventData<E>> => {
  let sound = checked.get(received);
  if (sound === undefined) {
    sound = { ...received, data: compiled(event.data).parse(received.data) };
    checked.set(received, sound);
  }
  return sound as Received<EventData<E>>;
};

/** The events of one kind in a batch, in order, with checked data. */
export const eventsOf = <E extends EventDef>(batch: readonly Received[], event: E): Received<EventData<E>>[] =>
  batch.filter((received) => received.type === event.type).map((received) => check(received, event));

/**
 * Reads an envelope off the bus; `undefined` when the message is not one. Its data is checked here, while
 * earlier events are being applied; what does not pass fails when it is applied, and is put aside there.
 */
export const readEnvelope = (bytes: Uint8Array, event: EventDef): Received | undefined => {
  try {
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    const envelope = compiled(Envelope).safeParse(JSON.parse(json));
    if (!envelope.success) return undefined;
    const received: Received = { ...envelope.data, data: envelope.data.data };
    if (received.type !== event.type) return received;
    const data = compiled(event.data).safeParse(received.data);
    if (data.success) checked.set(received, { ...received, data: data.data });
    return received;
  } catch {
    return undefined;
  }
};
