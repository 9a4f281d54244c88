import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

export interface Read {
  rows: number;
  bytes: number;
  sha256: string;
}

/** Reads a file line by line, at any size. Returns its number of lines and bytes and its checksum. */
export const readLines = async (path: string, onLine: (line: string) => void): Promise<Read> => {
  const hash = createHash('sha256');
  const read = { rows: 0, bytes: 0 };
  const decoder = new TextDecoder();
  let left = '';
  const take = (line: string): void => {
    read.rows += 1;
    onLine(line);
  };
  for await (const chunk of createReadStream(path)) {
    if (!Buffer.isBuffer(chunk)) throw new Error(`${path} is not read as bytes`);
    hash.update(chunk);
    read.bytes += chunk.length;
    const lines = (left + decoder.decode(chunk, { stream: true })).split('\n');
    left = lines.pop() ?? '';
    for (const line of lines) take(line);
  }
  if (left !== '') take(left);
  return { ...read, sha256: hash.digest('hex') };
};
