import { type ReactNode, useId } from 'react';
import { useMessages } from '../i18n/i18n';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface LabeledProps extends Pick<FieldProps, 'label' | 'hint'> {
  readonly id: string;
  readonly children: ReactNode;
}

/** A control with that id, between its label and its hint. */
function Labeled({ id, label, hint, children }: LabeledProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {hint !== undefined && (
        <p id={hintOf(id)} className="soft">
          {hint}
        </p>
      )}
    </div>
  );
}

const hintOf = (id: string): string => `${id}-hint`;

interface TextFieldProps extends FieldProps {
  readonly type?: 'text' | 'email' | 'password' | 'date' | 'datetime-local' | 'search';
  readonly autoComplete?: string;
  readonly inputMode?: 'decimal' | 'numeric';
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly disabled?: boolean;
  readonly maxLength?: number;
  /** What is wrong with the value. Stands in the place of the hint. */
  readonly problem?: string;
}

/** A field that has the focus from the beginning is selected: what is typed replaces what it was filled with. */
export function TextField({ label, value, onChange, problem, type = 'text', ...others }: TextFieldProps) {
  const id = useId();
  const { hint: usual, ...input } = others;
  const hint = problem ?? usual;
  return (
    <Labeled {...{ id, label, hint }}>
      <input
        id={id}
        type={type}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={problem !== undefined}
        onFocus={({ target }) => input.autoFocus && target.select()}
        aria-describedby={hint === undefined ? undefined : hintOf(id)}
        {...input}
      />
    </Labeled>
  );
}

interface TextAreaFieldProps extends FieldProps {
  readonly rows: number;
  readonly isInvalid: boolean;
}

/** A field of several lines, such as for JSON. */
export function TextAreaField({ label, hint, value, onChange, rows, isInvalid }: TextAreaFieldProps) {
  const id = useId();
  return (
    <Labeled {...{ id, label, hint }}>
      <textarea
        id={id}
        rows={rows}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={isInvalid}
        aria-describedby={hint === undefined ? undefined : hintOf(id)}
      />
    </Labeled>
  );
}

interface SelectFieldProps extends FieldProps {
  readonly options: readonly (readonly [value: string, text: string])[];
}

export function SelectField({ label, value, onChange, hint, options }: SelectFieldProps) {
  const id = useId();
  return (
    <Labeled {...{ id, label, hint }}>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-describedby={hint === undefined ? undefined : hintOf(id)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </Labeled>
  );
}

interface CheckFieldsProps {
  readonly legend: string;
  readonly hint: string;
  /** Those that are chosen, separated by spaces, as a draft keeps them. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** Check boxes, of which any number can be chosen. */
export function CheckFields({ legend, hint, value, onChange, options }: CheckFieldsProps) {
  const id = useId();
  const chosen = value.split(' ').filter(Boolean);
  const toggle = (option: string): void => {
    const others = chosen.filter((other) => other !== option);
    onChange((others.length < chosen.length ? others : [...chosen, option]).join(' '));
  };
  return (
    <fieldset className="checks" aria-describedby={hintOf(id)}>
      <legend>{legend}</legend>
      <p id={hintOf(id)} className="soft">
        {hint}
      </p>
      <div>
        {options.map(([option, text]) => (
          <label key={option}>
            <input type="checkbox" checked={chosen.includes(option)} onChange={() => toggle(option)} />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface ReasonFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
  readonly hint?: string;
}

/** Why an admin does something. The audit log shows it. */
export function ReasonField(props: ReasonFieldProps) {
  const { actions, fields } = useMessages();
  return <TextField label={fields.reason} hint={actions.reasonHint} autoFocus maxLength={255} {...props} />;
}
