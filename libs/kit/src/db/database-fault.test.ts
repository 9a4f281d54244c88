import { Problem } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { failureKindOf } from '../log/failure-kind.ts';
import { problemOf } from '../rpc/handler.ts';
import { connectionError } from './database-client.ts';
import { ConnectionLost, databaseFault, faultKindOf, OutcomeUnknown, RolledBack } from './database-fault.ts';

const postgresError = (code: string): Error =>
  Object.assign(new Error('the database refused'), { code, severity: 'ERROR' });
const systemError = (code: string): Error => Object.assign(new Error(''), { code, syscall: 'read' });
const driverError = (message: string): Error => new Error(message);

describe('Classifying database errors', () => {
  it.each([
    ['a connection that fails', postgresError('08006'), 'lost', 'unavailable', 'environment'],
    ['a server that shuts down', postgresError('57P01'), 'lost', 'unavailable', 'environment'],
    ['a crash of another session', postgresError('57P02'), 'lost', 'unavailable', 'environment'],
    ['a server that starts', postgresError('57P03'), 'lost', 'unavailable', 'environment'],
    ['a session that was idle for too long', postgresError('57P05'), 'lost', 'unavailable', 'environment'],
    ['a transaction that was idle for too long', postgresError('25P03'), 'lost', 'unavailable', 'environment'],
    ['a reset connection', systemError('ECONNRESET'), 'lost', 'unavailable', 'environment'],
    ['a closed connection', systemError('EPIPE'), 'lost', 'unavailable', 'environment'],
    ['a network that gives up', systemError('ETIMEDOUT'), 'lost', 'unavailable', 'environment'],
    ['an address where no server listens', systemError('ECONNREFUSED'), 'lost', 'unavailable', 'environment'],
    ['a host without a route', systemError('EHOSTUNREACH'), 'lost', 'unavailable', 'environment'],
    ['a host name that cannot be resolved', systemError('EAI_AGAIN'), 'lost', 'unavailable', 'environment'],
    [
      'a connection that ended',
      connectionError(driverError('Connection terminated unexpectedly')),
      'lost',
      'unavailable',
      'environment',
    ],
    [
      'no free connection',
      connectionError(driverError('timeout exceeded when trying to connect')),
      'lost',
      'unavailable',
      'environment',
    ],
    [
      'a login without an answer',
      connectionError(driverError('timeout expired')),
      'lost',
      'unavailable',
      'environment',
    ],
    [
      'a connection that broke',
      connectionError(driverError('Client has encountered a connection error and is not queryable')),
      'lost',
      'unavailable',
      'environment',
    ],
    [
      'a pool that is ended',
      connectionError(driverError('Cannot use a pool after calling end on the pool')),
      'lost',
      'unavailable',
      'environment',
    ],
    ['a destroyed connection', new ConnectionLost('silent'), 'lost', 'unavailable', 'environment'],
    ['a COMMIT without an answer', new OutcomeUnknown(driverError('lost')), 'lost', 'outcome_unknown', 'environment'],
    ['a full disk', postgresError('53100'), 'busy', 'unavailable', 'environment'],
    ['too many connections', postgresError('53300'), 'busy', 'unavailable', 'environment'],
    ['a lock held by another transaction', postgresError('55P03'), 'busy', 'unavailable', 'environment'],
    ['a read-only server', postgresError('25006'), 'busy', 'unavailable', 'environment'],
    ['a serialization conflict', postgresError('40001'), 'race', 'unavailable', 'environment'],
    ['a deadlock', postgresError('40P01'), 'race', 'unavailable', 'environment'],
    ['a statement over its limit', postgresError('57014'), 'slow', 'unavailable', 'slow'],
    ['a text that is not a number', postgresError('22P02'), 'value', 'invalid_request', 'event'],
    ['a number too large', postgresError('22003'), 'value', 'invalid_request', 'event'],
    ['a date that does not exist', postgresError('22007'), 'value', 'invalid_request', 'event'],
    ['a time out of range', postgresError('22008'), 'value', 'invalid_request', 'event'],
    ['a text with a zero byte', postgresError('22021'), 'value', 'invalid_request', 'event'],
    ['a character that does not exist', postgresError('22P05'), 'value', 'invalid_request', 'event'],
    ['a pattern that ends too early', postgresError('22025'), 'value', 'invalid_request', 'event'],
    ['a division by zero', postgresError('22012'), 'other', 'internal', 'event'],
    ['a wrong password', postgresError('28P01'), 'setup', 'internal', 'environment'],
    ['missing permissions', postgresError('42501'), 'setup', 'internal', 'environment'],
    ['a missing table', postgresError('42P01'), 'setup', 'internal', 'environment'],
    ['a missing database', postgresError('3D000'), 'setup', 'internal', 'environment'],
    ['a statement after a failed one', postgresError('25P02'), 'setup', 'internal', 'environment'],
    ['a disk that cannot be read', postgresError('58030'), 'setup', 'internal', 'environment'],
    ['a violated constraint', postgresError('23505'), 'other', 'internal', 'event'],
    ['an invalid statement', postgresError('42601'), 'other', 'internal', 'event'],
    [
      'a transaction that was rolled back',
      new RolledBack('the transaction was rolled back'),
      'other',
      'internal',
      'environment',
    ],
    ['a database that is slow as a whole', new ConnectionLost('too slow'), 'lost', 'unavailable', 'environment'],
    ['a bug', new TypeError('x is undefined'), 'other', 'internal', 'event'],
    ['a thrown value that is not an error', 'thrown text', 'other', 'internal', 'event'],
  ])('classifies %s', (_case, error, kind, code, failureKind) => {
    expect([faultKindOf(error), problemOf(error).code, failureKindOf(error)]).toEqual([kind, code, failureKind]);
  });

  it('returns a problem unchanged', () => {
    const refusal = new Problem('in_use');
    expect(problemOf(refusal)).toBe(refusal);
  });

  it('does not take the code of a system error for a SQLSTATE', () => {
    expect(databaseFault(systemError('EPIPE'))).toBeUndefined();
  });
});
