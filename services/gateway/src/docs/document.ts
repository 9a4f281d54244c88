import { Worker } from 'node:worker_threads';
import type { Encoding } from '../negotiate/accept.ts';

/** What takes a while to make. */
export type DocumentName = 'openapi' | 'asyncapi' | 'reference';

/** A document in every form that a caller may want. */
export interface Document {
  etag: string;
  plain: Uint8Array;
  encoded: Readonly<Record<Encoding, Uint8Array>>;
}

const make = (name: DocumentName): Promise<Document> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./make-document.ts', import.meta.url), { workerData: name });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`${name} was not made`)));
  });

/** Makes each document when it is first asked for, in a thread of its own: calls are not kept waiting. */
export const documents = () => {
  const made = new Map<DocumentName, Promise<Document>>();
  return (name: DocumentName): Promise<Document> => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    known.catch(() => made.delete(name));
    return known;
  };
};
