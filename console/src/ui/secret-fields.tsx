import { useMessages } from '../i18n/i18n';
import { TextField } from './fields';

interface SecretFieldProps {
  readonly label?: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly autoFocus?: boolean;
}

/** A field for one's password: the one that one has, unless it is a new one. */
export function PasswordField({ isNew = false, ...props }: SecretFieldProps & { readonly isNew?: boolean }) {
  const { signIn } = useMessages();
  const autoComplete = isNew ? 'new-password' : 'current-password';
  return <TextField label={signIn.password} type="password" required {...{ autoComplete }} {...props} />;
}

/** A field for a code of the second factor, of the app or a recovery code. It has the focus. */
export function CodeField(props: SecretFieldProps & { readonly inputMode?: 'numeric' }) {
  const { signIn } = useMessages();
  return <TextField label={signIn.code} autoComplete="one-time-code" required autoFocus {...props} />;
}

/** A code as the service takes it: people read it in groups. */
export const withoutSpaces = (code: string): string => code.replaceAll(' ', '');
