export { authSettings } from './auth.settings';
export type { AuthSettings } from './auth.settings';
export { Credentials } from './application/credentials.service';
export type { LoginHistory } from './application/credentials.service';
export { LoginSubjects } from './application/login-subjects';
export { Logins } from './application/logins.service';
export type { Tokens } from './application/logins.service';
export { Sessions } from './application/sessions.service';
export { KnownNetworks } from './application/known-networks';
export { Reauthentication } from './application/reauthentication';
export { RecentLogin } from './application/recent-login';
export { NewEmailLimit } from './application/new-email-limit';
export { PasswordHasher } from './application/password-hasher';
export { SignUps } from './application/sign-ups.service';
export { VerifiedEmails } from './application/verified-emails.service';
export type { SignUpClient } from './application/sign-ups.service';
export { assertPassword, passwordRule } from './domain/password-policy';
export { loginParts } from './domain/credential';
export type { Credential, LoginChanger, LoginChanges, SubjectKind } from './domain/credential';
export { CredentialListeners } from './domain/credential-listeners';
export type { ChangedCredential } from './domain/credential-listeners';
export { API_KEY_PREFIX, ApiKeyCheck, hashApiKey } from './domain/api-key-check';
export { AccountScopedReader } from './domain/account-scoped-reader';
export {
  assertAdmin,
  assertBackOffice,
  assertOperator,
  assertSeesAllAccounts,
  insufficientPermission,
  isAdmin,
  isBackOffice,
  isOperator,
  mayActFor,
  membershipRoles,
  mustEnrol,
  owns,
  roles,
  seesAllAccounts,
} from './domain/principal';
export type { MembershipRole, Principal, Role } from './domain/principal';
export { SecondFactorCheck, otpRequired, wrongCode } from './domain/second-factor-check';
export type { Admission, RejectedCode, SecondFactorConfirmation } from './domain/second-factor-check';
export { SignInSubjects } from './domain/sign-in-subjects';
export type { LoginSubject, SignInSubject } from './domain/sign-in-subjects';
export { Caller, IdempotencyKey } from './http/caller';
export { ContinuedAccess } from './http/continued-access';
export { TokenSessions } from './http/token-sessions';
export { OtpField } from './http/otp-field';
export { CallingDevice, deviceOf } from './http/calling-device';
export type { IssuedLink } from './password-resets/application/password-resets.service';
export { PasswordResets } from './password-resets/application/password-resets.service';
export { EmailVerifications } from './password-resets/application/email-verifications.service';
export { LINK_MINUTES } from './password-resets/domain/emailed-link';
export { PasswordResetListeners } from './password-resets/domain/password-reset-listeners';
