import { chooseLanguage, language, texts } from '../language.ts';
import { Segments } from './segments.tsx';

const t = texts({ language: { en: 'Language', zh: '语言' } });

/** Chooses the language of the page. Each language is shown by its own name. */
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
