import { Envelope, type EventData, type EventDef } from '@teaching/contracts';

/** One received event: the envelope, whose data is checked when a handler asks for it. */
export interface Received<D = unknown> extends Envelope {
  data: D;
}

/** The events of one kind in a batch, in order, with checked data. */
export const eventsOf = <E extends EventDef>(batch: readonly Received[], event: E): Received<EventData<E>>[] =>
  batch
    .filter((received) => received.type === event.type)
    .map((received) => ({ ...received, data: event.data.parse(received.data) as EventData<E> }));

/** Reads an envelope off the bus; `undefined` when the message is not one. */
export const readEnvelope = (bytes: Uint8Array): Received | undefined => {
  try {
    const envelope = Envelope.safeParse(
      JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()),
    );
    return envelope.success ? { ...envelope.data, data: envelope.data.data } : undefined;
  } catch {
    return undefined;
  }
};
