import { Problem } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { failureKindOf } from '../log/failure-kind.ts';
import { problemOf } from '../rpc/handler.ts';
import { connectionError } from './database-client.ts';
import { ConnectionLost, databaseFault, faultKindOf, OutcomeUnknown, RolledBack } from './database-fault.ts';

const state = (code: string): Error => Object.assign(new Error('the database refused'), { code, severity: 'ERROR' });
const system = (code: string): Error => Object.assign(new Error(''), { code, syscall: 'read' });
const said = (message: string): Error => new Error(message);

describe('what goes wrong with the database', () => {
  it.each([
    ['a connection that fails', state('08006'), 'lost', 'unavailable', 'environment'],
    ['a server that shuts down', state('57P01'), 'lost', 'unavailable', 'environment'],
    ['a crash of another session', state('57P02'), 'lost', 'unavailable', 'environment'],
    ['a server that starts', state('57P03'), 'lost', 'unavailable', 'environment'],
    ['a session that was idle for too long', state('57P05'), 'lost', 'unavailable', 'environment'],
    ['a transaction that was idle for too long', state('25P03'), 'lost', 'unavailable', 'environment'],
    ['a reset connection', system('ECONNRESET'), 'lost', 'unavailable', 'environment'],
    ['a closed connection', system('EPIPE'), 'lost', 'unavailable', 'environment'],
    ['a network that gives up', system('ETIMEDOUT'), 'lost', 'unavailable', 'environment'],
    ['an address nobody listens at', system('ECONNREFUSED'), 'lost', 'unavailable', 'environment'],
    ['a host without a way to it', system('EHOSTUNREACH'), 'lost', 'unavailable', 'environment'],
    ['a name that cannot be looked up', system('EAI_AGAIN'), 'lost', 'unavailable', 'environment'],
    [
      'an ended connection',
      connectionError(said('Connection terminated unexpectedly')),
      'lost',
      'unavailable',
      'environment',
    ],
    [
      'no free connection',
      connectionError(said('timeout exceeded when trying to connect')),
      'lost',
      'unavailable',
      'environment',
    ],
    ['a login nobody answers', connectionError(said('timeout expired')), 'lost', 'unavailable', 'environment'],
    [
      'a connection that broke',
      connectionError(said('Client has encountered a connection error and is not queryable')),
      'lost',
      'unavailable',
      'environment',
    ],
    [
      'a pool that is ended',
      connectionError(said('Cannot use a pool after calling end on the pool')),
      'lost',
      'unavailable',
      'environment',
    ],
    ['a connection that was given up', new ConnectionLost('silent'), 'lost', 'unavailable', 'environment'],
    ['a COMMIT without an answer', new OutcomeUnknown(said('lost')), 'lost', 'outcome_unknown', 'environment'],
    ['a full disk', state('53100'), 'busy', 'unavailable', 'environment'],
    ['no more connections', state('53300'), 'busy', 'unavailable', 'environment'],
    ['a lock that somebody holds', state('55P03'), 'busy', 'unavailable', 'environment'],
    ['a server that only reads', state('25006'), 'busy', 'unavailable', 'environment'],
    ['a lost race', state('40001'), 'race', 'unavailable', 'environment'],
    ['a deadlock', state('40P01'), 'race', 'unavailable', 'environment'],
    ['a statement over its limit', state('57014'), 'slow', 'unavailable', 'slow'],
    ['a text that is no number', state('22P02'), 'value', 'invalid_request', 'event'],
    ['a number too large', state('22003'), 'value', 'invalid_request', 'event'],
    ['a date there is not', state('22007'), 'value', 'invalid_request', 'event'],
    ['a time out of range', state('22008'), 'value', 'invalid_request', 'event'],
    ['a text with a zero byte', state('22021'), 'value', 'invalid_request', 'event'],
    ['a character there is not', state('22P05'), 'value', 'invalid_request', 'event'],
    ['a pattern that ends too early', state('22025'), 'value', 'invalid_request', 'event'],
    ['a division by zero', state('22012'), 'other', 'internal', 'event'],
    ['a wrong password', state('28P01'), 'setup', 'internal', 'environment'],
    ['missing rights', state('42501'), 'setup', 'internal', 'environment'],
    ['a missing table', state('42P01'), 'setup', 'internal', 'environment'],
    ['a missing database', state('3D000'), 'setup', 'internal', 'environment'],
    ['a statement after a failed one', state('25P02'), 'setup', 'internal', 'environment'],
    ['a disk that cannot be read', state('58030'), 'setup', 'internal', 'environment'],
    ['a constraint', state('23505'), 'other', 'internal', 'event'],
    ['a wrong statement', state('42601'), 'other', 'internal', 'event'],
    [
      'a transaction that was rolled back',
      new RolledBack('the transaction was rolled back'),
      'other',
      'internal',
      'environment',
    ],
    ['a database that is slow altogether', new ConnectionLost('too slow'), 'lost', 'unavailable', 'environment'],
    ['a bug', new TypeError('x is undefined'), 'other', 'internal', 'event'],
    ['something that is no error', 'thrown text', 'other', 'internal', 'event'],
  ])('%s', (_what, error, kind, code, trouble) => {
    expect([faultKindOf(error), problemOf(error).code, failureKindOf(error)]).toEqual([kind, code, trouble]);
  });

  it('a refusal is told as it is', () => {
    const refusal = new Problem('in_use');
    expect(problemOf(refusal)).toBe(refusal);
  });

  it('a name of the system is no SQLSTATE', () => {
    expect(databaseFault(system('EPIPE'))).toBeUndefined();
  });
});
