import pino, { type Logger } from 'pino';

type Line = Record<string, unknown> & { msg: string };

/** A logger that records the lines of a service. */
export const recordingLog = (): { log: Logger; lines: Line[] } => {
  const lines: Line[] = [];
  return { lines, log: pino({ level: 'info' }, { write: (text: string) => void lines.push(JSON.parse(text)) }) };
};
