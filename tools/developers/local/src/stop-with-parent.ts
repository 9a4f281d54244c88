import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Ties a server to this process: a shell waits on a pipe that only this process holds open. When this process dies in any way, even by
 * SIGKILL, the pipe closes and the shell stops the server. On Windows, without such a shell, the next start cleans up.
 */
export const stopWithParent = (server: ChildProcess, signal: 'INT' | 'TERM'): void => {
  if (process.platform === 'win32' || server.pid === undefined) return;
  const script = 'cat >/dev/null; kill -"$1" "$2" 2>/dev/null';
  const watcher = spawn('/bin/sh', ['-c', script, 'leash', signal, String(server.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.on('error', () => undefined);
  watcher.unref();
  // Stopped in order: the process id may soon be reused.
  server.once('exit', () => watcher.kill('SIGKILL'));
};
