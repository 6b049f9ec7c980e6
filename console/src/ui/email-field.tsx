import { useMessages } from '../i18n/i18n';
import { TextField } from './fields';

interface EmailFieldProps {
  readonly label?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
}

/** A field for the email of somebody, which the browser does not fill in with one's own. */
export function EmailField(props: EmailFieldProps) {
  const { fields } = useMessages();
  return <TextField label={fields.email} type="email" autoComplete="off" maxLength={254} {...props} />;
}

/** Whether a text may be an email. The service says whether it is one. */
export const isEmail = (text: string): boolean => /^\S+@\S+$/.test(text);
