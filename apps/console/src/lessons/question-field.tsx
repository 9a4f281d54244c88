import { useId } from 'preact/hooks';
import { hours } from '../shared/format.ts';
import type { GivenAnswer, Question } from './practice.rules.ts';
import { t } from './family-texts.ts';

interface QuestionFieldProps {
  number: number;
  question: Question;
  value: GivenAnswer | undefined;
  onChange: (value: GivenAnswer) => void;
}

interface Choice {
  label: string;
  answer: GivenAnswer;
  isChosen: boolean;
}

const choicesOf = ({ kind, options = [] }: Question, value: GivenAnswer | undefined): readonly Choice[] => {
  if (kind === 'true_false')
    return [true, false].map((answer) => ({ label: answer ? t.yes : t.no, answer, isChosen: value === answer }));
  if (kind === 'single_choice') return options.map((label) => ({ label, answer: label, isChosen: value === label }));
  const chosen = Array.isArray(value) ? value : [];
  return options.map((label) => {
    const isChosen = chosen.includes(label);
    return { label, answer: isChosen ? chosen.filter((one) => one !== label) : [...chosen, label], isChosen };
  });
};

/** The input of one question, by its kind. */
export const QuestionField = ({ number, question, value, onChange }: QuestionFieldProps) => {
  const id = useId();
  const { kind, prompt, points } = question;
  const title = `${number}. ${prompt}`;
  const worth = <span class="muted small">{t.points(hours(points))}</span>;
  if (kind === 'fill_in' || kind === 'free_text') {
    const text = typeof value === 'string' ? value : '';
    return (
      <div class="field question">
        <label for={id}>
          {title} {worth}
        </label>
        {kind === 'fill_in' ? (
          <input id={id} type="text" value={text} onInput={(event) => onChange(event.currentTarget.value)} />
        ) : (
          <textarea id={id} rows={4} value={text} onInput={(event) => onChange(event.currentTarget.value)} />
        )}
      </div>
    );
  }
  return (
    <fieldset class="question">
      <legend>
        {title} {worth}
      </legend>
      {choicesOf(question, value).map(({ label, answer, isChosen }) => (
        <label key={label} class="choice">
          <input
            type={kind === 'multiple_choice' ? 'checkbox' : 'radio'}
            name={id}
            checked={isChosen}
            onChange={() => onChange(answer)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
};
