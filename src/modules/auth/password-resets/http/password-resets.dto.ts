import { SecretField, StringField } from '../../../../platform/http/request-fields';
import { passwordRule } from '../../domain/passwords';

const TOKEN_EXAMPLE = '6sVt0qN2xH8yKc4rZ1mWb7pLd9fGjT3uXaReYiOoEwQ';

export class RequestPasswordResetRequest {
  @StringField(0, 254, 'ada@example.com') email: string;
}

export class ResetPasswordRequest {
  @SecretField('The last part of the link in the email.', {}, TOKEN_EXAMPLE) token: string;
  @SecretField(`The new password. ${passwordRule}`) password: string;
}
