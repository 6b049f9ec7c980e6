import { SecretField, StringField } from '../../../platform/http/request-fields';

const TOKEN_EXAMPLE = '6sVt0qN2xH8yKc4rZ1mWb7pLd9fGjT3uXaReYiOoEwQ';

export class RequestPasswordResetRequest {
  @StringField(0, 254, 'ada@example.com')
  email: string;
}

export class ResetPasswordRequest {
  @SecretField('The last part of the link in the email.', {}, TOKEN_EXAMPLE)
  token: string;

  @SecretField(
    'The new password: at least 8 characters, at most 72 bytes of UTF-8, not a common password, not made of the email.',
  )
  password: string;
}
