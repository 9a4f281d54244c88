/** Width, theme and language of a picture. */
export interface View {
  width: number;
  theme: 'light' | 'dark';
  locale: 'en-GB' | 'zh-CN';
}

/** Usual heights of a phone and a desk; longer pages are pictured completely. */
export const HEIGHTS: Readonly<Record<number, number>> = { 360: 740, 1280: 800 };

export const VIEWS: readonly View[] = Object.keys(HEIGHTS).flatMap((width) =>
  (['light', 'dark'] as const).flatMap((theme) =>
    (['en-GB', 'zh-CN'] as const).map((locale) => ({ width: Number(width), theme, locale })),
  ),
);

/** `360-dark-zh-CN` */
export const nameOf = ({ width, theme, locale }: View): string => `${width}-${theme}-${locale}`;
