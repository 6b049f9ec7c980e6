import { useId } from 'react';
import { useMessages } from '../i18n/i18n';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface TextFieldProps extends FieldProps {
  readonly type?: 'text' | 'email' | 'password' | 'date' | 'month' | 'datetime-local' | 'search';
  readonly hint?: string;
  readonly autoComplete?: string;
  readonly inputMode?: 'decimal' | 'numeric';
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly maxLength?: number;
  readonly min?: string;
  readonly max?: string;
}

export function TextField({ label, value, onChange, hint, type = 'text', ...input }: TextFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...input}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="soft">
          {hint}
        </p>
      )}
    </div>
  );
}

interface SelectFieldProps extends FieldProps {
  readonly options: readonly (readonly [value: string, text: string])[];
}

export function SelectField({ label, value, onChange, options }: SelectFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface ReasonFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
}

/** Why an admin does something. The audit trail shows it. */
export function ReasonField(props: ReasonFieldProps) {
  const { actions, fields } = useMessages();
  return <TextField label={fields.reason} hint={actions.reasonHint} autoFocus maxLength={255} {...props} />;
}
