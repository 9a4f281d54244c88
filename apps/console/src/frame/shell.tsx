import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { screensOf } from '../screens.ts';
import { Avatar } from '../shared/parts/avatar.tsx';
import { Icon } from '../shared/parts/icon.tsx';
import { inLanguage, texts } from '../shared/language.ts';
import { Toasts } from '../shared/parts/toasts.tsx';
import type { Me } from '../shared/session.ts';
import { Banners } from './banners.tsx';
import { PersonMenu } from './person-menu.tsx';

const t = texts({
  skip: { en: 'Skip to the content', zh: '跳到内容' },
  main: { en: 'Main', zh: '主导航' },
  account: { en: 'Account and settings', zh: '账户与设置' },
});

/** The navigation around a screen: at the side, or at the bottom on a phone. */
export const Shell = ({ me, children }: { me: Me; children: ComponentChildren }) => {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const name = me.member?.display_name ?? me.user_id;
  return (
    <>
      <a class="skip" href="#main">
        {t.skip}
      </a>
      <div class="shell">
        <nav aria-label={t.main}>
          <div class="brand">
            <img src="/icon.svg" alt="" />
            <span>{me.policy.org_name ?? 'Teaching'}</span>
          </div>
          <ul>
            {screensOf(me.roles).map((screen) => (
              <li key={screen.path}>
                <a href={screen.path} aria-current={path === screen.path ? 'page' : undefined}>
                  <Icon name={screen.icon} />
                  {inLanguage(screen.name)}
                </a>
              </li>
            ))}
          </ul>
          <div class="person">
            <button
              type="button"
              class="person-button"
              aria-haspopup="dialog"
              title={t.account}
              onClick={() => setOpen(true)}
            >
              <Avatar name={name} />
              <span>{name}</span>
            </button>
          </div>
        </nav>
        <div>
          <Banners />
          {children}
        </div>
      </div>
      {isOpen && <PersonMenu me={me} onClose={() => setOpen(false)} />}
      <Toasts />
    </>
  );
};
