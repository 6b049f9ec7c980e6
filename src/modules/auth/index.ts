export { authSettings } from './auth.settings';
export type { AuthSettings } from './auth.settings';
export { Credentials } from './domain/credentials';
export { LoginSubjects } from './domain/login-subjects';
export { Logins } from './domain/logins';
export type { Tokens } from './domain/logins';
export { Sessions } from './domain/sessions';
export { RecentLogin } from './domain/recent-login';
export { NewEmailLimit } from './domain/new-email-limit';
export { PasswordHasher } from './domain/password-hasher';
export { SignUps } from './domain/sign-ups';
export { VerifiedEmails } from './domain/verified-emails';
export type { SignUpClient } from './domain/sign-ups';
export { assertPassword, passwordRule } from './domain/password-policy';
export { loginParts } from './domain/credential';
export type { LoginChanges, SubjectKind } from './domain/credential';
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
export { SecondFactorCheck } from './domain/second-factor-check';
export { SignInSubjects } from './domain/sign-in-subjects';
export type { SignInSubject } from './domain/sign-in-subjects';
export type { IssuedLink } from './password-resets/domain/password-resets';
export { PasswordResets } from './password-resets/domain/password-resets';
export { EmailVerifications } from './password-resets/domain/email-verifications';
export { LINK_MINUTES } from './password-resets/domain/emailed-link';
export { PasswordResetListeners } from './password-resets/domain/password-reset-listeners';
