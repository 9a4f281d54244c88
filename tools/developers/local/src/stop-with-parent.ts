import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Ties a server to this process: a shell waits on a pipe that only we hold open, and when we die
 * in whatever way, even by SIGKILL, the pipe closes and the shell stops the server.
 * On Windows, which has no shell to do so, the next start cleans up instead.
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
  // Stopped in good order: the process id may soon belong to somebody else.
  server.once('exit', () => watcher.kill('SIGKILL'));
};
