/** One event of a stream of server-sent events. */
export interface ServerEvent {
  event: string;
  data: string;
}

/** Parses server-sent events from pieces of text of any size (HTML Standard, §9.2.6). */
export class EventParser {
  /** The id of the last event, for `Last-Event-ID`, including events without data, which `read` does not return. */
  id: string | undefined;
  /** Milliseconds to wait before reconnecting, if the stream sets them. */
  retry_ms: number | undefined;
  #rest = '';
  #event = '';
  #data: string[] = [];
  #next: string | undefined;

  /** The events that this piece completes. */
  read(text: string): ServerEvent[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#take(line) ?? []);
  }

  #take(line: string): ServerEvent | undefined {
    if (line === '') return this.#dispatch();
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.#next = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retry_ms = Number(value);
    return undefined;
  }

  #dispatch(): ServerEvent | undefined {
    const found = { event: this.#event || 'message', data: this.#data.join('\n') };
    const isEvent = this.#data.length > 0;
    this.id = this.#next ?? this.id;
    this.#event = '';
    this.#data = [];
    return isEvent ? found : undefined;
  }
}
