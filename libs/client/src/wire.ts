/** What a client has to know of a call to send it. */
export interface WireCall {
  id: string;
  service: string;
  http: { method: string; path: string } | null;
  /** Checks an answer, and leaves out what the client does not know; without it answers are taken as they come. */
  output?: { parse(answer: unknown): unknown };
}
/** By the names of their methods. */
export type WireCalls = Readonly<Record<string, WireCall>>;
