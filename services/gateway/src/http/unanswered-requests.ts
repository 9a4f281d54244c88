import type { Duplex } from 'node:stream';
import { Problem } from '@teaching/contracts';
import { record } from '@teaching/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Unanswered requests per connection: browsers send one after the other (RFC 9112 §9.3.2). */
const MAX_AT_ONCE = 16;

/** The accepted requests of one connection. */
interface Connection {
  unanswered: number;
  /** The reply to the newest one. Null while all are answered, so that an idle connection keeps no request. */
  newest: FastifyReply | null;
  /** Further requests are neither performed nor answered. */
  isClosing: boolean;
  /** The last answer, sent after those of the accepted requests. */
  refusal: Problem | null;
}

/** The unanswered requests of each connection. A connection is closed only after their answers. */
export interface UnansweredRequests {
  /** Counts requests that have a route. */
  register(app: FastifyInstance): void;
  /**
   * Counts a request until `complete`, and refuses one beyond `MAX_AT_ONCE`: this limits the memory of one connection.
   * Returns false if the caller must not answer it.
   */
  accept(request: FastifyRequest, reply: FastifyReply): boolean;
  /** Ends an accepted request whose answer is sent. */
  complete(request: FastifyRequest): void;
  /** Accepts no more requests of a connection. It is closed with this problem after the other answers. */
  closeWith(socket: Duplex, problem: Problem): void;
  /** Accepts no more requests of this connection. Returns false if it has already accepted one after this request. */
  closeAfter(request: FastifyRequest): boolean;
}

/**
 * Discards all that a client still sends, without parsing it, so that it needs no memory. It must be read: with unread
 * bytes, the kernel closes a connection with a reset, which may cost the client its answers.
 */
const discardInput = (socket: Duplex): void => {
  // Node's parser reads through this listener.
  socket.removeAllListeners('data').on('data', () => {});
};

/** Whether all answers are sent. A request that has not arrived completely cannot be answered any more. */
const isFinished = ({ unanswered, newest }: Connection): boolean =>
  unanswered === 0 || (unanswered === 1 && newest !== null && !newest.sent && !newest.request.raw.complete);

/** `end` sends a problem on a connection as its last bytes. */
export const createUnansweredRequests = (end: (socket: Duplex, problem: Problem) => void): UnansweredRequests => {
  const connections = new WeakMap<Duplex, Connection>();
  const connectionOf = (socket: Duplex): Connection => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const added = { unanswered: 0, newest: null, isClosing: false, refusal: null };
    connections.set(socket, added);
    return added;
  };

  const closeWith: UnansweredRequests['closeWith'] = (socket, problem) => {
    const it = connectionOf(socket);
    if (it.refusal !== null) return;
    it.isClosing = true;
    it.refusal = problem;
    discardInput(socket);
    if (isFinished(it)) end(socket, problem);
  };

  const accept: UnansweredRequests['accept'] = ({ raw: { socket } }, reply) => {
    const it = connectionOf(socket);
    if (!it.isClosing && it.unanswered < MAX_AT_ONCE) {
      it.unanswered += 1;
      it.newest = reply;
      return true;
    }
    reply.hijack();
    if (it.isClosing) return false;
    record.refused('connections');
    closeWith(socket, new Problem('unavailable', `At most ${MAX_AT_ONCE} requests of a connection are in progress`));
    return false;
  };

  const complete: UnansweredRequests['complete'] = ({ raw: { socket } }) => {
    const it = connectionOf(socket);
    it.unanswered -= 1;
    if (it.unanswered === 0) it.newest = null;
    if (it.refusal !== null && isFinished(it) && socket.writable) end(socket, it.refusal);
  };

  return {
    closeWith,
    accept,
    complete,
    closeAfter: (request) => {
      const it = connectionOf(request.raw.socket);
      const isNewest = it.newest?.request === request;
      if (isNewest) it.isClosing = true;
      return isNewest;
    },
    register: (app) => {
      app.addHook('onRequest', (request, reply, done) => {
        if (accept(request, reply)) done();
      });
      app.addHook('onResponse', (request, _reply, done) => {
        complete(request);
        done();
      });
    },
  };
};
