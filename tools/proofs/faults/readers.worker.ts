import { parentPort, workerData } from 'node:worker_threads';
import { createApi } from '../system/plain-api.ts';
import { startCallers } from './traffic.ts';

/** The data that `startReaders` passes to this thread. */
export interface Readers {
  address: string;
  token: string;
  path: string;
  callers: number;
  patience: number;
}

const { address, token, path, callers, patience: timeout } = workerData as Readers;
const api = createApi(address, () => token);
const traffic = startCallers({ 'read heavy': () => api({ path, org: '', timeout }) }, callers);
parentPort?.once('message', () => void traffic.stop().then((shots) => parentPort?.postMessage(shots)));
