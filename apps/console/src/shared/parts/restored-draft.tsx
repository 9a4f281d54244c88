import type { Draft } from '../draft.ts';
import { texts } from '../language.ts';
import { Message } from './message.tsx';

const t = texts({
  restored: { en: 'Your draft is restored.', zh: '已恢复草稿。' },
  discard: { en: 'Discard', zh: '放弃草稿' },
});

/** Says that a form shows a draft, with a button that discards it. */
export const RestoredDraft = ({ draft }: { draft: Pick<Draft<object>, 'isRestored' | 'clear'> }) =>
  draft.isRestored ? (
    <Message
      action={
        <button type="button" class="button" onClick={draft.clear}>
          {t.discard}
        </button>
      }
    >
      {t.restored}
    </Message>
  ) : null;
