import { allEvents, operations } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { splitSummary } from './summary.ts';

describe('Splitting a summary', () => {
  it('makes the first sentence the title and the rest the details', () => {
    expect(splitSummary('Cancel a leave. After roll call the mark becomes `absent`')).toEqual({
      title: 'Cancel a leave',
      details: 'After roll call the mark becomes `absent`.',
    });
  });

  it('returns no details for one sentence', () => {
    expect(splitSummary('Read a lesson')).toEqual({ title: 'Read a lesson', details: undefined });
  });
});

it('has titles of at most 70 characters for all calls and events', () => {
  const summaries = [...Object.values(operations), ...allEvents].map(({ summary }) => splitSummary(summary).title);
  expect(summaries.filter((title) => title.length > 70)).toEqual([]);
});
