export { authSettings } from './auth.settings';
export type { AuthSettings } from './auth.settings';
export { AccountScopedReader } from './domain/account-scoped-reader';
export { API_KEY_PREFIX, ApiKeyCheck, assertAnyScope, hashApiKey } from './domain/api-key-check';
export { CredentialListeners, loginParts } from './domain/credential';
export type { ChangedCredential, LoginChanges, SubjectKind } from './domain/credential';
export { Credentials } from './domain/credentials';
export type { UserLogin } from './domain/credentials';
export { Logins } from './domain/logins';
export type { Tokens } from './domain/logins';
export { assertPassword, PasswordHasher, passwordRule } from './domain/passwords';
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
  RecentLogin,
  roles,
  seesAllAccounts,
} from './domain/principal';
export type { MembershipRole, Principal, Role } from './domain/principal';
export { SecondFactorCheck } from './domain/second-factor-check';
export { LoginSubjects, SignInSubjects } from './domain/sign-in-subjects';
export type { SignInSubject } from './domain/sign-in-subjects';
export { NewEmailLimit, SignUps } from './domain/sign-ups';
export type { SignUpClient } from './domain/sign-ups';
export { VerifiedEmails } from './domain/verified-emails';
export { EmailedLinks, LINK_MINUTES, PasswordResetListeners } from './password-resets/emailed-link';
export type { IssuedLink } from './password-resets/emailed-link';
export { ProvidedUsers, SingleSignOn } from './single-sign-on/single-sign-on';
export type {
  BegunSignIn,
  FinishedSignIn,
  ProvidedRole,
  ProvidedUser,
  ProviderResponse,
} from './single-sign-on/single-sign-on';
