import { ApiError } from 'countinghouse-client';
import { useState } from 'react';
import { CodeField, PasswordField, withoutSpaces } from '../ui/secret-fields';
import { session } from './session';

/** The fields of a sign-in beside the email: the password, and the code of the second factor once it is asked for. */
export function usePasswordFields({ autoFocus = false } = {}) {
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState<string | null>(null);
  /** @returns false where the code is still missing @throws as `session.signIn` */
  const signIn = async (email: string): Promise<boolean> => {
    try {
      await session.signIn(email, password, otp === null ? undefined : withoutSpaces(otp));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError && error.is('otp_required'))) throw error;
      setOtp('');
      return false;
    }
  };
  const fields = (
    <>
      <PasswordField autoFocus={autoFocus} value={password} onChange={setPassword} />
      {otp !== null && <CodeField value={otp} onChange={setOtp} />}
    </>
  );
  return { fields, signIn, isComplete: password !== '' && otp !== '' };
}
