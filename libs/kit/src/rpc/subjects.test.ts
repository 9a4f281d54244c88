import { expect, it } from 'vitest';
import { isReplySubject, replySubject } from './subjects.ts';

it('a reply subject names the caller and the responder', () => {
  expect(replySubject('gateway', 'clazz', 'id', 'key')).toBe('_INBOX_gateway.clazz.id.key');
});

it.each([
  ['_INBOX_gateway.clazz.id.key', true],
  ['_INBOX_gateway.course.id.key', false],
  ['_INBOX_gateway.clazzes.id.key', false],
  ['_INBOX_gateway.id.key', false],
  ['_INBOX_course.clazz.id.key', false],
  ['$JS.API.STREAM.DELETE.EVENTS_CLAZZ', false],
])('the class service may reply to the gateway on %s: %s', (subject, isAllowed) => {
  expect(isReplySubject(subject, 'gateway', 'clazz')).toBe(isAllowed);
});
