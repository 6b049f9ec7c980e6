import { ApiError } from 'countinghouse-client';
import { useState } from 'react';
import { useMessages } from '../i18n/i18n';
import { TextField } from '../ui/fields';
import { session } from './session';

/** The fields of a sign-in beside the email: the password, and the code of the second factor once it is asked for. */
export function usePasswordFields({ autoFocus = false } = {}) {
  const { signIn: t } = useMessages();
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState<string | null>(null);
  /** @returns false where the code is still missing @throws as `session.signIn` */
  const signIn = async (email: string): Promise<boolean> => {
    try {
      await session.signIn(email, password, otp === null ? undefined : otp.replaceAll(' ', ''));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError && error.is('otp_required'))) throw error;
      setOtp('');
      return false;
    }
  };
  const fields = (
    <>
      <TextField
        label={t.password}
        type="password"
        autoComplete="current-password"
        required
        autoFocus={autoFocus}
        value={password}
        onChange={setPassword}
      />
      {otp !== null && (
        <TextField
          label={t.code}
          autoComplete="one-time-code"
          required
          autoFocus
          value={otp}
          onChange={setOtp}
        />
      )}
    </>
  );
  return { fields, signIn, isComplete: password !== '' && otp !== '' };
}
