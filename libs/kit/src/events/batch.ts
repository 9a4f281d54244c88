import { Envelope, type EventData, type EventDef } from '@teaching/contracts';
import { compiled } from '../compiled.ts';

/** One received event: the envelope, whose data is checked when a handler asks for it. */
export interface Received<D = unknown> extends Envelope {
  data: D;
}

/** Events whose data has been checked already. */
const checked = new WeakSet<Received>();

const check = <E extends EventDef>(received: Received, event: E): Received<EventData<E>> => {
  if (checked.has(received)) return received as Received<EventData<E>>;
  const sound = { ...received, data: compiled(event.data).parse(received.data) as EventData<E> };
  checked.add(sound);
  return sound;
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
    if (!data.success) return received;
    received.data = data.data;
    checked.add(received);
    return received;
  } catch {
    return undefined;
  }
};
