export type { IssuedLink } from './application/password-resets.service';
export { PasswordResets } from './application/password-resets.service';
export { EmailVerifications } from './application/email-verifications.service';
export { LINK_MINUTES } from './domain/emailed-link';
export { PasswordResetListeners } from './domain/password-reset-listeners';
