export { type AuthSettings, authSettings } from './auth.settings';
export { AccountScopedReader } from './domain/account-scoped-reader';
export { API_KEY_PREFIX, ApiKeyCheck, assertAnyScope, type CallingApiKey } from './domain/api-key-check';
export { CredentialListeners, loginParts } from './domain/credential';
export type { ChangedCredential, LoginChanges, SubjectKind } from './domain/credential';
export { Credentials, type UserLogin } from './domain/credentials';
export { Logins, type Tokens } from './domain/logins';
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
export { hashToken } from './domain/secret-tokens';
export { LoginSubjects, type SignInSubject, SignInSubjects } from './domain/sign-in-subjects';
export { NewEmailLimit, type SignUpClient, SignUps } from './domain/sign-ups';
export { VerifiedEmails } from './domain/verified-emails';
export { EmailedLinks, LINK_MINUTES } from './password-resets/emailed-link';
export type { IssuedLink } from './password-resets/emailed-link';
export { ProvidedUsers, SingleSignOn } from './single-sign-on/single-sign-on';
export type {
  BegunSignIn,
  FinishedSignIn,
  ProvidedRole,
  ProvidedUser,
  ProviderResponse,
} from './single-sign-on/single-sign-on';
