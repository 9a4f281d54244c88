import { useState } from 'preact/hooks';
import { Dialog } from '../shared/parts/dialog.tsx';
import { LanguageChoice } from '../shared/parts/language-choice.tsx';
import { Failure, Message } from '../shared/parts/message.tsx';
import { Segments } from '../shared/parts/segments.tsx';
import { texts } from '../shared/language.ts';
import { logOut, type Me } from '../shared/session.ts';
import { chooseTheme, theme } from '../shared/theme.ts';
import { unsavedText } from '../shared/unsaved-marks.ts';
import { roleNames } from './roles.ts';

const t = texts({
  language: { en: 'Language', zh: '语言' },
  theme: { en: 'Colours', zh: '颜色' },
  system: { en: 'Same as device', zh: '跟随系统' },
  light: { en: 'Light', zh: '浅色' },
  dark: { en: 'Dark', zh: '深色' },
  logOut: { en: 'Log out', zh: '退出登录' },
});

/** The member's roles, language, theme and the log-out button. */
export const PersonMenu = ({ me, onClose }: { me: Me; onClose: () => void }) => {
  const [error, setError] = useState<unknown>();
  const unsaved = unsavedText();
  return (
    <Dialog
      title={me.member?.display_name ?? me.user_id}
      onClose={onClose}
      footer={
        <button type="button" class="button danger" onClick={() => void logOut().catch(setError)}>
          {t.logOut}
        </button>
      }
    >
      <div class="body person-menu">
        <p class="muted">{roleNames(me.roles)}</p>
        {unsaved !== undefined && <Message tone="warn">{unsaved}</Message>}
        {error !== undefined && <Failure error={error} />}
        <div class="field">
          <span>{t.language}</span>
          <LanguageChoice />
        </div>
        <div class="field">
          <span>{t.theme}</span>
          <Segments
            label={t.theme}
            value={theme.value}
            options={[
              ['system', t.system],
              ['light', t.light],
              ['dark', t.dark],
            ]}
            onChange={chooseTheme}
          />
        </div>
      </div>
    </Dialog>
  );
};
