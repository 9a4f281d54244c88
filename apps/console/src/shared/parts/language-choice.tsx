import { chooseLanguage, language, texts } from '../language.ts';
import { Segments } from './segments.tsx';

const t = texts({ language: { en: 'Language', zh: '语言' } });

/** Which language the page speaks, each by its own name. */
export const LanguageChoice = () => (
  <Segments
    label={t.language}
    value={language.value}
    options={[
      ['en', 'English'],
      ['zh-CN', '简体中文'],
    ]}
    onChange={chooseLanguage}
  />
);
