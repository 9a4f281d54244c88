import { breakingChanges } from './breaking-changes.ts';
import type { Contracts, RecordedCall, RecordedEvent } from './record.ts';

/** A broken contract: each breaking change, and the remedy. */
export interface BrokenContract {
  id: string;
  changes: string[];
  remedy: string;
}

const lost = (before: readonly string[], after: readonly string[]): string[] =>
  before.filter((it) => !after.includes(it));

const callers = ({ who: before }: RecordedCall, { who: after }: RecordedCall): string[] =>
  after === 'anyone' ? [] : lost([before].flat(), [after].flat()).map((who) => `can no longer be called by ${who}`);

/** A role still accesses what it could: everything, or by each of its rules. */
const reaches = ({ whose: before }: RecordedCall, { whose: after }: RecordedCall): string[] =>
  Object.entries(before).flatMap(([role, rules]) => {
    const now = after[role];
    if (now === undefined || now === 'all') return [];
    if (rules === 'all') return [`${role} no longer reaches everything`];
    return lost(rules, now).map((rule) => `${role} no longer reaches by ${rule}`);
  });

const callChanges = (before: RecordedCall, after: RecordedCall | undefined): string[] => {
  if (after === undefined) return ['is gone'];
  const parts = ['path', 'query', 'body'] as const;
  return [
    ...(before.operation === after.operation
      ? []
      : [`has the operation id ${after.operation} instead of ${before.operation}`]),
    ...(before.route === after.route ? [] : [`moved from ${before.route} to ${after.route}`]),
    ...(before.status === after.status ? [] : [`answers ${after.status} instead of ${before.status}`]),
    ...(before.also === null || before.also === after.also ? [] : [`no longer answers ${before.also}`]),
    ...callers(before, after),
    ...reaches(before, after),
    ...lost(before.errors, after.errors).map((code) => `no longer refuses with ${code}`),
    ...parts.flatMap((part) =>
      breakingChanges(before.input[part], after.input[part], 'input').map((it) => `${part} ${it}`),
    ),
    ...breakingChanges(before.output, after.output, 'output').map((it) => `answer ${it}`),
  ];
};

/** History is read with today's contract, and subscribers may still have yesterday's: an event is held to both sides. */
const eventChanges = (before: RecordedEvent, after: RecordedEvent | undefined): string[] => {
  if (after === undefined) return ['is gone; the history has events of it, which must stay readable'];
  return [
    ...breakingChanges(before.input, after.input, 'input').map((it) => `read from the history: ${it}`),
    ...breakingChanges(before.output, after.output, 'output').map((it) => `seen by subscribers: ${it}`),
  ];
};

/** An event must be readable in the form in which it is stored, so a field is not transformed into another kind. */
const rereadChanges = ({ input, output }: RecordedEvent): string[] =>
  breakingChanges(output, input, 'input').map((it) => `cannot be read again as it is stored: ${it}`);

const NEW_CALL = 'Leave the call unchanged, and declare another one beside it with its own route.';
const newEvent = (type: string): string => {
  const [, name = type, version = '1'] = /^(.*)\.v(\d+)$/.exec(type) ?? [];
  const next = Number(version) + 1;
  return `Leave ${type} as it is, declare ${name}.v${next} beside it ({ version: ${next} }), and mark the old one replaced_by it.`;
};

/** Every recorded contract that the current ones break. Calls and events that were added break nothing. */
export const brokenContracts = (recorded: Contracts, current: Contracts): BrokenContract[] => {
  const calls = Object.entries(recorded.calls).map(([id, before]) => ({
    id,
    changes: callChanges(before, current.calls[id]),
    remedy: NEW_CALL,
  }));
  const events = Object.entries(recorded.events).map(([id, before]) => ({
    id,
    changes: eventChanges(before, current.events[id]),
    remedy: newEvent(id),
  }));
  const own = Object.entries(current.events).map(([id, event]) => ({
    id,
    changes: [
      ...rereadChanges(event),
      ...(event.replaced_by === null || event.replaced_by in current.events
        ? []
        : [`is replaced by ${event.replaced_by}, which is not declared`]),
    ],
    remedy:
      'An event is declared as it is stored: declare its fields without transforms, and its replacement beside it.',
  }));
  return [...calls, ...events, ...own].filter(({ changes }) => changes.length > 0);
};

export const textOfBreak = ({ id, changes, remedy }: BrokenContract): string =>
  [id, ...changes.map((change) => `  ${change}`), `  → ${remedy}`].join('\n');
