import type { ComponentChildren } from 'preact';
import { common } from '../common-texts.ts';
import { requestIdOf, remedyOf } from '../problem-texts.ts';

type Tone = 'info' | 'good' | 'warn' | 'bad';

/** A message with an optional button in `action`. */
export const Message = ({
  tone = 'info',
  action,
  children,
}: {
  tone?: Tone;
  action?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <div class={`message ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    <div>{children}</div>
    {action}
  </div>
);

/** A failure: what the person can do, the request id for the office, and a retry button. */
export const Failure = ({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) => {
  const number = requestIdOf(error);
  return (
    <Message
      tone="bad"
      action={
        retry && (
          <button type="button" class="button" onClick={() => void retry()}>
            {common.again}
          </button>
        )
      }
    >
      {remedyOf(error)}
      {number !== undefined && <div class="small muted">{common.support(number)}</div>}
    </Message>
  );
};

/** Shown instead of an empty list, with the reason or what to do. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <strong>{title}</strong>
    {children}
  </div>
);

/** Placeholder lines while data is loading. */
export const Skeleton = ({ rows = 3 }: { rows?: number }) => (
  <div class="skeleton" role="status" aria-label={common.loading}>
    {Array.from({ length: rows }, (_none, at) => (
      <i key={at} />
    ))}
  </div>
);
