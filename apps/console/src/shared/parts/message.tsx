import type { ComponentChildren } from 'preact';
import { common } from '../common-texts.ts';
import { numberOf, remedyOf } from '../problem-texts.ts';

type Tone = 'info' | 'good' | 'warn' | 'bad';

/** Says something that matters now; `act` is what can be done about it. */
export const Message = ({
  tone = 'info',
  act,
  children,
}: {
  tone?: Tone;
  act?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <div class={`message ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    <div>{children}</div>
    {act}
  </div>
);

/** A failure: what to do, the number to name, and a button to try again. */
export const Failure = ({ error, again }: { error: unknown; again?: (() => unknown) | undefined }) => {
  const number = numberOf(error);
  return (
    <Message
      tone="bad"
      act={
        again && (
          <button type="button" class="button" onClick={() => void again()}>
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

/** Nothing is there, and why or what to do about it. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <strong>{title}</strong>
    {children}
  </div>
);

/** Takes the room of what is being loaded. */
export const Skeleton = ({ rows = 3 }: { rows?: number }) => (
  <div class="skeleton" role="status" aria-label={common.loading}>
    {Array.from({ length: rows }, (_none, at) => (
      <i key={at} />
    ))}
  </div>
);
