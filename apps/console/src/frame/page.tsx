import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { zoneNote } from '../shared/format.ts';
import { texts } from '../shared/language.ts';
import { Icon } from '../shared/parts/icon.tsx';

const t = texts({
  zone: { en: (zone: string) => `Times are ${zone}`, zh: (zone: string) => `时间为${zone}` },
});

interface PageProps {
  title: string;
  /** One line below the title. */
  subtitle?: ComponentChildren;
  /** The link to the previous screen. */
  back?: { href: string; label: string };
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  wide?: boolean;
  children?: ComponentChildren;
}

/** The frame of a screen: title, actions and content. It names the zone of all times if the viewer's zone differs. */
export const Page = ({ title, subtitle, back, actions, wide, children }: PageProps) => {
  useEffect(() => {
    document.title = title;
  }, [title]);
  const zone = zoneNote();
  return (
    <main class={wide === true ? 'page wide' : 'page'} id="main" tabIndex={-1}>
      <header>
        <div>
          {back && (
            <a class="back small" href={back.href}>
              <Icon name="left" size={14} /> {back.label}
            </a>
          )}
          <h1>{title}</h1>
          {subtitle && <p>{subtitle}</p>}
          {zone !== '' && <p class="small">{t.zone(zone)}</p>}
        </div>
        {actions}
      </header>
      {children}
    </main>
  );
};
